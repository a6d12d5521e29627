package opencode_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/rows"
)

// alone returns the sightings of a session with one answer that has the parts, and what was counted.
func alone(t *testing.T, message object, parts ...any) ([]attach.Sighting, rows.Report) {
	t.Helper()
	s := newStore(t, append(asked("u", "s", 1), sessionRow("s", "", 0), message)...)
	for i, data := range parts {
		s.write(t, partRow(fmt.Sprintf("p%04d", i), "a", "s", 10+i, data))
	}
	list, report := read(t, s.path)
	var its []attach.Sighting
	for _, one := range list {
		if one.About == nil && one.Prompted == nil {
			its = append(its, one)
		}
	}
	return its, report
}

// TestHowCallsEnd has a call of each kind of end, as the program writes it into the part of the call.
func TestHowCallsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		part any
		want attach.Returned
	}{
		"well": {callOf("x", "c", "completed", object{"output": "ok"}), attach.Returned{Result: []byte(`"ok"`)}},
		"a command": {callOf("bash", "c", "completed", object{"output": "no", "metadata": object{"exit": 2}}),
			attach.Returned{Result: []byte(`{"output":"no","exitCode":2}`)}},
		"an edit": {callOf("edit", "c", "completed", object{"output": "ok", "metadata": object{"diff": "+a"}}),
			attach.Returned{Result: []byte(`{"output":"ok","diff":"+a"}`)}},
		"more than the database has": {callOf("x", "c", "completed", object{"metadata": object{"truncated": true}}),
			attach.Returned{Result: []byte(`""`), Partial: true}},
		"with a picture": {callOf("x", "c", "completed", object{"attachments": []any{"data:AAAA"}}),
			attach.Returned{Result: []byte(`""`), Partial: true}},
		"with members of other types": {callOf("x", "c", "completed", object{"metadata": object{"diff": 7}}),
			attach.Returned{Result: []byte(`""`)}},
		"a failure": {callOf("x", "c", "error", object{"error": "no"}), attach.Returned{Error: "no"}},
		"one without a word": {callOf("x", "c", "error", nil),
			attach.Returned{Error: "it failed, and the program does not say how"}},
		"refused by a person": {callOf("x", "c", "error",
			object{"error": "The user rejected permission to use this specific tool call."}),
			attach.Returned{Error: "The user rejected permission to use this specific tool call.", Denied: true}},
		"refused by a rule": {callOf("x", "c", "error",
			object{"error": "The user has specified a rule which prevents you."}),
			attach.Returned{Error: "The user has specified a rule which prevents you.", Denied: true}},
		"denied in Candor": {callOf("x", "c", "error", object{"error": attach.Denied + " They said: No."}),
			attach.Returned{Error: attach.Denied + " They said: No.", Denied: true}},
		"stopped": {callOf("x", "c", "error", object{"error": "Tool execution aborted"}),
			attach.Returned{Error: "Tool execution aborted", Cancelled: true}},
		"no such tool": {callOf("invalid", "c", "completed", object{"input": object{"tool": "x", "error": "none"}}),
			attach.Returned{Error: "none"}},
		"no such tool, without a word": {callOf("invalid", "c", "completed", object{"input": object{"tool": "x"}}),
			attach.Returned{Error: "there is no such tool"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, report := alone(t, answer("a", "s", "u", "", 2), c.part)
			require.Len(t, list, 2)
			assert.Equal(t, "c", list[0].Call)
			require.NotNil(t, list[0].Called)
			assert.NotEqual(t, "invalid", list[0].Called.Tool)
			isUnknown := strings.HasPrefix(name, "no such tool")
			assert.Equal(t, isUnknown, list[0].Called.Params == nil)
			c.want.Took = 100 * time.Millisecond
			assert.Equal(t, c.want, *list[1].Returned)
			assert.Zero(t, report.Malformed)
		})
	}
}

