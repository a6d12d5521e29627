package pi_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/pi"
	"candor/attach/rows"
)

var update = flag.Bool("update", false, "write the sightings of the recorded file anew")

// recorded returns the recorded session, which was resumed once, and has a branch that was left.
func recorded(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
	require.NoError(t, err)
	return string(raw)
}

// read returns the sightings of a file's text, and the report.
func read(t testing.TB, text string) ([]attach.Sighting, rows.Report) {
	t.Helper()
	branch, err := pi.BranchOf(strings.NewReader(text))
	require.NoError(t, err)
	return attachtest.Read(t, pi.NewReader("01a20000-0000-7000-8000-000000000001", branch, false), text)
}

// TestTheRecordedFileGivesItsSightings compares the sightings of what the real program wrote with those that were read
// and found right.
func TestTheRecordedFileGivesItsSightings(t *testing.T) {
	list, report := read(t, recorded(t))
	got, want := attachtest.JSON(t, list), filepath.Join("testdata", "session.want")
	if *update {
		require.NoError(t, os.WriteFile(want, []byte(got), 0o644))
	}
	raw, err := os.ReadFile(want)
	require.NoError(t, err)
	assert.Equal(t, string(raw), got)
	assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut)
	assert.Equal(t, attachtest.Tally{Calls: 3, Texts: 4, Thoughts: 1, Sealed: 1, Groups: 1, Results: 3},
		attachtest.TallyOf(list), "as docs/agents.md says")
	assert.NotContains(t, got, "lose", "of the branch that was left")
}

