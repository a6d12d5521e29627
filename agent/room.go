package agent

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// DefaultMaxTurnBytes is how much a turn may hold, in bytes.
const DefaultMaxTurnBytes = 32 << 20

// eventCost is what an event counts for besides its texts.
const eventCost = 512

// ErrTurnTooLarge ends a turn whose model asks for more when the turn holds as much
// as it may.
var ErrTurnTooLarge = errors.New("the turn holds as much as a turn may")

// room is what a turn, all its agents together, may still hold: what the models
// wrote, what the tools gave, and the events of both. A step's calls and each text
// have their own bounds; without this one a turn could have as many of them as it
// likes, since agents start agents.
type room struct {
	limit int64
	held  atomic.Int64
}

// take makes the turn hold n bytes more if they fit.
func (r *room) take(n int) bool {
	if r.held.Add(int64(n)) <= r.limit {
		return true
	}
	r.held.Add(-int64(n))
	return false
}

// tooLarge is ErrTurnTooLarge with its bound.
func (r *room) tooLarge() error {
	return fmt.Errorf("%w: %d bytes of what the model wrote and the tools gave", ErrTurnTooLarge, r.limit)
}

// size is what a response makes its turn hold.
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
