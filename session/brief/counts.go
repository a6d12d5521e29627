package brief

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// listsName reports whether a name is in a list of plain names.
func listsName(names []string, name string) bool { return slices.Contains(names, plainName(name)) }

// length returns the number of items of a list.
func length(v gjson.Result) int {
	n := 0
	v.ForEach(func(_, _ gjson.Result) bool { n++; return true })
	return n
}

// count returns a number with what it counts, which is in the plural: "1 match", "1,412 lines".
func count(n int, of string) string {
	if n == 1 {
		of = singular(of)
	}
	return thousands(n) + " " + of
}

// singular returns a word in the singular.
func singular(of string) string {
	for _, end := range [][2]string{{"ies", "y"}, {"ches", "ch"}, {"sses", "ss"}, {"s", ""}} {
		if word, ok := strings.CutSuffix(of, end[0]); ok {
			return word + end[1]
		}
	}
	return of
}

// thousands returns a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// size returns a number of bytes in the unit that suits it.
func size(n int) string {
	switch {
	case n < 1000:
		return count(n, "bytes")
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
