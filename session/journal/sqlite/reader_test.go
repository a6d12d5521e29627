package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// read opens a directory for reading until the test ends.
func read(t *testing.T, dir string) *sqlite.Reader {
	t.Helper()
	r, err := sqlite.OpenToRead(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// holds holds that a reader gives all of a ledger.
func (l ledger) holds(t *testing.T, r *sqlite.Reader) {
	t.Helper()
	users := map[string]string{}
	for e, err := range r.Users(t.Context()) {
		require.NoError(t, err)
		users[e.User] = e.Session
	}
	assert.Equal(t, l.users, users)
	for session, want := range l.frames {
		var got []journal.Frame
		for f, err := range r.Read(t.Context(), session, 1) {
			require.NoError(t, err)
			got = append(got, f)
		}
		assert.Equal(t, want, got, session)
	}
	assert.Empty(t, r.Warnings())
}

// The reader sees what was appended after it was opened, and goes on when the process that writes has ended.
func TestAReaderReadsBesideTheProcessThatWrites(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 3, 5)
	r := read(t, dir)
	l.holds(t, r)
	l.grow(t, e, 4)
	l.holds(t, r)
	require.NoError(t, e.Close())
	l.holds(t, r)
}

// A reader changes nothing, whether the process before was closed or killed, and the next engine finds all as it was.
func TestAReaderLeavesTheDatabaseAsItIs(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 3, 5)
	killed := copyDir(t, dir)
	require.NoError(t, e.Close())
	for name, dir := range map[string]string{"closed": dir, "killed": killed} {
		before, err := os.ReadFile(filepath.Join(dir, "candor.db"))
		require.NoError(t, err)
		r := read(t, dir)
		l.holds(t, r)
		require.NoError(t, r.Close())
		after, err := os.ReadFile(filepath.Join(dir, "candor.db"))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(before, after), name)
		for session, want := range l.frames {
			got, err := readAll(t, open(t, copyDir(t, dir), sqlite.Options{}), session)
			require.NoError(t, err)
			assert.Equal(t, want, got, name)
		}
	}
}

// To make sure of an erasure the writer empties the write-ahead log, for which it has to wait until nobody reads it.
func TestAnErasureWaitsForAReaderOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	fill(t, e, 1, 600)
	r := read(t, dir)
	// The reader goes from batch to batch all the time, as a backup of a long log does.
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			for range r.Read(ctx, "session-0", 1) {
			}
		}
		ended <- n
	}()
	for n := range uint64(8) {
		f := journal.Frame{First: n*10 + 1, Last: n*10 + 10, Data: []byte("erased")}
		require.NoError(t, e.Replace(t.Context(), "session-0", []journal.Frame{f}))
	}
	stop()
	assert.NotZero(t, <-ended)
}

// The row of a session and that of a user are gone, each of which the other and the witness tell.
func TestAReaderNamesWhatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 3, 5)
	require.NoError(t, e.Close())
	alter(t, dir, "DELETE FROM sessions WHERE name = CAST('session-1' AS BLOB)")
	alter(t, dir, "DELETE FROM users WHERE user = CAST('user-2' AS BLOB)")
	r := read(t, dir)
	assert.Len(t, r.Warnings(), 2)
	for session, want := range l.frames {
		got, damage := readOn(t, r, session)
		assert.Equal(t, want, got, "each frame says whose it is")
		assert.Empty(t, damage)
	}
	users := map[string]string{}
	for u, err := range r.Users(t.Context()) {
		require.NoError(t, err)
		users[u.User] = u.Session
	}
	assert.Equal(t, l.users, users, "what was user-2's row is still in its page")
}

// alter changes the database of a directory.
func alter(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "candor.db"))
	require.NoError(t, err)
	res, err := db.Exec(statement)
	require.NoError(t, err)
	n, err := res.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.NoError(t, db.Close())
}

// A folder that was named by mistake gets no files, and what stands in it is not touched.
func TestAReaderRefusesWhatIsNoDirectoryOfSessions(t *testing.T) {
	empty := t.TempDir()
	_, err := sqlite.OpenToRead(empty)
	require.ErrorIs(t, err, fs.ErrNotExist)
	left, err := os.ReadDir(empty)
	require.NoError(t, err)
	assert.Empty(t, left)
	for says, content := range map[string]string{
		"database is empty": "", "not a database": "a file of another program, long enough",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "candor.db"), []byte(content), 0o600))
		_, err := sqlite.OpenToRead(dir)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, dir)
	}
}
