package sqlite_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// run runs statements on the database of a directory, without the engine.
func run(t *testing.T, dir string, texts ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "candor.db"))
	require.NoError(t, err)
	for _, text := range texts {
		_, err := db.Exec(text)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		name, want string
		prepare    func(dir string)
	}{
		{"the directory is a file", "it is a file; name a directory", func(dir string) {
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.WriteFile(dir, []byte("text"), 0o600))
		}},
		{"a later Candor wrote it", "has format 99, and this Candor knows format 1 only; use the Candor that wrote it",
			func(dir string) {
				require.NoError(t, open(t, dir, sqlite.Options{}).Close())
				run(t, dir, "PRAGMA user_version = 99")
			}},
		{"it is another program's", "candor.db there is a database of another program; name another directory",
			func(dir string) { run(t, dir, "CREATE TABLE notes (text)", "PRAGMA application_id = 7") }},
		{"a table has changed", "its tables are not as they were made; restore the directory from a backup",
			func(dir string) {
				require.NoError(t, open(t, dir, sqlite.Options{}).Close())
				run(t, dir, "ALTER TABLE frames ADD COLUMN more")
			}},
		{"it is no database", "candor.db there is damaged and cannot be opened; restore the directory from a backup",
			func(dir string) {
				garbage := bytes.Repeat([]byte("garbage "), 2000)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "candor.db"), garbage, 0o600))
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dir")
			require.NoError(t, os.Mkdir(dir, 0o700))
			test.prepare(dir)
			_, err := sqlite.Open(dir, sqlite.Options{})
			require.Error(t, err)
			assert.Contains(t, err.Error(), "cannot keep sessions in "+dir+": ")
			assert.Contains(t, err.Error(), test.want)
			if test.name != "the directory is a file" {
				_, again := sqlite.Open(dir, sqlite.Options{})
				assert.NotErrorIs(t, again, journal.ErrLocked, "what failed holds no lock")
			}
		})
	}
}

func TestNobodyElseMayReadTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "down")
	e := open(t, dir, sqlite.Options{})
	fill(t, e, 1, 1)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(files), 5)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), f.Name())
	}
}

// The suite of stores runs in bubbles: an engine that was opened in one has to end in it, and must not keep its
// clock from moving.
func TestAnEngineLivesInABubble(t *testing.T) {
	for _, mode := range []sqlite.Sync{sqlite.Always, sqlite.Interval} {
		synctest.Test(t, func(t *testing.T) {
			dir, began := t.TempDir(), time.Now()
			e, err := sqlite.Open(dir, sqlite.Options{Sync: mode})
			require.NoError(t, err)
			l := fill(t, e, 2, 20)
			time.Sleep(time.Hour)
			require.NoError(t, e.Append(t.Context(), "session-0", frameOf("session-0", 21)))
			assert.Equal(t, time.Hour, time.Since(began), "only the sleep took time")
			require.NoError(t, e.Close())
			e, err = sqlite.Open(dir, sqlite.Options{Sync: mode})
			require.NoError(t, err)
			frames, err := readAll(t, e, "session-1")
			require.NoError(t, err)
			assert.Equal(t, l.frames["session-1"], frames)
			require.NoError(t, e.Close())
		})
	}
}

func TestTheStatusSaysWhereItIs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, sqlite.Options{}).Status()
	assert.Equal(t, "SQLite in "+dir, s.Name)
	assert.False(t, strings.Contains(s.Name, "candor.db"))
}
