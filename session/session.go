package session

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"candor/safety"
	"candor/session/journal"
)

// MaxWaiting is how many messages may wait in a thread while a turn runs.
const MaxWaiting = 10

// Session is one user's log together with its fold: threads with their turns, and
// jobs. It outlives the user's connections. A Session is safe for concurrent use, and
// everything its methods return is a snapshot.
type Session struct {
	id   uuid.UUID
	user string
	log  Log
	live live

	shared sharedFold
	seen   *safety.SeenSecrets

	budget *budget

	saving    sync.Mutex        // held while a snapshot is saved; comes before mu
	snapshots journal.Snapshots // nil for a session in memory only, and once it was removed; guarded by saving
	saved     atomic.Uint64     // the latest event of the snapshot there

	mu       sync.RWMutex // guards the fold below and its order with respect to log
	threads  map[string]*thread
	jobs     map[string]*job
	active   string          // id of the thread used last
	approved map[string]bool // grants of the requests that the user answered with Always
	used     time.Time       // when the session was last used

	droppedJobs int // jobs of which nothing is left
	noticed     int // what events in memory are charged that belong to nothing else there: see strays

	outlines outlines // not guarded by mu
	indexed  indexed  // the same

	sizeOf func(ctx context.Context, session string) (int64, error) // nil if the engine cannot tell

	harmed     map[Ref]error     // threads and jobs of which events are missing
	unfinished []erasure         // whose bytes the storage may still have
	claims     map[Ref]uuid.UUID // who began the open turns that this process did not begin
}

// newSession returns an empty session. The ids of threads and messages are derived
// from the session's id and a position in the log, so a replay yields the same ids.
func newSession(id uuid.UUID, user string, b *budget) *Session {
	s := &Session{
		id: id, user: user, log: Log{session: id.String()}, seen: safety.SeenSecretsOf(user), budget: b,
		threads: map[string]*thread{}, jobs: map[string]*job{}, approved: map[string]bool{}, used: time.Now(),
		claims: map[Ref]uuid.UUID{},
	}
	s.live = live{log: &s.log, running: map[Ref][]StepText{}}
	b.join(s)
	return s
}

// ID returns the session's id, a UUID.
func (s *Session) ID() string { return s.log.session }

// User returns the id of the user who owns the session.
func (s *Session) User() string { return s.user }

// Seen returns the memory of the secrets that the session's texts have named. Whoever cleans
// a text for the session uses a layer with it; see [safety.Layer.Remember]. It ends with the
// session.
func (s *Session) Seen() *safety.SeenSecrets { return s.seen }

// Head returns the number of the log's latest event, or 0 for an empty log.
func (s *Session) Head() uint64 { return s.log.Head() }

// Gone returns the number of the latest event that told what was dropped and is itself no
// longer in the log, or 0. A reader at an earlier position has to begin anew: nothing in the
// log can tell it all that it missed.
func (s *Session) Gone() uint64 { return s.log.gone.Load() }

// Accept makes a message the next turn of a thread. It appends a TurnStarted if the
// thread is idle. If a turn is open, it appends a TurnQueued, and the caller has to
// append the TurnStarted when the earlier turns have ended. Accept fails with
// ErrNoThread, with ErrObserved, with ErrBusy if MaxWaiting messages already wait, or with ErrFull or
// ErrServerFull; a refused message uses up no turn number.
func (s *Session) Accept(threadID string, input safety.Text, findings []safety.Finding) (Event, error) {
	return s.accept(threadID, TurnStarted{Input: input, Findings: findings})
}

// AcceptNamed is Accept for a message whose id a client's name for its request decides, as [Session.MessageID] returns
// it, so that the turn of a request that comes again can be found.
func (s *Session) AcceptNamed(
	threadID, message string, input safety.Text, findings []safety.Finding,
) (Event, error) {
	return s.accept(threadID, TurnStarted{Message: message, Input: input, Findings: findings})
}

// MessageID returns the id of the message of a request that a client gave a name.
func (s *Session) MessageID(name string) string {
	return uuid.NewSHA1(s.id, []byte("request/"+name)).String()
}

// accept is Accept for a turn that begins with b, whose message it sets unless it is named.
func (s *Session) accept(threadID string, b TurnStarted) (e Event, err error) {
	queued := TurnQueued{Input: b.Input, Workflow: b.Workflow, Findings: b.Findings}
	once := costOf(queued) + turnPromise
	twice := once + Turn{Input: b.Input, Workflow: b.Workflow, Findings: Merge(b.Findings)}.startCost()
	err = s.charged(twice, func() (int, error) {
		th, err := s.lookup(threadID)
		if err != nil {
			return 0, err
		}
		if th.origin.Observed() {
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrObserved)
		}
		if b.Workflow.Request != "" && th.total() > 0 {
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrRepeated)
		}
		ref := Ref{Thread: threadID, Turn: th.total() + 1}
		b.Message = cmp.Or(b.Message, s.nextID("message"))
		queued.Message = b.Message
		switch open := th.open(); {
		case open > MaxWaiting:
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrBusy)
		case open > 0:
			e, err = s.add(ref, queued)
			return twice, err // its start is charged as well
		}
		e, err = s.add(ref, b)
		return once, err
	})
	return e, err
}

