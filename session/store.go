package session

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Store keeps sessions: users → sessions → threads. Every implementation passes
// the suite in package sessiontest.
type Store interface {
	// Open returns the user's session, making it when there is none, and counts
	// as use. It fails with ErrClosed after Close.
	Open(ctx context.Context, user string) (*Session, error)
	// Evict drops, whole, the sessions that nobody has used, watched or run a
	// turn in since the given time, and says how many.
	Evict(ctx context.Context, idleSince time.Time) (int, error)
	// Close makes every log take nothing more. Readers get what is left and stop.
	Close() error
}

// Memory is a Store that lives as long as its process.
type Memory struct {
	newID func() uuid.UUID

	mu       sync.Mutex
	sessions map[string]*Session
	closed   bool
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store. newID gives each new session its id; nil
// means random ones.
func NewMemory(newID func() uuid.UUID) *Memory {
	if newID == nil {
		newID = uuid.New
	}
	return &Memory{newID: newID, sessions: map[string]*Session{}}
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
		s = newSession(m.newID(), user)
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

// Close implements Store. It may be called more than once.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, s := range m.sessions {
		s.log.end(ErrClosed)
	}
	return nil
}
