package backup_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/backup"
)

// memory is an engine in maps. during, if it is set, is called before each frame that is read.
type memory struct {
	frames map[string][]journal.Frame
	users  map[string]string
	during func(session string, f journal.Frame) error
	order  []string // what was done, such as "frame one" and "user ann"
	full   int      // appends that are left; below 0 they are refused
}

func newMemory() *memory {
	return &memory{frames: map[string][]journal.Frame{}, users: map[string]string{}, full: 1 << 30}
}

// engine is the memory as engines are handed around. A backup needs neither snapshots nor a status.
func (m *memory) engine() journal.Engine { return journal.Engine{Frames: m, Directory: m} }

var errFull = errors.New("the disk is full")

// Append does not look at what stands there: that is for the engines' own suite.
func (m *memory) Append(_ context.Context, session string, f journal.Frame) error {
	if m.full--; m.full < 0 {
		return errFull
	}
	m.order = append(m.order, "frame "+session)
	f.Data = bytes.Clone(f.Data)
	m.frames[session] = append(m.frames[session], f)
	return nil
}

// Read yields the frames of the moment at which it began, and asks during before each.
func (m *memory) Read(_ context.Context, session string, _ uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		for _, f := range slices.Clone(m.frames[session]) {
			if m.during != nil {
				if err := m.during(session, f); err != nil {
					yield(journal.Frame{}, err)
					return
				}
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Replace puts frames in the place of those within their numbers.
func (m *memory) Replace(_ context.Context, session string, with []journal.Frame) error {
	for _, w := range with {
		kept := slices.DeleteFunc(slices.Clone(m.frames[session]), func(f journal.Frame) bool {
			return f.First >= w.First && f.Last <= w.Last
		})
		at := slices.IndexFunc(kept, func(f journal.Frame) bool { return f.First > w.Last })
		if at < 0 {
			at = len(kept)
		}
		m.frames[session] = slices.Insert(kept, at, w)
	}
	return nil
}

// Open notes when a user became known.
func (m *memory) Open(_ context.Context, user, id string) (string, error) {
	if m.users[user] == "" {
		m.order = append(m.order, "user "+user)
		m.users[user] = id
	}
	return m.users[user], nil
}

// Users yields the users by name.
func (m *memory) Users(context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for _, user := range slices.Sorted(maps.Keys(m.users)) {
			if !yield(journal.Entry{User: user, Session: m.users[user]}, nil) {
				return
			}
		}
	}
}

// Remove forgets a user.
func (m *memory) Remove(_ context.Context, user string) error {
	delete(m.frames, m.users[user])
	delete(m.users, user)
	return nil
}

// add gives a user a session with so many appends of two events.
func (m *memory) add(t *testing.T, user, session string, appends int) *journal.Journal {
	t.Helper()
	_, err := m.Open(t.Context(), user, session)
	require.NoError(t, err)
	j := journal.Open(m, session, uuid.New())
	for i := range appends {
		require.NoError(t, j.Append(t.Context(), 2, []byte(session+" says "+string(rune('a'+i)))))
	}
	return j
}

// batches returns what a session has.
func batches(t *testing.T, m *memory, session string) (all []journal.Batch) {
	t.Helper()
	for b, err := range journal.Open(m, session, uuid.Nil).Read(t.Context(), 1, &journal.Sum{}) {
		require.NoError(t, err)
		all = append(all, b)
	}
	return all
}

var (
	monday = time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC)
	made   = backup.Created{At: monday, Engine: "memory"}
)

// written returns a backup of an engine.
func written(t *testing.T, m *memory, items ...backup.Item) ([]byte, backup.Report) {
	t.Helper()
	var file bytes.Buffer
	r, err := backup.Write(t.Context(), &file, m, made, items)
	require.NoError(t, err)
	require.EqualValues(t, file.Len(), r.Bytes)
	return file.Bytes(), r
}
