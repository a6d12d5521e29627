package opencode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// began is when the sessions of these tests begin, in milliseconds.
const began = 1_795_165_200_000

// sessionRow, messageRow and partRow return rows that were changed at a time after the beginning.
func sessionRow(id, parent string, at int) object {
	return object{"table": "session", "id": id, "parent_id": parent, "directory": "/w", "title": id, "version": "1",
		"time_created": began, "time_updated": began + at}
}

func messageRow(id, session string, at int, data object) object {
	data["time"] = object{"created": began + at}
	if data["finish"] != nil {
		data["time"] = object{"created": began + at, "completed": began + at + 9}
	}
	return object{"table": "message", "id": id, "session_id": session, "time_created": began + at,
		"time_updated": began + at, "data": data}
}

func partRow(id, message, session string, at int, data any) object {
	return object{"table": "part", "id": id, "message_id": message, "session_id": session, "time_created": began + at,
		"time_updated": began + at, "data": data}
}

// asked returns a person's message with its text.
func asked(id, session string, at int) []object {
	return []object{messageRow(id, session, at, object{"role": "user"}),
		partRow(id+"p", id, session, at, object{"type": "text", "text": "do " + id})}
}

// answer returns a message of the model, whose turn is that of a person's.
func answer(id, session, of, finish string, at int) object {
	data := object{"role": "assistant", "parentID": of, "modelID": "m"}
	if finish != "" {
		data["finish"] = finish
	}
	return messageRow(id, session, at, data)
}

// callOf returns a part with a call in a state.
func callOf(tool, call, status string, more object) object {
	state := object{"status": status, "input": object{"x": 1}, "time": object{"start": began + 20}}
	if status == "completed" || status == "error" {
		state["time"] = object{"start": began + 20, "end": began + 120}
	}
	for name, value := range more {
		state[name] = value
	}
	return object{"type": "tool", "tool": tool, "callID": call, "state": state}
}

// words says in short what sightings tell, in their order. Times and ids are left out, so that a table of what is
// expected can be read.
func words(list []attach.Sighting) string {
	var all []string
	for _, s := range list {
		word := ""
		switch {
		case s.About != nil:
			word = "about"
		case s.Prompted != nil:
			word = "asked " + s.Prompted.Text
		case s.Said != nil:
			word = "said " + s.Said.Text
		case s.Sealed != nil:
			word = "sealed"
		case s.Called != nil:
			word = "called " + s.Called.Tool
		case s.Returned != nil:
			word = "returned " + string(s.Returned.Result) + s.Returned.Error
		case s.Spawned != nil:
			word = "began " + s.Sub
		case s.Ended != nil:
			word = "ended " + s.Ended.Answer + s.Ended.Error
		case s.Used != nil:
			word = "used"
		}
		all = append(all, word)
	}
	return strings.Join(all, "; ")
}

// TestALookGivesWhatIsNew lets a program write a turn, and looks after each step.
func TestALookGivesWhatIsNew(t *testing.T) {
	s := newStore(t, sessionRow("s", "", 0))
	r := newReading(s.path)
	// Each step is what the program writes in one transaction. A text without an end is still being written, and a call
	// that is pending has not all of its parameters yet.
	for i, step := range []struct {
		rows []object
		want string
	}{
		{nil, "about"},
		{asked("u", "s", 1), "asked do u"},
		{[]object{answer("a", "s", "u", "", 2), partRow("a1", "a", "s", 3, object{"type": "text", "text": "I lo",
			"time": object{"start": began + 3}})}, "about"},
		{[]object{partRow("a2", "a", "s", 4, callOf("bash", "c", "pending", nil))}, ""},
		{[]object{partRow("a2", "a", "s", 5, callOf("bash", "c", "running", nil))}, "called bash"},
		{[]object{partRow("a1", "a", "s", 6, object{"type": "text", "text": "I look",
			"time": object{"start": began + 3, "end": began + 6}})}, "said I look"},
		{[]object{partRow("a2", "a", "s", 7, callOf("bash", "c", "completed", object{"output": "ok"}))},
			`called bash; returned "ok"`},
		{[]object{partRow("a3", "a", "s", 8, object{"type": "step-finish", "tokens": object{"output": 3}}),
			answer("a", "s", "u", "tool-calls", 2)}, "used"},
		{[]object{answer("b", "s", "u", "stop", 30), sessionRow("s", "", 40),
			partRow("b1", "b", "s", 31, object{"type": "text", "text": "Done"})}, "about; said Done; ended Done"},
		{asked("v", "s", 50), "asked do v"},
	} {
		s.write(t, step.rows...)
		list, err := r.look(t)
		require.NoError(t, err)
		assert.Equal(t, step.want, words(list), "step %d", i)
	}
	assert.Empty(t, r.told)
}

