package journaltest_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"candor/session/journal"
)

// memory is an engine that keeps everything in maps. What it keeps stays when it is closed and opened again.
type memory struct {
	mu        sync.Mutex
	frames    map[string][]journal.Frame
	users     map[string]string
	snapshots map[string][]byte
	closed    bool
}

func newMemory() *memory {
	return &memory{frames: map[string][]journal.Frame{}, users: map[string]string{}, snapshots: map[string][]byte{}}
}

// engine opens it.
func (m *memory) engine() journal.Engine {
	m.closed = false
	return journal.Engine{Frames: m, Directory: m, Snapshots: m, Status: m.status,
		Close: func() error { m.mu.Lock(); defer m.mu.Unlock(); m.closed = true; return nil }}
}

func (m *memory) status() journal.Status {
	s := journal.Status{Name: "memory", Bytes: 1}
	if m.closed {
		s.Ready = journal.ErrClosed
	}
	return s
}

// lock locks the engine, unless it is closed or ctx has ended.
func (m *memory) lock(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return journal.ErrClosed
	}
	if ctx.Err() != nil {
		m.mu.Unlock()
		return errors.Join(journal.ErrUnavailable, ctx.Err())
	}
	return nil
}

func copied(f journal.Frame) journal.Frame {
	return journal.Frame{First: f.First, Last: f.Last, Data: bytes.Clone(f.Data)}
}

func (m *memory) end(session string) uint64 {
	if n := len(m.frames[session]); n > 0 {
		return m.frames[session][n-1].Last
	}
	return 0
}

func (m *memory) Append(ctx context.Context, session string, f journal.Frame) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if f.First != m.end(session)+1 {
		return journal.ErrConflict
	}
	m.frames[session] = append(m.frames[session], copied(f))
	return nil
}

func (m *memory) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		if err := m.lock(ctx); err != nil {
			yield(journal.Frame{}, err)
			return
		}
		frames := slices.Clone(m.frames[session])
		m.mu.Unlock()
		for _, f := range frames {
			if f.Last >= from && !yield(copied(f), nil) {
				return
			}
		}
	}
}

func (m *memory) Replace(ctx context.Context, session string, with []journal.Frame) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	frames := slices.Clone(m.frames[session])
	for n, f := range with {
		first := slices.IndexFunc(frames, func(old journal.Frame) bool { return old.First == f.First })
		last := slices.IndexFunc(frames, func(old journal.Frame) bool { return old.Last == f.Last })
		if first < 0 || last < first || n > 0 && f.First <= with[n-1].Last {
			return errors.New("no such frames")
		}
		frames = slices.Replace(frames, first, last+1, copied(f))
	}
	m.frames[session] = frames
	return nil
}

func (m *memory) Open(ctx context.Context, user, id string) (string, error) {
	if err := m.lock(ctx); err != nil {
		return "", err
	}
	defer m.mu.Unlock()
	if _, ok := m.users[user]; !ok {
		m.users[user] = id
	}
	return m.users[user], nil
}

func (m *memory) Users(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if err := m.lock(ctx); err != nil {
			yield(journal.Entry{}, err)
			return
		}
		all := maps.Clone(m.users)
		m.mu.Unlock()
		for user, session := range all {
			if !yield(journal.Entry{User: user, Session: session}, nil) {
				return
			}
		}
	}
}

func (m *memory) Remove(ctx context.Context, user string) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	session := m.users[user]
	delete(m.users, user)
	delete(m.frames, session)
	delete(m.snapshots, session)
	return nil
}

func (m *memory) Save(ctx context.Context, session string, data []byte) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.snapshots[session] = bytes.Clone(data)
	return nil
}

func (m *memory) Load(ctx context.Context, session string) ([]byte, error) {
	if err := m.lock(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	if len(m.snapshots[session]) == 0 {
		return nil, journal.ErrNoSnapshot
	}
	return bytes.Clone(m.snapshots[session]), nil
}
