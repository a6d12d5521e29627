package session

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"candor/safety"
)

// Limits bound the memory that the sessions of a store hold, in bytes as they are charged: for
// each event the bytes of its texts and a constant, and what callers [Session.Hold]. A zero
// field means its default. They also have what the store calls when something happens.
type Limits struct {
	Session int // of one session; that of the process by default
	Process int // of all sessions together; DefaultProcessMemory by default
	Disk    int // that a session may take in its engine, 0 for any; ErrDiskFull then, and what frees room is taken

	// OnDrop is told what was dropped to make room, if it is not nil. It must return quickly and
	// not call the session.
	OnDrop func(s *Session, what Dropped, bytes int)

	// OnEvent, if it is not nil, is called with each event of a session as it is recorded, in the
	// order of the log and with its turn, as Watch yields them, but without the steps, the hand-offs,
	// the usage and the findings of an attached agent's turn. It is not called with a [Dropped]
	// event. The session is locked meanwhile, so it must return at once and not call the session.
	OnEvent func(s *Session, up Update)

	// OnErase, if it is not nil, is called with each thread or job that is erased, by this process or
	// another, so that nothing of it stays elsewhere in memory. The session is locked meanwhile, so it
	// must return at once and not call the session.
	OnErase func(s *Session, of Ref)

	Index Indexing
}

// DefaultProcessMemory is the default of Limits.Process.
const DefaultProcessMemory = 1 << 30

// sessionCost is what an empty session is charged: its maps, and its memory of secrets at its
// fullest.
const sessionCost = 128 << 10

// shedShare is the part of a budget that is freed at once when it is used up, as a divisor, so
// that dropping does not happen at every write.
const shedShare = 16

// headroom is the part of the process's budget, as a divisor, that only sessions within their
// fair share may use.
const headroom = 8

// budget counts what sessions hold. It is safe for concurrent use. Its lock comes after those
// of sessions and is held for a moment only; making room takes the locks of sessions one by
// one, so whoever asks for room holds none.
type budget struct {
	Limits
	indexing sync.WaitGroup // what records turns and jobs in the indexes of sessions

	mu   sync.Mutex
	used int
	held map[*Session]int // what each session holds; the sum is used
}

func newBudget(l Limits) *budget {
	l.Process = cmp.Or(l.Process, DefaultProcessMemory)
	l.Session = cmp.Or(l.Session, l.Process) // a session is not cut while the process has room for it
	return &budget{Limits: l, held: map[*Session]int{}}
}

// join begins to count a session.
func (b *budget) join(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[s] = sessionCost
	b.used += sessionCost
}

// leave forgets a session and all that it holds.
func (b *budget) leave(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= b.held[s]
	delete(b.held, s)
}

// total returns what all sessions hold.
func (b *budget) total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// heldBy returns what a session holds.
func (b *budget) heldBy(s *Session) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held[s]
}

// take charges a session for n bytes. Where a budget is used up it drops what is over, oldest
// first: of the session itself at its own budget, of the session that holds most at the
// process's, but never of one that is within its fair share. It fails with ErrFull or
// ErrServerFull if nothing is left to drop, and then nothing is charged. The caller holds no
// lock of a session.
func (b *budget) take(s *Session, n int) error {
	if n <= 0 {
		return nil // what was charged before is never refused
	}
	tried := map[*Session]bool{}
	for {
		victim, want, err := b.tryTake(s, n, tried)
		if victim == nil {
			return err
		}
		if victim.shed(want) == 0 {
			tried[victim] = true
		}
	}
}

// tryTake charges a session if there is room. If there is none, it returns which session has to
// drop how much, or why nothing can be dropped. tried are the sessions that have nothing left.
func (b *budget) tryTake(s *Session, n int, tried map[*Session]bool) (victim *Session, want int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, ok := b.held[s]
	if !ok {
		return nil, 0, nil // the session is gone, and its log says so
	}
	if over := own + n - b.Session; over > 0 {
		if n > b.Session || tried[s] {
			return nil, 0, fmt.Errorf("%w of %d bytes", ErrFull, b.Session)
		}
		return s, max(over, b.Session/shedShare), nil
	}
	limit, share := b.Process, b.Process/len(b.held)
	if own+n > share {
		limit -= limit / headroom
	}
	over := b.used + n - limit
	if over <= 0 {
		b.held[s], b.used = own+n, b.used+n
		return nil, 0, nil
	}
	most := 0
	for other, held := range b.held {
		if held > most && !tried[other] && (held > share || other == s && own+n > share) {
			victim, most = other, held
		}
	}
	if victim == nil {
		return nil, 0, fmt.Errorf("%w of %d bytes", ErrServerFull, b.Process)
	}
	return victim, max(over, b.Process/shedShare/shedShare), nil
}

// put charges a session for n bytes that it already holds, whether there is room or not.
func (b *budget) put(s *Session, n int) { b.give(s, -n) }

// give takes back a charge of n bytes.
func (b *budget) give(s *Session, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.held[s]; ok {
		b.held[s] -= n
		b.used -= n
	}
}

// Held returns what the session is charged, in bytes.
func (s *Session) Held() int { return s.budget.heldBy(s) }

// Hold charges the session for n bytes that the caller keeps for it outside of the log, until
// release is called; further calls of release do nothing. It fails with ErrFull or
// ErrServerFull, and release is then not nil either.
func (s *Session) Hold(n int) (release func(), err error) {
	if err := s.budget.take(s, n); err != nil {
		return func() {}, err
	}
	var released atomic.Bool
	return func() {
		if released.CompareAndSwap(false, true) {
			s.budget.give(s, n)
		}
	}, nil
}

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

