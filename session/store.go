package session

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Store keeps one session for each user. Every implementation is in this package, since only
// it can make a [Session], and has to pass the suite in package sessiontest. All methods are safe
// for concurrent use.
type Store interface {
	// Open returns the user's session and creates it if there is none. Opening counts
	// as use of the session. It fails with ErrClosed after Close.
	Open(ctx context.Context, user string) (*Session, error)
	// Evict drops every session that has been idle since the given time and returns
	// how many it dropped. An idle session was not used and has neither a reader nor
	// an open turn.
	Evict(ctx context.Context, idleSince time.Time) (int, error)
	// Close makes all logs refuse further events. Readers receive the events that are
	// left and then stop.
	Close() error
}

// Memory is a Store in the memory of this process.
type Memory struct {
	newID  func() uuid.UUID
	budget *budget

	mu       sync.Mutex
	sessions map[string]*Session // by user
	closed   bool
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store. newID makes the ids of new sessions; nil means
// random ids. Its sessions have the default [Limits].
func NewMemory(newID func() uuid.UUID) *Memory {
	if newID == nil {
		newID = uuid.New
	}
	return &Memory{newID: newID, budget: newBudget(Limits{}), sessions: map[string]*Session{}}
}

// Within sets the limits of the store's sessions, before the first is opened, and returns the
// store.
func (m *Memory) Within(l Limits) *Memory {
	m.budget = newBudget(l)
	return m
}

// Held returns what all sessions are charged together, in bytes.
func (m *Memory) Held() int { return m.budget.total() }

// Count returns how many sessions the store holds.
func (m *Memory) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sessions)
}

// Ready returns ErrClosed after Close: the store takes nothing any more.
func (m *Memory) Ready() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		return nil
	}
	return ErrClosed
}

// Open implements Store.
func (m *Memory) Open(_ context.Context, user string) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	s, ok := m.sessions[user]
	if !ok {
		s = newSession(m.newID(), user, m.budget)
		m.sessions[user] = s
	}
	s.touch()
	return s, nil
}

// Evict implements Store.
func (m *Memory) Evict(_ context.Context, idleSince time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for user, s := range m.sessions {
		if s.retire(idleSince) {
			delete(m.sessions, user)
			n++
		}
	}
	return n, nil
}

// Remove drops a user's session at once, in use or not. Its readers receive the events that
// are left and then stop; appending to it fails with ErrEvicted. Remove never fails.
func (m *Memory) Remove(_ context.Context, user string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.sessions[user]; ok {
		s.end()
		delete(m.sessions, user)
	}
	return nil
}

// Close implements Store. It may be called more than once and never fails.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, s := range m.sessions {
		s.log.end(ErrClosed)
		s.closeIndex()
	}
	return nil
}
