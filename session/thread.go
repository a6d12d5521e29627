package session

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"candor/safety"
)

// Thread describes one conversation.
type Thread struct {
	ID        string
	State     State       // Processing while a turn is open, else Completed
	Turns     int         // number of turns, including those that wait or were dropped
	Dropped   int         // the first turns, which were dropped from memory
	Title     safety.Text // the whole first message; empty before it
	CreatedAt time.Time
	UpdatedAt time.Time // time of the thread's latest event that is no rating
	Requests  []string  // the requests for an approval that are open, nil if there is none
	Origin    Origin    // of an observed thread
	Attached  Attached  // of a thread of an attached agent
	Told      time.Time // of such a thread: the latest Told of its open turns, zero if there is none
}

// Page selects the newest Limit turns that were created before Before. A zero Limit
// selects all of them, and a zero Before starts at the latest turn.
type Page struct {
	Limit  int
	Before time.Time
}

// History is a page of turns, oldest first.
type History struct {
	Thread  string
	Turns   []Turn
	HasMore bool   // older turns exist
	Dropped int    // the thread's first turns, which were dropped from memory
	Head    uint64 // number of the latest event: the turns have all that happened up to it, and nothing later
}

// maxKeptTitle bounds a title that outlives its turn, in bytes.
const maxKeptTitle = 512

// OpenThread begins a conversation and makes it the active one. The new thread's id
// is in the event that OpenThread returns.
func (s *Session) OpenThread() (e Event, err error) {
	err = s.charged(threadCost, func() (int, error) {
		e, err = s.add(Ref{Thread: s.nextID("thread")}, ThreadOpened{})
		return threadCost, err
	})
	return e, err
}

// NamedID returns the id of the thread to which a client gave a name. It depends on the
// session and the name only, and the thread need not be open.
func (s *Session) NamedID(name string) string {
	return uuid.NewSHA1(s.id, []byte("named/"+name)).String()
}

// OpenNamed opens the thread with the client's name for it, unless it is already open,
// and returns its id.
func (s *Session) OpenNamed(name string) (id string, err error) {
	id = s.NamedID(name)
	err = s.charged(threadCost, func() (int, error) {
		if s.threads[id] != nil {
			return 0, nil
		}
		_, err := s.add(Ref{Thread: id}, ThreadOpened{})
		return threadCost, err
	})
	return id, err
}

// Active returns the id of the thread that was last opened or written to, or "" if
// there is none.
func (s *Session) Active() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.active
}

