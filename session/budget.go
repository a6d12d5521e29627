package session

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
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
