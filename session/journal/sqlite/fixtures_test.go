package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/backup"
	"candor/session/journal/sqlite"
)

// ledger is what an engine acknowledged.
type ledger struct {
	frames map[string][]journal.Frame
	users  map[string]string
}

// open opens an engine that is closed at the end of the test.
func open(t *testing.T, dir string, o sqlite.Options) journal.Engine {
	t.Helper()
	e, err := sqlite.Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// frameOf returns a frame of one event, whose size and bytes depend on where it stands. Some need several pages.
func frameOf(session string, n uint64) journal.Frame {
	text := fmt.Sprintf("%s:%d ", session, n)
	if n%10 == 7 {
		return journal.Frame{First: n, Last: n, Data: bytes.Repeat([]byte(text), 1000)}
	}
	return journal.Frame{First: n, Last: n, Data: bytes.Repeat([]byte(text), 1+int(n*37)%120)}
}

// fill opens a session for each of some users and appends n frames to each, in turns.
func fill(t *testing.T, e journal.Engine, sessions, n int) ledger {
	t.Helper()
	l := ledger{map[string][]journal.Frame{}, map[string]string{}}
	for s := range sessions {
		user, session := fmt.Sprintf("user-%d", s), fmt.Sprintf("session-%d", s)
		_, err := e.Open(t.Context(), user, session)
		require.NoError(t, err)
		l.users[user] = session
	}
	l.grow(t, e, n)
	return l
}

// grow appends n frames to each session, in turns.
func (l ledger) grow(t *testing.T, e journal.Engine, n int) {
	t.Helper()
	for range n {
		for _, session := range slices.Sorted(maps.Values(l.users)) {
			f := frameOf(session, uint64(len(l.frames[session])+1))
			require.NoError(t, e.Append(t.Context(), session, f))
			l.frames[session] = append(l.frames[session], f)
		}
	}
}

// readAll returns the frames of a session up to the first error.
func readAll(t *testing.T, e journal.Engine, session string) (frames []journal.Frame, err error) {
	t.Helper()
	for f, err := range e.Read(t.Context(), session, 1) {
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
	}
	return frames, nil
}

// readOn returns the frames of a session and the damage between them.
func readOn(t *testing.T, e backup.Source, session string) (frames []journal.Frame, damage []*journal.Damage) {
	t.Helper()
	for f, err := range e.Read(t.Context(), session, 1) {
		if d, ok := errors.AsType[*journal.Damage](err); ok {
			damage = append(damage, d)
			continue
		}
		require.NoError(t, err)
		frames = append(frames, f)
	}
	return frames, damage
}

// copyDir copies the files of a directory, as they are now, to a new one.
func copyDir(t *testing.T, dir string) (copied string) {
	t.Helper()
	copied = filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	return copied
}

// change lets a function change the bytes of a file.
func change(t *testing.T, name string, f func([]byte) []byte) {
	t.Helper()
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, f(raw), 0o600))
}