// TestSessionsThatNobodyChangedAreNotReadAgain has more sessions than are looked at each time.
func TestSessionsThatNobodyChangedAreNotReadAgain(t *testing.T) {
	s := newStore(t)
	for i := range 50 {
		id := string(rune('A' + i))
		s.write(t, append(asked("u"+id, id, 1), sessionRow(id, "", i))...)
	}
	r := newReading(s.path)
	list, err := r.look(t)
	require.NoError(t, err)
	assert.Len(t, list, 100)
	// The first is changed without a change of its session, so that only the second is found.
	s.write(t, asked("x", "A", 60)...)
	s.write(t, append(asked("y", "B", 60), sessionRow("B", "", 60))...)
	list, err = r.look(t)
	require.NoError(t, err)
	assert.Contains(t, words(list), "asked do y")
	assert.NotContains(t, words(list), "asked do x")
}

// TestSubAgentsOfSubAgentsStandInTheTurnOfTheFirstCall resumes one sub-agent in a later turn, too.
func TestSubAgentsOfSubAgentsStandInTheTurnOfTheFirstCall(t *testing.T) {
	s := newStore(t, sessionRow("s", "", 0), sessionRow("k1", "s", 1), sessionRow("k2", "k1", 2),
		sessionRow("lost", "gone", 3))
	for _, list := range [][]object{asked("u1", "s", 10), asked("u2", "k1", 30), asked("u3", "k2", 50),
		asked("u4", "s", 70), asked("u5", "k1", 90), asked("u6", "lost", 95),
		{answer("a1", "s", "u1", "tool-calls", 20), answer("a2", "k1", "u2", "tool-calls", 40),
			answer("a3", "k2", "u3", "stop", 60), answer("a4", "s", "u4", "tool-calls", 80),
			answer("a5", "k1", "u5", "stop", 100), answer("a6", "lost", "u6", "stop", 110),
			partRow("p1", "a2", "k1", 41, callOf("task", "c", "running", object{"metadata": object{"sessionId": "k2"},
				"input": object{"subagent_type": "explore"}}))}} {
		s.write(t, list...)
	}
	list, _ := read(t, s.path)
	got := map[string]string{}
	for _, one := range list {
		if one.Ended != nil || one.Called != nil || one.Spawned != nil {
			got[one.Group+" "+words([]attach.Sighting{one})] = one.Session + " " + one.Turn + " " + one.Sub
		}
	}
	assert.Equal(t, map[string]string{"a2 called task": "s u1 k1", "a2 began k2": "s u1 k2", "a3 ended ": "s u1 k2",
		"a5 ended ": "s u4 k1", "a6 ended ": "gone  lost", " ended ": "s u1 "}, got, "an answer of u4 ends u1")
}