// Threads returns snapshots of all threads, the most recently used first.
func (s *Session) Threads() []Thread {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Thread, 0, len(s.threads))
	for _, th := range s.threads {
		all = append(all, th.describe())
	}
	slices.SortFunc(all, func(a, b Thread) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Thread returns a snapshot of one thread. It fails with ErrNoThread.
func (s *Session) Thread(id string) (Thread, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(id)
	if err != nil {
		return Thread{}, err
	}
	return th.describe(), nil
}

// History returns a page of a thread's turns. It fails with ErrNoThread.
func (s *Session) History(threadID string, p Page) (History, error) {
	h, cold, err := s.page(threadID, p)
	if err != nil || len(cold) == 0 {
		return h, err
	}
	older, err := s.foldKept(marked(threadID, cold))
	if err != nil {
		return History{}, err
	}
	h.Turns = append(turnsOf(older), h.Turns...)
	return h, nil
}

// page returns a page of a thread's turns without those of it that are not in memory, whose marks it
// returns.
func (s *Session) page(threadID string, p Page) (h History, cold []mark, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err == nil {
		err = th.harm
	}
	if err != nil {
		return History{}, nil, err
	}
	h, cold = th.page(p)
	h.Head = s.log.Head() // nothing is appended while mu is held
	return h, cold, nil
}

// lookup returns the thread with the given id or ErrNoThread. The caller holds mu.
func (s *Session) lookup(id string) (*thread, error) {
	th, ok := s.threads[id]
	if !ok {
		return nil, ErrNoThread
	}
	return th, nil
}

// thread is the fold of one conversation's events. Its session's lock guards it.
type thread struct {
	id       string
	opened   uint64 // number of its first event
	entered  uint64 // number of the latest event with which its user opened it or wrote to it
	created  time.Time
	updated  time.Time
	origin   Origin
	title    safety.Text // of the first turn, if that is not in memory
	dropped  int         // the first turns, which were dropped
	cold     int         // the first turns, which are not in memory; those after the dropped ones are in the journal
	marks    []mark      // marks[i] is that of the turn dropped+i+1
	turns    []folding   // turns[i].Number == cold+i+1
	keys     []string    // of the turns of an attached agent, from the first
	attached Attached    // of an attached agent
	ratings  int         // of decisions, those that were changed, withdrawn or dropped included
	harm     error       // why nothing of it is read: events of it are missing
	ended    int         // how many of turns have ended from the first on; those after them are open
}

// mark says where the events of a turn are in the log, among those of others.
type mark struct {
	number      int
	first, last uint64
	created     time.Time
	cost        int // what its events are charged while they are in memory
}

// apply folds an event of the thread. An event of a turn that does not exist yet
// creates it, and Session makes sure that this is the next one.
func (th *thread) apply(e Event) {
	_, rates := e.Body.(DecisionRated)
	if rates {
		th.ratings++ // which is no news of the conversation
	} else {
		th.updated = e.At
	}
	if e.Turn == 0 {
		if b, ok := e.Body.(ThreadOpened); ok {
			th.origin, th.opened = b.Origin, e.Seq
		}
		if b, ok := e.Body.(Sighted); ok {
			th.attached = th.attached.hear(e, b)
		}
		return
	}
	if b, ok := e.Body.(Sighted); ok {
		th.keep(e.Turn, b.Key)
		th.attached = th.attached.hear(e, b)
	}
	if e.Turn > th.total()+1 {
		th.skip(e.Turn - 1)
	}
	if e.Turn > th.total() {
		th.turns = append(th.turns, folding{})
		th.marks = append(th.marks, mark{number: e.Turn, first: e.Seq, created: e.At})
	}
	m := th.mark(e.Turn)
	m.last = e.Seq
	m.cost += costOf(e.Body)
	if e.Turn <= th.cold {
		return // a late event, which is folded when the turn is read back
	}
	at := e.Turn - 1 - th.cold
	th.turns[at] = th.turns[at].apply(e)
	for th.ended < len(th.turns) && th.turns[th.ended].ended() {
		th.ended++
	}
}

// skip makes the thread's turns up to a number dropped ones. Retention erased all of their events
// from a journal that is read anew.
func (th *thread) skip(through int) {
	th.turns, th.marks, th.ended = nil, nil, 0
	th.dropped, th.cold, th.title = through, through, safety.Text{}
}

// mark returns where a turn's events are, nil if there is no such turn or it was dropped.
func (th *thread) mark(number int) *mark {
	if at := number - 1 - th.dropped; at >= 0 && at < len(th.marks) {
		return &th.marks[at]
	}
	return nil
}

// open returns the number of turns that run or wait.
func (th *thread) open() int { return len(th.turns) - th.ended }

// total returns the number of turns ever begun.
func (th *thread) total() int { return th.cold + len(th.turns) }

// over reports whether the turn with a number has ended. Those that are not in memory have.
func (th *thread) over(number int) bool {
	return number <= th.cold || th.turns[number-1-th.cold].ended()
}

// turn returns the turn with the given number, ErrNoTurn or ErrDropped. Of a turn that is not in
// memory it returns errCold.
func (th *thread) turn(number int) (folding, error) {
	switch {
	case number < 1 || number > th.total():
		return folding{}, fmt.Errorf("%w: %d of %d", ErrNoTurn, number, th.total())
	case th.harm != nil:
		return folding{}, th.harm
	case number <= th.dropped:
		return folding{}, fmt.Errorf("turn %d: %w", number, ErrDropped)
	case number <= th.cold:
		return folding{}, errCold
	}
	return th.turns[number-1-th.cold], nil
}

// describe returns the thread's description.
func (th *thread) describe() Thread {
	t := Thread{
		ID: th.id, State: Completed, Turns: th.total(), Dropped: th.dropped, Title: th.title,
		CreatedAt: th.created, UpdatedAt: th.updated, Origin: th.origin, Attached: th.attached, Told: th.told(),
	}
	if th.open() > 0 && th.harm == nil {
		t.State = Processing
	}
	for request := range th.requests() {
		t.Requests = append(t.Requests, request)
	}
	if t.Title.Empty() && len(th.turns) > 0 && th.cold == th.dropped {
		t.Title = th.turns[0].head.Input
	}
	return t
}

// page returns the selected turns, without those that are not in memory, and the marks of those.
// No two turns share a creation time, so a page that begins where another one ended neither
// repeats nor skips a turn.
func (th *thread) page(p Page) (History, []mark) {
	end := len(th.marks)
	if !p.Before.IsZero() {
		end, _ = slices.BinarySearchFunc(th.marks, p.Before, func(m mark, before time.Time) int {
			return m.created.Compare(before)
		})
	}
	start := 0
	if p.Limit > 0 {
		start = max(0, end-p.Limit)
	}
	cold := th.cold - th.dropped // how many of the marks are those of turns that are not in memory
	return History{
		Thread: th.id, Turns: turnsOf(th.turns[max(0, start-cold):max(0, end-cold)]), HasMore: start > 0,
		Dropped: th.dropped,
	}, slices.Clone(th.marks[min(start, cold):min(end, cold)])
}
