package agent

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// DefaultMaxTurnBytes is the default memory budget of a turn, in bytes.
const DefaultMaxTurnBytes = 32 << 20

// eventCost is the overhead counted for each event in addition to its texts, in bytes.
const eventCost = 512

// ErrTurnTooLarge ends a turn whose model asks for more calls after the turn's memory
// budget is used up.
var ErrTurnTooLarge = errors.New("the turn reached its memory limit")

// budget is the memory that a turn and its sub-agents may use: what the models write,
// what the tools return, and the events that record both. Single texts and the calls of
// a step are bounded elsewhere; the budget bounds how many of them a turn can pile up,
// since agents start agents. It is safe for concurrent use.
type budget struct {
	limit int64
	used  atomic.Int64
}

// reserve takes n bytes from the budget and reports whether they were left. If not,
// nothing is taken.
func (b *budget) reserve(n int) bool {
	if b.used.Add(int64(n)) <= b.limit {
		return true
	}
	b.used.Add(-int64(n))
	return false
}

// exceeded returns ErrTurnTooLarge with the limit.
func (b *budget) exceeded() error {
	return fmt.Errorf("%w of %d bytes of model output and tool results", ErrTurnTooLarge, b.limit)
}

// size returns the number of bytes that a response takes from its turn's budget.
func (r Response) size() int {
	n := len(r.Text) + len(r.Summary)
	for _, o := range r.Opaque {
		n += len(o.Data)
	}
	for _, c := range r.Calls {
		n += len(c.Name) + len(c.Arguments) + len(c.Reasoning)
	}
	return n
}
