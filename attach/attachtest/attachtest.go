// Package attachtest holds assertions about sightings that the tests of several readers share. Only tests import it.
//
// [JSON] and [Lines] encode sightings for comparison with recorded ones, and [Those] selects from them. [Turns] tells
// them as turns. [Damages] and [FuzzHook] are for what strangers write. [AssertSound] asserts what holds for all
// sightings, whoever wrote the input, and [AssertSame] compares those of a model's answer.
// Package agenttest has more for tests that run real programs.
package attachtest

import (
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/rows"
)

// JSON returns sightings as lines of JSON.
func JSON(t testing.TB, list []attach.Sighting) string {
	t.Helper()
	var b strings.Builder
	for _, s := range list {
		b.WriteString(Line(t, s))
	}
	return b.String()
}

// Lines returns sightings as JSON, one string each.
func Lines(t testing.TB, list []attach.Sighting) (all []string) {
	t.Helper()
	for line := range strings.Lines(JSON(t, list)) {
		all = append(all, strings.TrimSuffix(line, "\n"))
	}
	return all
}

// Reader is what a package of one program's files reads with.
type Reader interface {
	Read(in io.Reader) iter.Seq2[attach.Sighting, error]
	Report() rows.Report
	Offset() int64
}

// Read returns what a reader gives for a text, all of which it has to read, and what it counted.
func Read(t testing.TB, r Reader, text string) (all []attach.Sighting, report rows.Report) {
	t.Helper()
	for s, err := range r.Read(strings.NewReader(text)) {
		require.NoError(t, err)
		all = append(all, s)
	}
	report = r.Report()
	assert.Equal(t, len(all), report.Sightings)
	assert.EqualValues(t, len(text), r.Offset(), "all was read")
	return all, report
}

// Those returns the sightings for which is holds.
func Those(list []attach.Sighting, is func(s *attach.Sighting) bool) (out []attach.Sighting) {
	for i := range list {
		if is(&list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}

// AssertSame asserts that two sightings have the same facts about an answer of the model, comparing the parameters as
// JSON, and that no call has a reason.
func AssertSame(t *testing.T, want, got attach.Sighting) {
	t.Helper()
	if want.Called != nil && assert.NotNil(t, got.Called) {
		assert.Equal(t, want.Called.Tool, got.Called.Tool)
		assert.JSONEq(t, string(want.Called.Params), string(got.Called.Params))
		assert.Empty(t, got.Called.Reason, "nobody gave one; a description is no reason")
	}
	assert.Equal(t, want.Call, got.Call)
	assert.Equal(t, want.Said, got.Said)
	assert.Equal(t, want.Sealed, got.Sealed)
	assert.Equal(t, want.Stopped, got.Stopped)
	assert.Equal(t, want.Used, got.Used)
}

// AssertSound asserts what holds for every sighting, whatever the input: one fact, ids of at most maxID bytes, and a
// size that fits into a batch.
func AssertSound(t *testing.T, s attach.Sighting, maxID int) {
	t.Helper()
	facts := 0
	for _, is := range []bool{s.About != nil, s.Prompted != nil, s.Said != nil, s.Sealed != nil, s.Stopped != nil,
		s.Called != nil, s.Returned != nil, s.Batched != nil, s.Spawned != nil, s.Used != nil, s.Ended != nil} {
		if is {
			facts++
		}
	}
	assert.Equal(t, 1, facts)
	assert.NotEmpty(t, s.Session)
	for _, id := range []string{s.Session, s.Turn, s.Sub, s.Group, s.Call} {
		assert.LessOrEqual(t, len(id), maxID)
		assert.NotContains(t, id, "\x1b")
	}
	assert.False(t, (s.Called != nil || s.Returned != nil) && s.Call == "", "a call without an id")
	assert.True(t, s.At.IsZero() || s.At.Year() >= 2000 && s.At.Location() == time.UTC)
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	assert.Less(t, len(raw), 1<<20)
}

// Line returns a value as a line of JSON, in which <, > and & are not escaped.
func Line(t testing.TB, value any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(value))
	return b.String()
}

// Recorded returns a file of testdata.
func Recorded(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(raw)
}

// Facts returns sightings as a set of lines of JSON, each without what depends on the rows around it.
func Facts(t testing.TB, list []attach.Sighting, without func(line string) string) map[string]bool {
	t.Helper()
	facts := map[string]bool{}
	for line := range strings.Lines(JSON(t, list)) {
		facts[without(line)] = true
	}
	return facts
}

// Turns returns the turns that sightings tell of, in order, each as its prompt, the texts of the model if texts says
// so, and its end.
func Turns(list []attach.Sighting, texts bool) (turns []string) {
	at := map[string]int{}
	add := func(turn, what string) {
		i, known := at[turn]
		if !known {
			i, turns = len(turns), append(turns, "")
			at[turn] = i
		}
		turns[i] = strings.TrimSpace(turns[i] + " " + what)
	}
	for _, s := range list {
		switch {
		case s.Prompted != nil:
			add(s.Turn, s.Prompted.Text)
		case s.Said != nil && !s.Said.Final && texts:
			add(s.Turn, "said: "+s.Said.Text)
		case s.Ended == nil || s.Sub != "":
		case s.Ended.Interrupted:
			add(s.Turn, "stopped")
		case s.Ended.Error != "":
			add(s.Turn, "failed: "+s.Ended.Error)
		default:
			add(s.Turn, "ended: "+s.Ended.Answer)
		}
	}
	return turns
}
