package transcript_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/transcript"
)

// openCode makes a database of OpenCode in a folder, with a prompt.
func openCode(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "opencode.db")+"?_pragma=journal_mode(wal)")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	for _, statement := range []string{
		`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
			time_created INTEGER, time_updated INTEGER)`,
		`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER,
			data TEXT)`,
		`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
			time_updated INTEGER, data TEXT)`,
		`INSERT INTO session VALUES ('ses_1', NULL, '/w', 'notes', '1', 1795165200000, 1795165200000)`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	ask(t, db, "first")
	return db
}

// ask adds a prompt.
func ask(t *testing.T, db *sql.DB, text string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `INSERT INTO message VALUES ('msg_'||?, 'ses_1', 1795165200000, 1,
		'{"role":"user"}')`, text)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO part VALUES ('prt_'||?1, 'msg_'||?1, 'ses_1', 1795165200000, 1,
		json_object('type', 'text', 'text', ?1))`, text)
	require.NoError(t, err)
}

// TestADatabaseIsReadWithItsFolderOrAlone has a folder that holds files of other kinds beside the database.
func TestADatabaseIsReadWithItsFolderOrAlone(t *testing.T) {
	dir := t.TempDir()
	openCode(t, dir)
	write(t, dir, "storage/part.jsonl", prompt("s", "of a file that is the program's own"))
	for name, place := range map[string]string{"its folder": dir, "alone": filepath.Join(dir, "opencode.db")} {
		t.Run(name, func(t *testing.T) {
			k := &taker{t: t}
			w := k.walk(place)
			var counted strings.Builder
			w.Count = &counted
			require.NoError(t, w.Once(t.Context()))
			assert.Equal(t, []string{"first"}, k.prompts())
			r := w.Report()
			assert.Equal(t, 1, r.Files)
			assert.Equal(t, 2, r.Rows)
			assert.EqualValues(t, counted.Len(), r.Bytes)
			assert.Positive(t, r.Bytes)
			assert.Empty(t, k.told)
			size, err := transcript.Size(place)
			require.NoError(t, err)
			assert.Positive(t, size)
		})
	}
}

// TestFollowingADatabase lets a program write between the looks, and damages the file.
func TestFollowingADatabase(t *testing.T) {
	dir := t.TempDir()
	db := openCode(t, dir)
	k := &taker{t: t}
	w := k.walk(dir)
	for _, want := range []string{"first", "", "second", "third"} {
		k.list = nil
		if want != "" && want != "first" {
			ask(t, db, want)
		}
		require.NoError(t, follow(t, w))
		assert.Equal(t, want, strings.Join(k.prompts(), " "))
	}
	assert.Empty(t, k.told)
	require.NoError(t, db.Close())
	path := filepath.Join(dir, "opencode.db")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("other ", 2000)), 0o600))
	// What is wrong is said at the first look; the second one finds it still wrong, and says nothing.
	require.NoError(t, follow(t, w))
	require.NoError(t, follow(t, w))
	assert.Equal(t, []string{"opencode.db is damaged or not a database; what could be read of it was imported"}, k.told,
		"once")
	require.NoError(t, os.Remove(path))
	require.NoError(t, follow(t, w))
}

// follow looks once, as a walk that follows does.
func follow(t *testing.T, w *transcript.Walk) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Second/2)
		defer stop()
		err = w.Follow(ctx, time.Second)
	})
	return err
}

// TestAWalkOfADatabaseEndsWithItsTaker refuses the first batch, and ends the context before another walk.
func TestAWalkOfADatabaseEndsWithItsTaker(t *testing.T) {
	dir := t.TempDir()
	openCode(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	w := &transcript.Walk{Places: []string{dir}, Send: func(context.Context, []byte, int) error { return os.ErrClosed }}
	require.ErrorIs(t, w.Once(ctx), os.ErrClosed)
	stop()
	require.ErrorIs(t, (&taker{t: t}).walk(dir).Once(ctx), context.Canceled)
}
