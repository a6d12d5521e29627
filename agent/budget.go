package agent

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"candor/safety"
	"candor/session"
)

// DefaultMaxTurnBytes is the default memory budget of a turn, in bytes.
const DefaultMaxTurnBytes = 32 << 20

// overhead is what an event or a message counts in addition to its texts, in bytes.
const overhead = 512

// ErrTurnTooLarge ends a turn whose model asks for more calls after the turn's memory
// budget is used up.
var ErrTurnTooLarge = errors.New("the turn reached its memory limit")

// noRoom says why a turn was ended whose events could not be recorded any more. It is short, so
// it always has room.
var noRoom = safety.Literal("The session has no memory left. Cancel jobs that are open, or wait for other turns " +
	"to end, and send again.")

// notKept says why a turn was ended of which the storage took no more events. It is recorded once the
// storage takes events again.
var notKept = safety.Literal("The storage did not keep what this turn did, so the turn was stopped.")

// errNotKept ends a turn whose session has a storage that takes nothing.
var errNotKept = errors.New(notKept.String())

// errNoRoom ends a turn for which the session or the server has no memory left.
var errNoRoom = errors.New(noRoom.String())

// budget is the memory that a turn and its sub-agents may use: what the models write,
// what the tools return, and the events that record both. Single texts and the calls of
// a step are bounded elsewhere; the budget bounds how many of them a turn can pile up,
// since agents start agents. It is safe for concurrent use.
type budget struct {
	limit int64
	used  atomic.Int64
	hold  func(n int) error // charges the session, too; may be nil
	full  atomic.Bool       // nothing more can be recorded: the session or the server has no room, or lost is set
	lost  atomic.Bool       // the storage beneath the session takes nothing
}

// reserve takes n bytes from the budget and reports whether they were left. If not,
// nothing is taken.
func (b *budget) reserve(n int) bool {
	if b.used.Add(int64(n)) <= b.limit {
		if b.hold == nil || b.hold(n) == nil {
			return true
		}
		b.full.Store(true)
	}
	b.used.Add(-int64(n))
	return false
}

// unrecordable returns why nothing more can be recorded.
func (b *budget) unrecordable() error {
	if b.lost.Load() {
		return errNotKept
	}
	return errNoRoom
}

// isFull reports whether an error says that the session or the server has no room.
func isFull(err error) bool {
	return errors.Is(err, session.ErrFull) || errors.Is(err, session.ErrServerFull)
}

// exceeded returns why nothing can be reserved: ErrTurnTooLarge with the limit, or errNoRoom.
func (b *budget) exceeded() error {
	if b.full.Load() {
		return b.unrecordable()
	}
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

// A cost is recorded beside the tokens of each answer, also of those of sub-agents. It is a fact of the
// log: whoever shows it knows no prices, and a file of others changes no turn that has ended.

// spent returns what an answer of the model cost: nothing that is known if its provider did not count
// the tokens, and nothing at all if nobody wants to know. A provider that does not say which model
// answered is taken to have asked the one that it was told to.
func (r *agentRun) spent(resp Response) session.Spent {
	if r.Price == nil {
		return session.Spent{}
	}
	nanos, known := r.Price(cmp.Or(resp.Model, r.Model), resp.Usage)
	if !known || nanos < 0 || resp.Usage.Input+resp.Usage.Output == 0 {
		return session.Spent{Unpriced: 1}
	}
	return session.Spent{Nanos: nanos, Priced: 1}
}

// heldMemory is what a session is charged for a message and its turn besides their events: the
// raw text, the turn's own tools, and the conversation that the model sees. The zero value
// holds nothing. It is safe for concurrent use.
type heldMemory struct {
	mu       sync.Mutex
	releases []func()
}

// hold charges n bytes more.
func (h *heldMemory) hold(s *session.Session, n int) error {
	release, err := s.Hold(n)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releases = append(h.releases, release)
	return nil
}

// release gives everything back.
func (h *heldMemory) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, release := range h.releases {
		release()
	}
	h.releases = nil
}

// What is charged for a message and for each part of its options besides the texts, and how
// much larger a schema is in memory than its JSON.
const (
	pendingCost  = 2 << 10
	schemaFactor = 16
)

// size returns what a message and its options are charged until its turn has ended.
func (o TurnOptions) size(content string) int {
	n := pendingCost + len(content)
	for _, t := range o.Tools {
		n += pendingCost + len(t.Name) + len(t.Description) + schemaFactor*len(t.Parameters)
	}
	for _, m := range o.Context {
		n += overhead + len(m.Text)
	}
	return n
}

// conversationSize returns what a turn's view of earlier turns is charged: the messages, and
// the results, whose texts are copied. Other texts are those of the log.
func conversationSize(messages []Message) (n int) {
	for _, m := range messages {
		if n += overhead; m.Role == RoleTool {
			n += len(m.Text)
		}
	}
	return n
}