// row returns an entry of a type behind another.
func row(id, parent, kind, more string) string {
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%q,"timestamp":"2026-11-20T09:00:00.5Z",%s}`+"\n", kind, id,
		parent, more)
}

// says returns an entry with a message.
func says(id, parent, role, more string) string {
	return row(id, parent, "message", `"message":{"role":"`+role+`",`+more+"}")
}

// begin begins a file; prompted is a file with a prompt, and asks one with an answer that asks for a call.
var (
	begin    = row("s", "", "session", `"version":3,"cwd":"/w"`)
	prompted = begin + says("p1", "", "user", `"content":"Why?"`)
	asks     = prompted + says("a1", "p1", "assistant", `"content":[{"type":"toolCall","id":"c","name":"t",`+
		`"arguments":{"a":1}}]`)
)

// given returns the sightings of a file that was made for a test, without what they share and an end without an answer
// behind all others.
func given(t *testing.T, text string) string {
	t.Helper()
	list, _ := read(t, text)
	if last := len(list) - 1; last >= 0 && list[last].Ended != nil && *list[last].Ended == (attach.Ended{}) {
		list = list[:last]
	}
	for i := range list {
		assert.Equal(t, "pi", list[i].Agent)
		list[i].Agent, list[i].Session, list[i].Channel = "", "", ""
		list[i].At = rows.Time("")
	}
	return strings.ReplaceAll(attachtest.JSON(t, list), `"agent":"","session":"","channel":"",`, "")
}

// TestWhatRowsTell holds what rows give that the recorded file does not have.
func TestWhatRowsTell(t *testing.T) {
	const folder = `{"about":{"folder":"/w"}}` + "\n"
	const prompt = folder + `{"turn":"p1","prompted":{"text":"Why?"}}` + "\n"
	const called = `{"turn":"p1","group":"a1","call":"c","called":{"tool":"t","params":{"a":1}}}` + "\n"
	for name, c := range map[string]struct{ rows, want string }{
		"a prompt of several parts": {begin + says("p1", "", "user",
			`"content":[{"type":"text","text":"Why"},{"type":"text","text":"not?"}]`),
			folder + `{"turn":"p1","prompted":{"text":"Why\nnot?"}}` + "\n"},
		"a prompt of the first version has no id": {begin + says("", "", "user", `"content":"Why?"`),
			folder + `{"turn":"at-20261120T090000.500000000","prompted":{"text":"Why?"}}` + "\n"},
		"texts, thoughts and calls in their order": {prompted + says("a1", "p1", "assistant",
			`"content":[{"type":"text","text":"One."},{"type":"thinking","thinking":"Hm."},`+
				`{"type":"toolCall","id":"c","name":"t"},{"type":"text","text":"Two."}]`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"One."}}` + "\n" +
				`{"turn":"p1","group":"a1","index":1,"said":{"text":"Hm.","summary":true}}` + "\n" +
				`{"turn":"p1","group":"a1","index":2,"call":"c","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","group":"a1","index":3,"said":{"text":"Two."}}` + "\n"},
		"what is cached is a part of the input": {prompted + says("a1", "p1", "assistant",
			`"content":[],"usage":{"input":1,"output":5,"cacheRead":20,"cacheWrite":300,"reasoning":4}`),
			prompt + `{"turn":"p1","group":"a1","used":{"input":321,"output":5,"reasoning":4,"cached":20}}` + "\n"},
		"a figure below zero is none": {prompted + says("a1", "p1", "assistant", `"content":[],"usage":{"input":1,`+
			`"output":-5}`) + says("a2", "a1", "assistant", `"content":[],"usage":{"input":9,"cacheRead":-5}`), prompt},
		"a call failed": {asks + says("r", "a1", "toolResult", `"toolCallId":"c","isError":true,"content":"no"`),
			prompt + called + `{"turn":"p1","call":"c","returned":{"error":"no"}}` + "\n"},
		"a result with a picture": {asks + says("r", "a1", "toolResult",
			`"toolCallId":"c","content":[{"type":"text","text":"x"},{"type":"image","data":"aGk="}]`),
			prompt + called + `{"turn":"p1","call":"c","returned":{"result":"x","partial":true}}` + "\n"},
		"two calls with one id": {asks + says("r", "a1", "toolResult", `"toolCallId":"c","content":"1"`) +
			says("a2", "r", "assistant", `"content":[{"type":"toolCall","id":"c","name":"t"}]`) +
			says("r2", "a2", "toolResult", `"toolCallId":"c","content":"2"`),
			prompt + called + `{"turn":"p1","call":"c","returned":{"result":"1"}}` + "\n" +
				`{"turn":"p1","group":"a2","call":"call-a2-0","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","call":"call-a2-0","returned":{"result":"2"}}` + "\n"},
		"a person stopped the turn": {prompted + says("a1", "p1", "assistant",
			`"content":[{"type":"text","text":"I"}],"stopReason":"aborted","errorMessage":"Request was aborted"`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"I"}}` + "\n" +
				`{"turn":"p1","group":"a1","stopped":{"reason":"aborted"}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{"interrupted":true}}` + "\n"},
		"an answer failed": {prompted + says("a1", "p1", "assistant",
			`"content":[{"type":"text","text":"I"}],"stopReason":"error","errorMessage":"overloaded"`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"I"}}` + "\n" +
				`{"turn":"p1","group":"a1","stopped":{"reason":"error"}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{"error":"overloaded"}}` + "\n"},
		"an answer failed, and the next did not": {prompted + says("a1", "p1", "assistant",
			`"content":[],"stopReason":"error","errorMessage":"overloaded"`) +
			says("a2", "a1", "assistant", `"content":[{"type":"text","text":"So."}]`),
			prompt + `{"turn":"p1","group":"a1","stopped":{"reason":"error"}}` + "\n" +
				`{"turn":"p1","group":"a2","said":{"text":"So."}}` + "\n" +
				`{"turn":"p1","group":"a2","ended":{"answer":"So."}}` + "\n"},
		"a fork is told of, and not what it copied": {
			`{"type":"session","id":"f","timestamp":"2026-11-20T10:00:00Z","parentSession":"/s/2026_s.jsonl"}` + "\n" +
				prompted[len(begin):] + strings.ReplaceAll(says("p2", "p1", "user", `"content":"And?"`), "T09", "T10"),
			`{"about":{"fork_of":"s"}}` + "\n" + `{"turn":"p2","prompted":{"text":"And?"}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, given(t, c.rows)) })
	}
}

// TestTheActiveBranchIsTold holds for files whose entries are a tree: the branch of the last entry counts, whatever was
// lost of it.
func TestTheActiveBranchIsTold(t *testing.T) {
	ask := func(id, parent string) string { return says(id, parent, "user", `"content":"`+id+`"`) }
	for name, c := range map[string]struct{ rows, want string }{
		"one branch":                       {ask("a", "") + ask("b", "a") + ask("c", "b"), "a b c"},
		"a person went back":               {ask("a", "") + ask("b", "a") + ask("c", "a"), "a c"},
		"and back again":                   {ask("a", "") + ask("b", "a") + ask("c", "a") + ask("d", "b"), "a b d"},
		"a person began anew":              {ask("a", "") + ask("b", "a") + ask("c", ""), "c"},
		"an entry was lost":                {ask("a", "") + ask("c", "b") + ask("d", "c"), "a c d"},
		"the entry was lost that was left": {ask("a", "") + ask("c", "b") + ask("d", "a"), "a d"},
		"an entry is written twice":        {ask("a", "") + ask("b", "a") + ask("b", "a"), "a b"},
		"an entry stands behind itself":    {ask("a", "a") + ask("b", "a"), "a b"},
		"entries stand behind each other":  {ask("a", "b") + ask("b", "a"), "a b"},
		"entries of the first version": {says("", "", "user", `"content":"a"`) +
			says("", "", "user", `"content":"b"`), "a b"},
		"half a row at the end changes none": {ask("a", "") + ask("b", "a") + `{"type":"message","id":"c","par`, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, begin+c.rows)
			var told []string
			for _, s := range list {
				if s.Prompted != nil {
					told = append(told, s.Prompted.Text)
				}
			}
			assert.Equal(t, strings.Fields(c.want), told)
		})
	}
	_, report := read(t, recorded(t))
	assert.Equal(t, 4, report.Skipped["entry of a branch that was left"])
	_, err := pi.BranchOf(iotest.ErrReader(io.ErrUnexpectedEOF))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// TestAFileOfVeryManyEntriesHasNoBranches holds that everything of it is told.
