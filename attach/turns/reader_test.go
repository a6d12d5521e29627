package turns_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/turns"
)

// row is what a program of these tests writes: what to do, and with what.
type row struct {
	Do, ID, Sub, Text string
	Failure           *string
	Bytes             int
}

// newReader returns a reader of such rows, of a session that the file names.
func newReader(growing bool) *turns.Reader {
	var r *turns.Reader
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	r = turns.New("test", growing, func(line []byte) (x row, ok bool) {
		return x, json.Unmarshal(line, &x) == nil
	}, func(x *row) {
		if x.Do == "session" {
			r.Session = x.ID
			r.About(attach.About{Title: x.Text})
			return
		}
		if !r.Known() {
			return
		}
		at = at.Add(time.Second)
		switch x.Do {
		case "prompt":
			if !r.Again(x.ID) {
				r.Prompt(x.ID, at, x.Text, "")
			}
		case "answer":
			r.Answer(x.ID, at, x.Sub)
			r.Say(x.Text, false)
		case "think":
			r.Say(x.Text, true)
		case "seal":
			r.Seal(x.Bytes)
		case "call":
			r.Call(x.ID, x.Text, json.RawMessage(`{"q":1}`))
		case "use":
			r.Use(attach.Used{Output: x.Bytes})
		case "stop":
			r.Stop(x.Text)
		case "return":
			r.Return(x.ID, at, x.Sub, x.Text, x.Failure, attach.Returned{})
		case "spawn":
			r.Spawn(x.ID, at, x.Sub, attach.Spawned{Kind: x.Text})
		case "close sub":
			r.CloseSub(at, x.Sub, attach.Ended{})
		case "fail":
			r.Fail(x.Text)
		case "close":
			r.Close(attach.Ended{Error: x.Text})
		case "lose":
			r.Lose()
		default:
			r.Skip(x.Do)
		}
	})
	return r
}

// told returns a sighting as a line: the turn, the sub-agent, the place in the answer, and what it says.
func told(s attach.Sighting) string {
	at := strings.TrimSuffix(fmt.Sprintf("%s %s", s.Turn, s.Sub), " ")
	place := fmt.Sprintf("%s/%d", s.Group, s.Index)
	switch {
	case s.About != nil:
		return "title " + s.About.Title
	case s.Prompted != nil:
		return at + " prompt " + s.Prompted.Text
	case s.Said != nil && s.Said.Lost:
		return at + " lost"
	case s.Said != nil && s.Said.Summary:
		return at + " " + place + " thought " + s.Said.Text
	case s.Said != nil:
		return at + " " + place + " said " + s.Said.Text
	case s.Sealed != nil:
		return fmt.Sprintf("%s %s sealed %d", at, place, s.Sealed.Bytes)
	case s.Called != nil:
		return fmt.Sprintf("%s %s called %s %s %s", at, place, s.Call, s.Called.Tool, s.Called.Params)
	case s.Used != nil:
		return fmt.Sprintf("%s used %d", at, s.Used.Output)
	case s.Stopped != nil:
		return at + " stopped " + s.Stopped.Reason
	case s.Returned != nil && s.Returned.Error != "":
		return at + " failed " + s.Call + " " + s.Returned.Error
	case s.Returned != nil:
		return fmt.Sprintf("%s returned %s %s", at, s.Call, s.Returned.Result)
	case s.Spawned != nil:
		return at + " spawned by " + s.Call + " " + s.Spawned.Kind
	case s.Ended != nil:
		return strings.TrimSpace(at + " ended " + s.Ended.Answer + s.Ended.Error)
	}
	return "nothing"
}

// read returns what a reader tells of rows.
func read(t *testing.T, r *turns.Reader, in string) (lines []string) {
	t.Helper()
	for s, err := range r.Read(strings.NewReader(in)) {
		require.NoError(t, err)
		lines = append(lines, told(s))
	}
	return lines
}

const (
	session = `{"do":"session","id":"s"}` + "\n"
	prompt  = `{"do":"prompt","id":"p","text":"go"}` + "\n"
)

