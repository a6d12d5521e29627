package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"candor/safety"
)

// MaxWaiting is how many messages a thread holds while a turn runs.
const MaxWaiting = 10

// Session is one user's log and its fold: threads, each with its turns. It
// outlives connections. It is safe for concurrent use, what it returns is a
// snapshot, and it holds no lock once a method has returned.
type Session struct {
	id   uuid.UUID
	user string
	log  Log

	mu       sync.RWMutex
	threads  map[string]*thread
	jobs     map[string]*job
	active   string
	approved map[string]bool // tools that "always" was answered for
	used     time.Time
}

// newSession is an empty session. Ids of threads and messages are derived from
// its id and their place in the log, so a replay gives the same ones.
func newSession(id uuid.UUID, user string) *Session {
	return &Session{
		id: id, user: user, log: Log{session: id.String()},
		threads: map[string]*thread{}, jobs: map[string]*job{}, approved: map[string]bool{}, used: time.Now(),
	}
}

// ID is the session's id, a UUID.
func (s *Session) ID() string { return s.log.session }

// User is whose session it is.
func (s *Session) User() string { return s.user }

// Head is the number of the log's latest event.
func (s *Session) Head() uint64 { return s.log.Head() }

// OpenThread begins a conversation and makes it the active one.
func (s *Session) OpenThread() (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(Ref{Thread: s.nextID("thread")}, ThreadOpened{})
}

// Accept gives a message the thread's next turn. The event is a TurnStarted
// when the thread was idle and a TurnQueued when a turn runs; then it falls to
// the caller to append the TurnStarted later. It fails with ErrNoThread, and
// with ErrBusy when MaxWaiting messages wait already.
func (s *Session) Accept(threadID string, input safety.Text, found []safety.Finding) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th, err := s.thread(threadID)
	if err != nil {
		return Event{}, err
	}
	ref := Ref{Thread: threadID, Turn: len(th.turns) + 1}
	id := s.nextID("message")
	switch open := th.open(); {
	case open > MaxWaiting:
		return Event{}, fmt.Errorf("thread %s: %w", threadID, ErrBusy)
	case open > 0:
		return s.add(ref, TurnQueued{Message: id, Input: input, Findings: found})
	}
	return s.add(ref, TurnStarted{Message: id, Input: input, Findings: found})
}

// Append adds a fact about an existing turn. It fails with ErrNoThread,
// ErrNoTurn, or ErrTurnEnded, so what arrives too late changes nothing.
func (s *Session) Append(ref Ref, b Body) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th, err := s.thread(ref.Thread)
	if err != nil {
		return Event{}, err
	}
	t, err := th.turn(ref.Turn)
	if err != nil {
		return Event{}, err
	}
	if t.State.Ended() {
		return Event{}, fmt.Errorf("turn %d: %w", ref.Turn, ErrTurnEnded)
	}
	return s.add(ref, b)
}

// Turn is a snapshot of one turn. It fails with ErrNoThread or ErrNoTurn.
func (s *Session) Turn(threadID string, number int) (Turn, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.thread(threadID)
	if err != nil {
		return Turn{}, err
	}
	return th.turn(number)
}

// Approved reports whether the user answered "always" for a tool in this session.
func (s *Session) Approved(tool string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.approved[tool]
}

// Active is the thread that was opened or written to last, "" when there is none.
func (s *Session) Active() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.active
}

// Threads are snapshots of all threads, the one used last first.
func (s *Session) Threads() []Thread {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Thread, 0, len(s.threads))
	for _, th := range s.threads {
		all = append(all, th.snapshot())
	}
	slices.SortFunc(all, func(a, b Thread) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Thread is a snapshot of one thread, or ErrNoThread.
func (s *Session) Thread(id string) (Thread, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.thread(id)
	if err != nil {
		return Thread{}, err
	}
	return th.snapshot(), nil
}

// History is a page of a thread's turns, or ErrNoThread.
func (s *Session) History(threadID string, p Page) (History, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.thread(threadID)
	if err != nil {
		return History{}, err
	}
	return th.page(p), nil
}

// Update is an event together with the turn it led to, the event included. Turn
// is the zero value for an event about a thread.
type Update struct {
	Event Event
	Turn  Turn
}

// Watch is Log.Follow with each event's turn folded beside it.
func (s *Session) Watch(ctx context.Context, after uint64) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		turns := map[Ref]Turn{}
		for e, err := range s.log.Follow(ctx, s.rewind(after)) {
			if err != nil {
				yield(Update{}, err)
				return
			}
			up := Update{Event: e}
			if e.Turn > 0 {
				up.Turn = turns[e.turn()].Apply(e)
				turns[e.turn()] = up.Turn
				if up.Turn.State.Ended() {
					delete(turns, e.turn())
				}
			}
			if e.Seq > after && !yield(up, nil) {
				return
			}
		}
	}
}

// rewind is the number to fold from so that the turns that were open after the
// given event are whole.
func (s *Session) rewind(after uint64) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	from := after
	for _, th := range s.threads {
		for _, t := range slices.Backward(th.turns) {
			if t.State.Ended() && t.LastSeq <= after {
				break // turns end in order, so no earlier one was open
			}
			if t.FirstSeq <= after {
				from = min(from, t.FirstSeq-1)
			}
		}
	}
	return from
}

// add appends to the log and folds, an event of a thread. The caller holds mu.
func (s *Session) add(ref Ref, b Body) (Event, error) {
	e, err := s.log.Append(ref, b)
	if err != nil {
		return Event{}, err
	}
	s.used = time.Now()
	th := s.threads[ref.Thread]
	if th == nil {
		th = &thread{id: ref.Thread, created: e.At}
		s.threads[ref.Thread] = th
	}
	th.apply(e)
	switch b := b.(type) {
	case ThreadOpened, TurnQueued, TurnStarted:
		s.active = ref.Thread
	case ApprovalAnswered:
		if c, ok := th.turns[ref.Turn-1].Call(b.Call); ok && b.Answer == Always {
			s.approved[c.Tool.String()] = true
		}
	}
	return e, nil
}

// nextID is the id that goes with the next event. The caller holds mu, so no
// other event can take that place.
func (s *Session) nextID(kind string) string {
	place := kind + "/" + strconv.FormatUint(s.log.Head()+1, 10)
	return uuid.NewSHA1(s.id, []byte(place)).String()
}

// RequestID is the id of the question about a call.
func (s *Session) RequestID(ref Ref, call string) string {
	return uuid.NewSHA1(s.id, fmt.Appendf(nil, "approval/%s/%d/%s", ref.Thread, ref.Turn, call)).String()
}

func (s *Session) thread(id string) (*thread, error) {
	th, ok := s.threads[id]
	if !ok {
		return nil, ErrNoThread
	}
	return th, nil
}

// touch notes that the session was asked for.
func (s *Session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// retire ends the session if it has been idle since the given time: not used,
// not watched, no turn open.
func (s *Session) retire(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.After(since) || s.log.watched() {
		return false
	}
	for _, th := range s.threads {
		if th.open() > 0 {
			return false
		}
	}
	s.log.end(ErrEvicted)
	return true
}
