package session

import (
	"fmt"
	"strings"
)

// Spent is what answers of models cost. It is known if the prices of all of them are, and was
// computed when the answers came, so that later prices change nothing.
type Spent struct {
	Nanos            int64 // nano-dollars
	Priced, Unpriced int   // answers whose price was known, and whose was not
}

// The zero value says that nobody computed a cost, as in turns from before prices were known and in
// those of other agents. It changes no sum.

// Known reports whether the sum is what was spent: there were answers, and each had a price.
func (s Spent) Known() bool { return s.Priced > 0 && s.Unpriced == 0 }

// plus returns the sum of two costs, of which neither is negative. A sum that is beyond all numbers is
// not known, and neither is any that it becomes a part of.
func (s Spent) plus(t Spent) Spent {
	sum := Spent{s.Nanos + t.Nanos, s.Priced + t.Priced, s.Unpriced + t.Unpriced}
	if sum.Nanos < 0 { // no honest price is as high
		return Spent{Unpriced: sum.Priced + sum.Unpriced}
	}
	return sum
}

// The nano-dollars of a cent and of a dollar.
const (
	cent   = 10_000_000
	dollar = 100 * cent
)

// Words returns the cost as people read it, "" if it is not known: in cents from one cent on, and else
// with two significant digits. So nothing that cost something reads as nothing.
func (s Spent) Words() string {
	n := s.Nanos
	switch {
	case !s.Known():
		return ""
	case n == 0:
		return "$0"
	case n >= cent:
		cents := n/cent + (n%cent+cent/2)/cent
		return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
	}
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	n = (n + unit/2) / unit * unit
	return "$0." + strings.TrimRight(fmt.Sprintf("%09d", n), "0")
}