func TestAFileOfVeryManyEntriesHasNoBranches(t *testing.T) {
	var b strings.Builder
	for i := range 1 << 17 {
		fmt.Fprintf(&b, `{"type":"x","id":"%d","parentId":"0"}`+"\n", i)
	}
	branch, err := pi.BranchOf(strings.NewReader(b.String()))
	require.NoError(t, err)
	assert.Equal(t, pi.Branch{}, branch)
}

// TestWhatIsNotGivenIsCounted holds that a person can see what became of the rows of a file.
func TestWhatIsNotGivenIsCounted(t *testing.T) {
	_, report := read(t, recorded(t)+row("x", "", "new_kind", `"x":1`)+`{"type":"message","id":"x","mess`)
	assert.Equal(t, 1, report.Skipped["new_kind"])
	assert.Equal(t, 1, report.Torn)
	_, report = read(t, recorded(t))
	assert.Equal(t, 1, report.Skipped["compaction"])
	assert.Equal(t, 1, report.Skipped["message bashExecution"])
	assert.Equal(t, 29, report.Sealed, "a sealed thought, a signature and a picture")
}

// TestAGrowingFileIsReadOn holds that a file without branches is read in pieces as it is in one.
func TestAGrowingFileIsReadOn(t *testing.T) {
	text := asks + says("r", "a1", "toolResult", `"toolCallId":"c","content":"1"`) +
		says("a2", "r", "assistant", `"content":[{"type":"text","text":"So."}]`)
	whole, _ := read(t, text)
	r := pi.NewReader("", pi.Branch{}, true)
	var all []attach.Sighting
	for end := range len(text) + 1 {
		for s, err := range r.Read(iotest.HalfReader(strings.NewReader(text[r.Offset():end]))) {
			require.NoError(t, err)
			all = append(all, s)
		}
	}
	assert.Equal(t, attachtest.JSON(t, whole), attachtest.JSON(t, append(all, r.End()...)))
}

// TestDamagedFilesLoseOnlyWhatIsCounted damages the first row, a prompt, an answer with calls, a result and an answer.
func TestDamagedFilesLoseOnlyWhatIsCounted(t *testing.T) {
	attachtest.TestDamage(t, recorded(t), []int{0, 3, 4, 5, 9}, map[string]attachtest.Damage{
		"a number for an id":  attachtest.Replaced(`"id":"`, `"id":7,"x":"`),
		"an id with escapes":  attachtest.Replaced(`"id":"`, `"id":"\u001b[31m`),
		"a long id":           attachtest.Replaced(`"id":"`, `"id":"`+strings.Repeat("0", 200)),
		"a list for a type":   attachtest.Replaced(`{"type":"`, `{"type":[],"x":"`),
		"a row of no type":    attachtest.Replaced(`{"type":"`, `{"kind":"`),
		"a number for a time": attachtest.Replaced(`"timestamp":"`, `"timestamp":7,"x":"`),
	}, read)
	attachtest.TestDamage(t, recorded(t), []int{3, 4, 5, 9}, map[string]attachtest.Damage{
		"a number for a message": attachtest.Replaced(`"message":{`, `"message":7,"x":{`),
		"a number for a content": attachtest.Replaced(`"content":`, `"content":7,"x":`),
		"lists in a content":     attachtest.Replaced(`"content":`, `"content":[[[]]],"x":`),
	}, read)
}

// FuzzFilesOfStrangers holds what every file has to keep to, and that each row is counted.
func FuzzFilesOfStrangers(f *testing.F) {
	f.Add(recorded(f))
	f.Add(prompted)
	f.Fuzz(func(t *testing.T, text string) {
		list, report := read(t, text)
		for _, s := range list {
			attachtest.AssertSound(t, s, 256)
		}
		full := 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				full++
			}
		}
		assert.GreaterOrEqual(t, report.Rows, full)
	})
}