// What is charged for an event besides its texts: its places in the log and in its job, its
// body, the fold of it, and the worker's ids. Measured against the heap by
// TestTheChargeIsTrueToTheHeap.
const (
	eventCost    = 1 << 10
	decisionCost = 512
	findingCost  = 96
	droppedCost  = 96 // of an entry of a Dropped event, with the id in it
)

// The ends of turns and jobs are charged when they begin, so that what is over can always be
// recorded, also in a session that is full.
const (
	turnPromise = 4 * eventCost
	jobPromise  = 4 * eventCost
	jobCost     = 2 * eventCost // the job itself, and its run in the server's registry
	threadCost  = 3 * eventCost // the event that opens it, the thread and its title
)

// costOf returns what an event with this body is charged, in bytes.
func costOf(b Body) int { return eventCost + b.cost() }

func (b ThreadOpened) cost() int { return textCost(b.Origin.Space, b.Origin.Participant) }
func (b TurnQueued) cost() int {
	return textCost(b.Input) + b.Workflow.cost() + findingsCost(b.Findings)
}
func (b TurnStarted) cost() int {
	return textCost(b.Input, b.Asked.By, b.Asked.Reason) + b.Workflow.cost() + findingsCost(b.Findings)
}
func (b Answered) cost() int { return textCost(b.Response, b.Conclusion) + findingsCost(b.Findings) }
func (b Noted) cost() int    { return textCost(b.From, b.To, b.Text) + findingsCost(b.Findings) }
func (b Narrated) cost() int { return textCost(b.Text, b.Thought) + findingsCost(b.Findings) }
func (b ToolCalled) cost() int {
	return textCost(b.Tool, b.To, b.Before, b.Rationale.Text) + valueCost(b.Params) + findingsCost(b.Findings)
}
func (b ToolReturned) cost() int {
	return textCost(b.Error) + valueCost(b.Result) + findingsCost(b.Findings)
}
func (StepWaits) cost() int       { return 0 }
func (StepEnded) cost() int       { return 0 }
func (b ApprovalAsked) cost() int { return textCost(b.Description) + valueCost(b.Shown) }
func (b ApprovalAnswered) cost() int {
	return valueCost(b.Value) + valueCost(b.Edited) + textCost(b.EditedBy) + findingsCost(b.Findings)
}
func (b DecisionRated) cost() int {
	return textCost(b.Note) + findingsCost(b.Findings)
}
func (b Spoken) cost() int    { return textCost(b.Text) }
func (NodeStarted) cost() int { return 0 }
func (b NodeEnded) cost() int {
	return textCost(b.Error) + valueCost(b.Outputs) + findingsCost(b.Findings)
}
func (w Workflow) cost() int { return valueCost(w.Inputs) + valueCost(w.Options) }
func (b Handoff) cost() int {
	who := textCost(b.Who.Name, b.Who.Model, b.Who.Effort)
	return textCost(b.Text) + len(b.From) + len(b.To) + who + findingsCost(b.Findings)
}
func (b TurnCompleted) cost() int {
	return textCost(b.Response, b.Conclusion) + findingsCost(b.Findings)
}
func (b TurnFailed) cost() int    { return textCost(b.Error) + findingsCost(b.Findings) }
func (TurnInterrupted) cost() int { return 0 }
func (Erased) cost() int          { return 0 }
func (b Dropped) cost() int       { return droppedCost * (len(b.Threads) + len(b.Jobs)) }

func (b JobOpened) cost() int {
	return jobCost + textCost(b.Title, b.Prompt) + valueCost(b.Metadata) + findingsCost(b.Findings)
}
func (b JobPrompted) cost() int { return textCost(b.Text) + findingsCost(b.Findings) }
func (b JobMessage) cost() int  { return textCost(b.Text) + findingsCost(b.Findings) }
func (b JobToolUse) cost() int {
	return textCost(b.Agent, b.Tool, b.Rationale.Text, b.Narrative, b.Thought, b.Before) + valueCost(b.Input) +
		findingsCost(b.Findings)
}
func (b JobToolResult) cost() int {
	return textCost(b.Agent, b.Tool, b.Error) + valueCost(b.Output) + findingsCost(b.Findings)
}
func (b JobReasoned) cost() int {
	n := textCost(b.Agent, b.Narrative, b.Thought) + findingsCost(b.Findings)
	for _, d := range b.Decisions {
		n += decisionCost + textCost(d.Tool, d.Rationale.Text) + findingsCost(d.Findings)
	}
	return n
}
func (b JobReported) cost() int  { return textCost(b.State, b.Message) + findingsCost(b.Findings) }
func (b JobEnded) cost() int     { return textCost(b.Message) + findingsCost(b.Findings) }
func (JobCancelled) cost() int   { return 0 }
func (b JobRestarted) cost() int { return b.Opened.cost() }

// textCost returns what texts are charged: their bytes, and what the allocator rounds up.
func textCost(all ...safety.Text) (n int) {
	for _, t := range all {
		n += len(t.String()) * 9 / 8
	}
	return n
}

// valueCost returns what a JSON value is charged.
func valueCost(v safety.JSON) int { return cap(v.Raw()) * 9 / 8 }

func findingsCost(list []safety.Finding) int { return findingCost * len(list) }