// TestWhatIsWrongWithADatabaseIsSaid looks at what cannot be read, or is no longer what it was.
func TestWhatIsWrongWithADatabaseIsSaid(t *testing.T) {
	// A lock shows only where the database has no log of its own kind: readers of a log wait for nobody. The log that
	// is made up here keeps the file from being read as one that nobody changes.
	full := func(t *testing.T) store { return newStore(t, recorded(t)...) }
	for name, c := range map[string]struct {
		change func(t *testing.T, s store)
		want   string
	}{
		"locked": {func(t *testing.T, s store) {
			s.exec(t, "PRAGMA wal_checkpoint(truncate)")
			s.exec(t, "PRAGMA journal_mode=delete")
			s.exec(t, "PRAGMA locking_mode=exclusive")
			s.exec(t, "BEGIN EXCLUSIVE")
			require.NoError(t, os.WriteFile(s.path+"-wal", []byte("x"), 0o600))
		}, "is locked by another program; it is read again later"},
		"no database": {func(t *testing.T, s store) {
			require.NoError(t, s.Close())
			require.NoError(t, os.WriteFile(s.path, []byte(strings.Repeat("no database ", 1000)), 0o600))
		}, "is damaged or not a database; what could be read of it was imported"},
		"cut short": {func(t *testing.T, s store) {
			require.NoError(t, s.Close())
			require.NoError(t, os.Truncate(s.path, 20_000))
		}, "is damaged or not a database; what could be read of it was imported"},
		"overwritten in the middle": {func(t *testing.T, s store) {
			require.NoError(t, s.Close())
			raw, err := os.ReadFile(s.path)
			require.NoError(t, err)
			for i := 8192; i < len(raw); i++ {
				raw[i] = 0xa5
			}
			require.NoError(t, os.WriteFile(s.path, raw, 0o600))
		}, "is damaged or not a database; what could be read of it was imported"},
		"without a table": {func(t *testing.T, s store) { s.exec(t, "DROP TABLE part") },
			"does not have the tables of an OpenCode database, so nothing of it is read"},
		"with a view in the place of a table": {func(t *testing.T, s store) {
			s.exec(t, "ALTER TABLE part RENAME TO other")
			s.exec(t, "CREATE VIEW part AS SELECT * FROM other")
		}, "does not have the tables of an OpenCode database, so nothing of it is read"},
		"with a virtual table in the place of one": {func(t *testing.T, s store) {
			s.exec(t, "ALTER TABLE session RENAME TO other")
			s.exec(t, `CREATE VIRTUAL TABLE session USING fts5(id, parent_id, directory, title, version,
				time_created, time_updated)`)
		}, "does not have the tables of an OpenCode database, so nothing of it is read"},
		"without a column": {func(t *testing.T, s store) { s.exec(t, "ALTER TABLE session DROP COLUMN parent_id") },
			"does not have the tables of an OpenCode database, so nothing of it is read"},
		"empty": {func(t *testing.T, s store) {
			require.NoError(t, s.Close())
			require.NoError(t, os.WriteFile(s.path, nil, 0o600))
		}, "does not have the tables of an OpenCode database, so nothing of it is read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := full(t)
			c.change(t, s)
			_, err := newReading(s.path).look(t)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := newReading(filepath.Join(t.TempDir(), "none.db")).look(t)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestADatabaseThatLosesSessionsIsTold lets the program remove what was read. Its person may have meant it, so that the
// reader goes on; what it tells is why the page and the program's own list differ.
func TestADatabaseThatLosesSessionsIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, s store)
		want   string
		again  bool
	}{
		"a session": {func(t *testing.T, s store) {
			s.exec(t, "DELETE FROM session WHERE title LIKE '%fork%'")
		}, "no longer has 1 of the sessions that were read; what was taken of them stays", false},
		"the latest answers": {func(t *testing.T, s store) {
			s.exec(t, "DELETE FROM message WHERE time_created = (SELECT max(time_created) FROM message "+
				"WHERE session_id LIKE '%1')")
		}, "no longer has the last answer that was read of a session, which is read again from its start", true},
		"all of it": {func(t *testing.T, s store) {
			other := newStore(t, recorded(t)...)
			require.NoError(t, other.Close())
			require.NoError(t, s.Close())
			require.NoError(t, os.Rename(other.path, s.path))
		}, "was replaced by another file: it is read again from its start", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, recorded(t)...)
			r := newReading(s.path)
			_, err := r.look(t)
			require.NoError(t, err)
			c.change(t, s)
			list, err := r.look(t)
			require.NoError(t, err)
			assert.Equal(t, []string{c.want}, r.told)
			assert.Equal(t, c.again, len(list) > 10, "%d sightings", len(list))
		})
	}
}

// TestWhatBelongsToNothingIsCounted removes what other rows belong to: the session of messages, and the message of
// parts. Nothing says where these belonged, so that they are given to nobody.
func TestWhatBelongsToNothingIsCounted(t *testing.T) {
	s := newStore(t, recorded(t)...)
	s.exec(t, "DELETE FROM session WHERE title LIKE '%fork%'")
	s.exec(t, "DELETE FROM message WHERE id IN (SELECT message_id FROM part WHERE data LIKE '%Counted.%')")
	// An id with a space is none that the program makes.
	s.exec(t, "INSERT INTO session VALUES ('two words', '', '', '', '', 1, 1)")
	_, report := read(t, s.path)
	assert.Equal(t, map[string]int{"message without its session": 11, "part without its message": 6}, report.Skipped)
	assert.Equal(t, 1, report.Malformed)
}
