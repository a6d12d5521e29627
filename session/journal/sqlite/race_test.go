package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// Readers, writers, erasers and users of the directory work at the same time. What a reader gets is whole: frames as
// they were written or erased, or an error which says that they were replaced meanwhile.
func TestEverybodyAtOnce(t *testing.T) {
	const sessions, frames = 4, 60
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	fill(t, e, sessions, frames)
	var all sync.WaitGroup
	for s := range sessions {
		session := fmt.Sprintf("session-%d", s)
		all.Go(func() {
			for n := uint64(frames + 1); n <= 2*frames; n++ {
				assert.NoError(t, e.Append(t.Context(), session, frameOf(session, n)))
			}
		})
		all.Go(func() {
			for n := uint64(1); n < frames; n += 3 {
				erased := journal.Frame{First: n, Last: n + 2, Data: []byte("erased")}
				assert.NoError(t, e.Replace(t.Context(), session, []journal.Frame{erased}))
				assert.NoError(t, e.Save(t.Context(), session, []byte("snapshot")))
			}
		})
		all.Go(func() {
			for range 40 {
				assertWhole(t, e, session)
				_, err := e.Open(t.Context(), fmt.Sprintf("user-%d", s), "another")
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	for s := range sessions {
		got, err := readAll(t, e, fmt.Sprintf("session-%d", s))
		require.NoError(t, err)
		assert.Len(t, got, frames/3+frames)
	}
	assert.NoError(t, e.Status().Ready)
	assert.Zero(t, e.Status().Waiting)
	require.NoError(t, e.Close())
	assertSound(t, dir)
}

// assertSound has SQLite look for damage in its own way.
func assertSound(t *testing.T, dir string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "candor.db"))
	require.NoError(t, err)
	defer db.Close()
	var found string
	require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&found))
	assert.Equal(t, "ok", found)
}

// assertWhole reads a session and holds that its frames follow each other and are as they were written or erased.
func assertWhole(t *testing.T, e journal.Engine, session string) {
	next := uint64(1)
	for f, err := range e.Read(t.Context(), session, 1) {
		if errors.Is(err, journal.ErrConflict) {
			return
		}
		if !assert.NoError(t, err) || !assert.Equal(t, next, f.First) {
			return
		}
		if string(f.Data) != "erased" {
			assert.Equal(t, frameOf(session, f.First), f)
		}
		next = f.Last + 1
	}
}

// A reader that stands still while what it is about to read is replaced learns that, and may read again.
func TestAReaderLearnsOfAReplacement(t *testing.T) {
	e := open(t, t.TempDir(), sqlite.Options{})
	fill(t, e, 1, 600)
	var last error
	for f, err := range e.Read(t.Context(), "session-0", 1) {
		if last = err; err == nil && f.First == 1 {
			erased := journal.Frame{First: 200, Last: 400, Data: []byte("erased")}
			require.NoError(t, e.Replace(t.Context(), "session-0", []journal.Frame{erased}))
		}
	}
	require.ErrorIs(t, last, journal.ErrConflict)
	assert.Contains(t, last.Error(), "replaced while they were read")
	for f, err := range e.Read(t.Context(), "session-0", 1) {
		if last = err; err == nil && f.First == 1 {
			require.NoError(t, e.Remove(t.Context(), "user-0"))
		}
	}
	require.ErrorIs(t, last, journal.ErrConflict)
	assert.Contains(t, last.Error(), "removed while it was read")
}
