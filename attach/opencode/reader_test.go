package opencode_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/opencode"
	"candor/attach/rows"
)

var update = flag.Bool("update", false, "write the sightings of the recorded files anew")

// tables makes the tables of a database, with the columns that are read and the indexes that the program has for them.
const tables = `CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
		time_created INTEGER, time_updated INTEGER);
	CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
	CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
		time_updated INTEGER, data TEXT);
	CREATE INDEX message_session ON message (session_id, time_created, id);
	CREATE INDEX part_message ON part (message_id, id)`

// object is a row: a value by each column, and the table. Data may be a text, or a value that is encoded.
type object = map[string]any

// recorded returns the rows that were recorded of the real program.
func recorded(t testing.TB) (all []object) {
	t.Helper()
	raw, err := os.ReadFile("testdata/sessions.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(raw) {
		var row object
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		require.NoError(t, d.Decode(&row))
		all = append(all, row)
	}
	return all
}

// store is a database that a test writes, as the program does.
type store struct {
	path string
	*sql.DB
}

// newStore makes a database with rows, in a folder of its own.
func newStore(t testing.TB, rows ...object) store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "opencode.db")
	name := url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=journal_mode(wal)&_pragma=busy_timeout(1000)"}
	db, err := sql.Open("sqlite", name.String())
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() }) // some tests do it themselves
	s := store{path, db}
	s.exec(t, tables)
	s.write(t, rows...)
	return s
}

// exec runs a statement that has to succeed.
func (s store) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	_, err := s.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err)
}

// write adds rows, or puts them in the place of those with their ids, all in one transaction. Values that are neither
// texts nor numbers are written as JSON.
func (s store) write(t testing.TB, rows ...object) {
	t.Helper()
	tx, err := s.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	for _, row := range rows {
		var names, marks []string
		var values []any
		for name, value := range row {
			if name == "table" {
				continue
			}
			switch value.(type) {
			case string, int, json.Number, nil, []byte:
			default:
				raw, err := json.Marshal(value)
				require.NoError(t, err)
				value = string(raw)
			}
			names, marks, values = append(names, name), append(marks, "?"), append(values, value)
		}
		_, err = tx.ExecContext(t.Context(), fmt.Sprintf("INSERT OR REPLACE INTO %s (%s) VALUES (%s)", row["table"],
			strings.Join(names, ", "), strings.Join(marks, ", ")), values...)
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit())
}

// reading is a reader, what it told, and what it gave at the last look.
type reading struct {
	*opencode.Reader
	told []string
}

// newReading returns a reader that has read nothing yet.
func newReading(path string) *reading {
	r := &reading{Reader: opencode.NewReader(path)}
	r.Told = func(what string) { r.told = append(r.told, what) }
	return r
}

// look returns what a look gives.
func (r *reading) look(t testing.TB) (all []attach.Sighting, err error) {
	t.Helper()
	for s, failed := range r.Read(t.Context()) {
		if failed != nil {
			err = failed
			continue
		}
		all = append(all, s)
	}
	return all, err
}

// read returns the sightings of a database that can be read, and the report.
func read(t testing.TB, path string) ([]attach.Sighting, rows.Report) {
	t.Helper()
	r := newReading(path)
	all, err := r.look(t)
	require.NoError(t, err)
	assert.Empty(t, r.told)
	assert.Equal(t, len(all), r.Report().Sightings)
	return all, r.Report()
}

// TestARecordedDatabaseGivesItsSightings compares the sightings of what the real program wrote with those that were
// read and found right, testdata/sessions.want.
func TestARecordedDatabaseGivesItsSightings(t *testing.T) {
	s := newStore(t, recorded(t)...)
	list, report := read(t, s.path)
	got := attachtest.JSON(t, list)
	if *update {
		require.NoError(t, os.WriteFile("testdata/sessions.want", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/sessions.want")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
	assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut)
	assert.Equal(t, 104, report.Rows, "all messages and parts")
	assert.Equal(t, 41, report.Copied, "the beginning of the fork")
	assert.Equal(t, 1, report.Outside, "one result is longer than the database has it")
	assert.Empty(t, report.Skipped)
}

// TestReadingLeavesNoTrace holds that neither the database nor the folder around it changes, with a log beside it and
// without.
func TestReadingLeavesNoTrace(t *testing.T) {
	for name, closed := range map[string]bool{"while the program runs": false, "after it has ended": true} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, recorded(t)...)
			if closed {
				require.NoError(t, s.Close())
			}
			before := snapshot(t, filepath.Dir(s.path))
			list, _ := read(t, s.path)
			assert.NotEmpty(t, list)
			assert.Equal(t, before, snapshot(t, filepath.Dir(s.path)))
		})
	}
}

// snapshot returns the files of a folder with their contents, but for the index of the log, in which SQLite notes who
// reads. That the index is there counts: a program that has ended may have left none, and none may be made.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range list {
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		if files[f.Name()] = string(raw); strings.HasSuffix(f.Name(), "-shm") {
			files[f.Name()] = "there"
		}
	}
	return files
}

// TestNobodyWaitsForAReader writes while a look is half done. What is written then is given at the next look.
func TestNobodyWaitsForAReader(t *testing.T) {
	s := newStore(t, recorded(t)...)
	r := newReading(s.path)
	// The reader holds its transaction over all of this loop, and the writer goes on.
	n := 0
	for one, err := range r.Read(t.Context()) {
		require.NoError(t, err)
		if n++; n == 3 {
			s.write(t, object{"table": "session", "id": "ses_new", "directory": "/w", "title": "new", "version": "1",
				"time_created": 1795165200000, "time_updated": 1795165200000})
		}
		assert.NotEqual(t, "ses_new", one.Session)
	}
	list, err := r.look(t)
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(list, func(s attach.Sighting) bool { return s.Session == "ses_new" }))
	list, err = r.look(t)
	require.NoError(t, err)
	assert.Empty(t, list, "nothing has changed")
}

// TestWhoStopsGetsTheRestAtTheNextLook stops in the middle. A taker stops when a server refuses what it was sent; what
// it was given twice it knows.
func TestWhoStopsGetsTheRestAtTheNextLook(t *testing.T) {
	s := newStore(t, recorded(t)...)
	whole, _ := read(t, s.path)
	r := newReading(s.path)
	given := map[string]bool{}
	for one, err := range r.Read(t.Context()) {
		require.NoError(t, err)
		given[attachtest.Lines(t, []attach.Sighting{one})[0]] = true
		break
	}
	rest, err := r.look(t)
	require.NoError(t, err)
	for _, line := range attachtest.Lines(t, rest) {
		given[line] = true
	}
	for _, line := range attachtest.Lines(t, whole) {
		assert.True(t, given[line], line)
	}
}
