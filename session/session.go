package session

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"candor/safety"
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
	seen *safety.SeenSecrets

	mu       sync.RWMutex // guards the fold below and its order with respect to log
	threads  map[string]*thread
	jobs     map[string]*job
	active   string          // id of the thread used last
	approved map[string]bool // grants of the requests that the user answered with Always
	used     time.Time       // when the session was last used
}

// newSession returns an empty session. The ids of threads and messages are derived
// from the session's id and a position in the log, so a replay yields the same ids.
func newSession(id uuid.UUID, user string) *Session {
	s := &Session{
		id: id, user: user, log: Log{session: id.String()}, seen: safety.NewSeenSecrets(),
		threads: map[string]*thread{}, jobs: map[string]*job{}, approved: map[string]bool{}, used: time.Now(),
	}
	s.live = live{log: &s.log, running: map[Ref][]StepText{}}
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

// Accept makes a message the next turn of a thread. It appends a TurnStarted if the
// thread is idle. If a turn is open, it appends a TurnQueued, and the caller has to
// append the TurnStarted when the earlier turns have ended. Accept fails with
// ErrNoThread, or with ErrBusy if MaxWaiting messages already wait; a refused message
// uses up no turn number.
func (s *Session) Accept(threadID string, input safety.Text, findings []safety.Finding) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return Event{}, err
	}
	ref := Ref{Thread: threadID, Turn: len(th.turns) + 1}
	id := s.nextID("message")
	switch open := th.open(); {
	case open > MaxWaiting:
		return Event{}, fmt.Errorf("thread %s: %w", threadID, ErrBusy)
	case open > 0:
		return s.add(ref, TurnQueued{Message: id, Input: input, Findings: findings})
	}
	return s.add(ref, TurnStarted{Message: id, Input: input, Findings: findings})
}

// Append adds a fact about an open turn. It fails with ErrNoThread, ErrNoTurn or
// ErrTurnEnded, so a fact that arrives too late changes nothing.
func (s *Session) Append(ref Ref, b Body) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th, err := s.lookup(ref.Thread)
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

// Turn returns a snapshot of one turn. It fails with ErrNoThread or ErrNoTurn.
func (s *Session) Turn(threadID string, number int) (Turn, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return Turn{}, err
	}
	return th.turn(number)
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

// add appends an event of a thread to the log and folds it. The caller holds mu, so
// the fold sees events in log order.
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
	s.live.settle(e, e.Turn > 0 && th.turns[e.Turn-1].State.Ended())
	switch b := b.(type) {
	case ThreadOpened, TurnQueued, TurnStarted:
		s.active = ref.Thread
	case ApprovalAnswered:
		// The fold keeps the first answer of a request, so a later one approves nothing.
		c, ok := th.turns[ref.Turn-1].Call(b.Call)
		if ok && c.Approval != nil && c.Approval.Answer == Always && c.Approval.Grant != "" {
			s.approved[c.Approval.Grant] = true
		}
	}
	return e, nil
}

// nextID derives an id from the position of the next event. The caller holds mu, so
// no other event can take that position.
func (s *Session) nextID(kind string) string {
	position := kind + "/" + strconv.FormatUint(s.log.Head()+1, 10)
	return uuid.NewSHA1(s.id, []byte(position)).String()
}

// touch records that the session is in use.
func (s *Session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// retire ends the session's log and reports true if the session has been idle since
// the given time: it was not used, has no reader and no open turn.
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