func TestRowsBecomeTurns(t *testing.T) {
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"a call, its result, and the answer": {
			`{"do":"answer","id":"a","text":"I look."}
{"do":"think","text":"It may be there."}
{"do":"seal","bytes":7}
{"do":"seal"}
{"do":"call","id":"c","text":"look"}
{"do":"use","bytes":9}
{"do":"use","bytes":-1}
{"do":"stop","text":"tool_use"}
{"do":"return","id":"c","text":"found"}
{"do":"answer","id":"b","text":"It is there."}
`, []string{"p a/0 said I look.", "p a/1 thought It may be there.", "p a/2 sealed 7",
				`p a/3 called c look {"q":1}`, "p used 9", "p stopped tool_use", `p returned c "found"`,
				"p b/0 said It is there.", "p ended It is there."},
		},
		"an answer in several rows is one": {
			`{"do":"answer","id":"a","text":"One."}
{"do":"answer","id":"a","text":"Two."}
`, []string{"p a/0 said One.", "p a/1 said Two.", "p ended One.\n\nTwo."},
		},
		"what failed says so, also where the program does not say how": {
			`{"do":"answer","id":"a"}
{"do":"call","id":"c","text":"look"}
{"do":"return","id":"c","failure":"no"}
{"do":"call","id":"d","text":"look"}
{"do":"return","id":"d","failure":" "}
{"do":"fail","text":"the provider is away"}
`, []string{`p a/0 called c look {"q":1}`, "p failed c no", `p a/1 called d look {"q":1}`,
				"p failed d it failed, and the program does not say how", "p ended the provider is away"},
		},
		"the next prompt ends a turn, and the same row again is none": {
			`{"do":"answer","id":"a","text":"Done."}
{"do":"prompt","id":"q","text":"more"}
{"do":"prompt","id":"q","text":"more"}
{"do":"prompt","id":"r","text":" "}
`, []string{"p a/0 said Done.", "p ended Done.", "q prompt more", "q ended"},
		},
		"a sub-agent belongs to the turn in which it started": {
			`{"do":"answer","id":"a"}
{"do":"call","id":"c","text":"task"}
{"do":"spawn","id":"c","sub":"x","text":"scout"}
{"do":"prompt","id":"q","text":"more"}
{"do":"answer","id":"b","sub":"x","text":"It is east."}
{"do":"close sub","sub":"x"}
`, []string{`p a/0 called c task {"q":1}`, "p x spawned by c scout", "p ended", "q prompt more",
				"p x b/0 said It is east.", "p x ended It is east.", "q ended"},
		},
		"the program tells how a turn ended": {
			`{"do":"answer","id":"a","text":"I was about to"}
{"do":"close","text":"interrupted"}
{"do":"close","text":"again"}
`, []string{"p a/0 said I was about to", "p ended interrupted"},
		},
		"an answer behind a lost row, which may have been a prompt, is nobody's": {
			`{"do":"answer","id":"a","text":"Done."}
half
{"do":"answer","id":"b","text":"To what?"}
`, []string{"p a/0 said Done.", "p lost", "p ended", " b/0 said To what?", "ended To what?"},
		},
		"between a call and what follows no prompt can be lost": {
			`{"do":"answer","id":"a"}
{"do":"call","id":"c","text":"look"}
{"do":"lose"}
{"do":"answer","id":"b","text":"Done."}
`, []string{`p a/0 called c look {"q":1}`, "p lost", "p b/0 said Done.", "p ended Done."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := append([]string{"p prompt go"}, c.want...)
			assert.Equal(t, want, read(t, newReader(false), session+prompt+c.rows))
		})
	}
}

func TestAReaderCountsWhatItCannotTell(t *testing.T) {
	r := newReader(false)
	got := read(t, r, prompt+`{"do":"session","id":"s","text":"Leaves"}
{"do":"session","id":"s","text":"Leaves"}
`+prompt+`{"do":"weather"}
{"do":"return","text":"x"}
{"do":"answer","id":"a","text":"`+strings.Repeat("long ", 1<<20)+`"}
{"do":"call","id":"c"}
`)
	require.Len(t, got, 4)
	assert.Equal(t, []string{"title Leaves", "p prompt go"}, got[:2], "a title that is the same is no news")
	report := r.Report()
	assert.Equal(t, 3, report.Malformed, "a row before the session, a result of no call, a call of no tool")
	assert.Equal(t, 1, report.Skipped["weather"])
	assert.Equal(t, 1, report.Cut)
	assert.Equal(t, 4, report.Sightings)
}

func TestAFileThatGrowsIsReadOnAndEndsWhenItIsSaid(t *testing.T) {
	r := newReader(true)
	whole := session + prompt + `{"do":"answer","id":"a","text":"Done."}` + "\n"
	half := len(whole) - 10
	assert.Equal(t, []string{"p prompt go"}, read(t, r, whole[:half]))
	at := int(r.Offset())
	assert.Equal(t, len(session+prompt), at, "the row without its end is left")
	assert.Equal(t, []string{"p a/0 said Done."}, read(t, r, whole[at:]))
	end := r.End()
	require.Len(t, end, 1)
	assert.Equal(t, "p ended Done.", told(end[0]))
	assert.Empty(t, r.End(), "a turn ends once")
}

func TestAReaderStopsWhenNobodyReadsOn(t *testing.T) {
	r, seen := newReader(false), 0
	for range r.Read(strings.NewReader(session + prompt + prompt)) {
		seen++
		break
	}
	assert.Equal(t, 1, seen)
	broken := errors.New("the disk is gone")
	for _, err := range newReader(false).Read(io.MultiReader(strings.NewReader(session), iotest.ErrReader(broken))) {
		require.ErrorIs(t, err, broken)
	}
}