// TestHowTurnsEnd has an answer of each kind of end. What the program sums up for itself ends no turn.
func TestHowTurnsEnd(t *testing.T) {
	failed := func(name, text string) object {
		a := answer("a", "s", "u", "error", 2)
		a["data"].(object)["error"] = object{"name": name, "data": object{"message": text}}
		return a
	}
	summary := answer("a", "s", "u", "stop", 2)
	summary["data"].(object)["summary"] = true
	text := object{"type": "text", "text": "Words"}
	for name, c := range map[string]struct {
		message object
		want    *attach.Ended
	}{
		"with an answer": {answer("a", "s", "u", "stop", 2), &attach.Ended{Answer: "Words"}},
		"not yet":        {answer("a", "s", "u", "tool-calls", 2), nil},
		"stopped by a person": {failed("MessageAbortedError", "stop"),
			&attach.Ended{Answer: "Words", Interrupted: true}},
		"with an error": {failed("APIError", "busy"), &attach.Ended{Error: "busy"}},
		"with an error of no word": {failed("APIError", ""),
			&attach.Ended{Error: "the turn failed, and the program does not say how"}},
		"in a summary": {summary, nil},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := alone(t, c.message, text)
			var got *attach.Ended
			for _, one := range list {
				if one.Ended != nil {
					got = one.Ended
					assert.Equal(t, time.UnixMilli(began+11).UTC(), one.At)
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestWhatIsNotReadIsCounted has parts of all kinds that give nothing, or not all that they hold: thoughts that are
// sealed, kinds of which nobody knows what they tell, members of other types, and texts beyond the bound.
func TestWhatIsNotReadIsCounted(t *testing.T) {
	done := object{"start": began, "end": began + 1}
	long := strings.Repeat("é", rows.MaxText)
	list, report := alone(t, answer("a", "s", "u", "tool-calls", 2),
		object{"type": "reasoning", "text": "", "metadata": object{"x": "sealed"}, "time": done},
		object{"type": "reasoning", "text": "", "time": done},
		object{"type": "patch"}, object{"type": "\x1b[31m"}, object{"type": "step-start"},
		object{"type": "step-finish", "tokens": object{"input": -1}}, object{"type": "step-finish"},
		object{"type": "tool"}, object{"type": "tool", "callID": "two words"},
		callOf("invalid", "i", "completed", nil), callOf("x", "o", "odd", nil), callOf("x", "p", "pending", nil),
		object{"type": "text", "text": long, "time": done},
		callOf("x", "l", "completed", object{"output": long, "input": object{"t": long}}))
	assert.Equal(t, "sealed; called x; said "+strings.Repeat("é", rows.MaxText/2), words(list[:3]))
	require.Len(t, list, 5)
	assert.Equal(t, attach.Sealed{Bytes: 14}, *list[0].Sealed)
	assert.True(t, list[4].Returned.Partial)
	assert.LessOrEqual(t, len(list[4].Returned.Result), rows.MaxText)
	assert.Equal(t, map[string]int{"part patch": 1, "part ??31m": 1, "tool odd": 1}, report.Skipped)
	assert.Equal(t, 4, report.Malformed)
	assert.Equal(t, 4, report.Cut)
	assert.Equal(t, 14, report.Sealed)
}

// TestWhatTheProgramWritesForAPersonIsNoPrompt has a message that holds nothing but a file and what the program made of
// it.
func TestWhatTheProgramWritesForAPersonIsNoPrompt(t *testing.T) {
	s := newStore(t, sessionRow("s", "", 0), messageRow("u", "s", 1, object{"role": "user"}),
		partRow("1", "u", "s", 1, object{"type": "text", "text": "read it", "synthetic": true}),
		partRow("2", "u", "s", 1, object{"type": "file", "url": "data:AAAA"}))
	list, report := read(t, s.path)
	assert.Equal(t, "about", words(list))
	assert.Equal(t, map[string]int{"user text": 1, "user file": 1}, report.Skipped)
}

// TestParentsInACircleAreNotFollowedForEver has sessions that say of each other that they are the parent.
func TestParentsInACircleAreNotFollowedForEver(t *testing.T) {
	s := newStore(t, sessionRow("s", "k", 0), sessionRow("k", "s", 1), answer("a", "s", "u", "stop", 2),
		answer("b", "k", "u", "stop", 3))
	list, _ := read(t, s.path)
	assert.Equal(t, "ended ; ended ", words(list))
	for _, one := range list {
		assert.Empty(t, one.Turn)
	}
}

// TestWhatIsRememberedOfADatabaseIsBounded has more sessions than are read, and more parts of an answer than are
// remembered.
func TestWhatIsRememberedOfADatabaseIsBounded(t *testing.T) {
	s := newStore(t, sessionRow("s", "", 60_000), answer("a", "s", "u", "", 2))
	// The session that matters is the latest, so that it is among those that are read.
	s.exec(t, `WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 20000)
		INSERT INTO session SELECT 'ses'||i, NULL, '/w', 'x', '1', 1795165200000, 1795165200000 FROM n`)
	s.exec(t, `WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 10050)
		INSERT INTO part SELECT printf('p%05d', i), 'a', 's', 1795165200001, 1795165200001,
		'{"type":"text","text":"x","time":{"end":1795165200009}}' FROM n`)
	r := newReading(s.path)
	list, err := r.look(t)
	require.NoError(t, err)
	assert.Len(t, list, 20_000+1+10_050)
	assert.Equal(t, []string{"has more than 20000 sessions, of which the latest are read"}, r.told)
	s.write(t, partRow("p99999", "a", "s", 99, object{"type": "text", "text": "y", "time": object{"end": began + 99}}))
	list, err = r.look(t)
	require.NoError(t, err)
	assert.Len(t, list, 1+51, "the session that is not among the latest, and the parts that are not remembered")
}