// charged calls do with mu held, once there is room for n bytes, and takes back what do, which
// returns what it used, did not need or what it failed to do. If another process was first to append
// to the session, charged catches up and calls do again, as if it had come second. The caller does
// not hold mu.
func (s *Session) charged(n int, do func() (used int, err error)) error {
	if most := s.budget.Disk; n > 0 && most > 0 && s.log.stored.Load()+int64(n) > int64(most) && s.sizeOf != nil {
		return fmt.Errorf("%w: %d bytes", ErrDiskFull, most)
	}
	if err := s.budget.take(s, n); err != nil {
		return err
	}
	used, err := s.locked(do)
	if err == errBehind {
		used, err = s.behind(do)
	}
	if err != nil {
		used = 0
	}
	if used != n {
		s.budget.give(s, n-used)
	}
	s.indexSoon()
	return err
}

// locked calls do with mu held.
func (s *Session) locked(do func() (used int, err error)) (used int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return do()
}

// Append adds a fact about an open turn. It fails with ErrNoThread, ErrNoTurn or
// ErrTurnEnded, so a fact that arrives too late changes nothing, unless the turn is observed,
// of which only a second end is too late. It fails, too, with ErrFull or
// ErrServerFull. The start of a turn that waited always has room, and so has a short end.
func (s *Session) Append(ref Ref, b Body) (e Event, err error) {
	t, err := s.Turn(ref.Thread, ref.Turn)
	if err != nil {
		return Event{}, err
	}
	n := t.nextCost(b)
	err = s.charged(max(n, 0), func() (int, error) {
		th, err := s.lookup(ref.Thread)
		if err != nil {
			return 0, err
		}
		f, err := th.turn(ref.Turn)
		if err != nil && err != errCold {
			return 0, err
		}
		t := f.head
		if th.over(ref.Turn) && !(th.origin.Observed() && follows(b)) {
			return 0, fmt.Errorf("turn %d: %w", ref.Turn, ErrTurnEnded)
		}
		e, err = s.add(ref, t.repeat(b))
		return t.nextCost(b), err
	})
	return e, err
}

// nextCost returns what the turn's next event is charged. The start and the end of a turn were
// charged when it was accepted, so this may be negative.
func (t Turn) nextCost(b Body) int {
	switch b.(type) {
	case TurnStarted:
		if t.State == Queued {
			return 0
		}
	case TurnInterrupted, TurnFailed, TurnCompleted:
		n := costOf(b) - turnPromise
		if t.State == Queued {
			n -= t.startCost()
		}
		return n
	}
	return costOf(b)
}

// startCost returns what the start of a turn that waits is charged.
func (t Turn) startCost() int {
	return costOf(TurnStarted{Input: t.Input, Workflow: t.Workflow, Findings: t.Findings})
}

// repeat makes the start of a turn that waits repeat its message.
func (t Turn) repeat(b Body) Body {
	if _, starts := b.(TurnStarted); starts && t.State == Queued {
		return TurnStarted{Message: t.Message, Input: t.Input, Workflow: t.Workflow, Findings: t.Findings}
	}
	return b
}

// Turn returns a snapshot of one turn. It fails with ErrNoThread or ErrNoTurn.
func (s *Session) Turn(threadID string, number int) (Turn, error) {
	f, err := s.folded(threadID, number)
	return f.turn(), err
}

// folded is like Turn for a caller that may not need the turn's steps.
func (s *Session) folded(threadID string, number int) (folding, error) {
	f, m, err := s.warmTurn(threadID, number)
	if err != errCold {
		return f, err
	}
	turns, err := s.foldKept([]turnMark{{threadID, m}})
	if err != nil {
		return folding{}, err
	}
	return turns[0], nil
}

// warmTurn returns a turn that is in memory, or errCold and the mark of one that is not.
func (s *Session) warmTurn(threadID string, number int) (f folding, m mark, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return folding{}, mark{}, err
	}
	if f, err = th.turn(number); err == errCold {
		m = *th.mark(number)
	}
	return f, m, err
}

// Approved reports whether the user has answered Always to a request with this grant.
func (s *Session) Approved(grant string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.approved[grant]
}

// RequestID returns the id of the approval request for a call of the turn.
func (s *Session) RequestID(ref Ref, call string) string {
	return uuid.NewSHA1(s.id, fmt.Appendf(nil, "approval/%s/%d/%s", ref.Thread, ref.Turn, call)).String()
}

// touch records that the session is in use, and reports whether it still can be: it was neither
// evicted nor removed.
func (s *Session) touch() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	return !s.log.evicted()
}

// untouched makes the session one that nobody has used.
func (s *Session) untouched() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Time{}
}

// retire ends the session's log and reports true if the session has been idle since
// the given time: it was not used, has no reader and no open turn. It reports false if another
// call has retired it.
func (s *Session) retire(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.After(since) || s.log.watched() || s.log.evicted() {
		return false
	}
	for _, th := range s.threads {
		if th.open() > 0 {
			return false
		}
	}
	s.end()
	return true
}

// end ends the session's log and gives back all that the session holds.
func (s *Session) end() {
	s.log.end(ErrEvicted)
	s.closeIndex()
	s.budget.leave(s)
}
