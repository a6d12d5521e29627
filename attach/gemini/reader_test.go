package gemini_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/gemini"
	"candor/attach/rows"
)

var update = flag.Bool("update", false, "write the sightings of the recorded file anew")

// recorded returns the recorded session, which was resumed once.
func recorded(t testing.TB) string {
	t.Helper()
	return attachtest.Recorded(t, "chats/session.jsonl")
}

// read returns the sightings of a file's text in the recorded project, and the report.
func read(t testing.TB, text string) ([]attach.Sighting, rows.Report) {
	t.Helper()
	return attachtest.Read(t, gemini.NewReader(os.DirFS("testdata"), false), text)
}

// TestTheRecordedFileGivesItsSightings compares the sightings of what the real program wrote with those that were read
// and found right.
func TestTheRecordedFileGivesItsSightings(t *testing.T) {
	list, report := read(t, recorded(t))
	got, want := attachtest.JSON(t, list), filepath.Join("testdata", "session.want")
	if *update {
		require.NoError(t, os.WriteFile(want, []byte(got), 0o644))
	}
	assert.Equal(t, attachtest.Recorded(t, "session.want"), got)
	assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut)
	assert.Equal(t, 11, strings.Count(got, `"called"`))
	assert.Equal(t, 11, strings.Count(got, `"returned"`))
}

// TestWhatIsNotGivenIsCounted holds that a person can see what became of the rows of a file.
func TestWhatIsNotGivenIsCounted(t *testing.T) {
	_, report := read(t, recorded(t))
	assert.Equal(t, 14, report.Copied, "messages that are written again when the session is resumed")
	assert.Positive(t, report.Skipped["set"])
	assert.Positive(t, report.Skipped["user results"])
	assert.Equal(t, 1, report.Skipped["user task of a sub-agent"])
}

// begin begins a file, and message is a row of it.
const begin = `{"sessionId":"s","projectHash":"h","kind":"main"}` + "\n"

func message(id, kind, members string) string {
	return `{"id":"` + id + `","type":"` + kind + `","timestamp":"2026-11-20T09:00:00.5Z",` + members + "}\n"
}

// prompted is a file with a prompt.
var prompted = begin + message("p1", "user", `"content":[{"text":"Why?"}]`)

// given returns the sightings of a file that was made for a test, without what they share and an end without an answer
// behind all others.
func given(t *testing.T, text string) string {
	t.Helper()
	list, _ := read(t, text)
	// The end of the file ends its last turn.
	if last := len(list) - 1; last >= 0 && list[last].Ended != nil && *list[last].Ended == (attach.Ended{}) {
		list = list[:last]
	}
	for i := range list {
		list[i].Agent, list[i].Session, list[i].Channel = "", "", ""
		list[i].At = rows.Time("")
	}
	out := attachtest.JSON(t, list)
	return strings.ReplaceAll(out, `"agent":"","session":"","channel":"",`, "")
}

// TestWhatRowsTell holds what rows that the recorded file does not have give.
func TestWhatRowsTell(t *testing.T) {
	const folder = `{"about":{"folder":"/home/ann/notes"}}` + "\n"
	const prompt = folder + `{"turn":"p1","prompted":{"text":"Why?"}}` + "\n"
	answer := func(members string) string { return message("a1", "gemini", members) }
	for name, c := range map[string]struct{ rows, want string }{
		"a text as a prompt": {begin + message("p", "user", `"content":"Why?"`),
			folder + `{"turn":"p","prompted":{"text":"Why?"}}` + "\n"},
		"what a person typed, and not what was added": {
			begin + message("p", "user", `"content":[{"text":"a whole file"}],"displayContent":{"text":"@file"}`),
			folder + `{"turn":"p","prompted":{"text":"@file"}}` + "\n"},
		"what hooks added is no prompt": {begin + message("p", "user", `"content":"<hook_context>x</hook_context>"`),
			folder},
		"a picture alone is no prompt": {begin + message("p", "user", `"content":[{"inlineData":{"data":"aGk="}}]`),
			folder},
		"the session's title": {begin + `{"$set":{"summary":"Ports"}}` + "\n",
			folder + `{"about":{"title":"Ports"}}` + "\n"},
		"an answer that is written twice": {prompted + answer(`"content":"No."`) + answer(`"content":"No."`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"No."}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{"answer":"No."}}` + "\n"},
		"a call that runs": {prompted + answer(`"toolCalls":[{"id":"c","name":"t","status":"executing"}]`),
			prompt + `{"turn":"p1","group":"a1","index":1,"call":"c","called":{"tool":"t"}}` + "\n"},
		"a call without an id": {prompted + answer(`"toolCalls":[{"name":"t","status":"executing"}]`),
			prompt + `{"turn":"p1","group":"a1","index":1,"call":"call-a1-1","called":{"tool":"t"}}` + "\n"},
		"a call without a tool": {prompted + answer(`"toolCalls":[{"id":"c","status":"success"}]`), prompt},
		"a call that a person refused": {prompted + answer(`"toolCalls":[{"id":"c","name":"t","status":"cancelled",`+
			`"result":[{"functionResponse":{"response":{"error":"[Operation Cancelled] Reason: User denied `+
			`execution."}}}]}]`),
			prompt + `{"turn":"p1","group":"a1","index":1,"call":"c","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","group":"a1","call":"c","returned":{"error":"[Operation Cancelled] Reason: ` +
				`User denied execution.","denied":true}}` + "\n"},
		"a failure with the words of a refusal": {prompted + answer(`"toolCalls":[{"id":"c","name":"t",`+
			`"status":"error","result":[{"functionResponse":{"response":{"error":"gcloud: denied by policy x"}}}]}]`),
			prompt + `{"turn":"p1","group":"a1","index":1,"call":"c","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","group":"a1","call":"c","returned":{"error":"gcloud: denied by policy x"}}` + "\n"},
		"a call that was stopped": {prompted + answer(`"toolCalls":[{"id":"c","name":"t","status":"cancelled"}]`),
			prompt + `{"turn":"p1","group":"a1","index":1,"call":"c","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","group":"a1","call":"c","returned":{"error":"it failed, and the program does not say ` +
				`how","cancelled":true}}` + "\n"},
		"a picture as a result": {prompted + answer(`"toolCalls":[{"id":"c","name":"t","status":"success",`+
			`"result":[{"text":"It is red."},{"inlineData":{"data":"aGk="}}]}]`),
			prompt + `{"turn":"p1","group":"a1","index":1,"call":"c","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","group":"a1","call":"c","returned":{"result":"It is red.","partial":true}}` + "\n"},
		"a turn that another prompt ends": {prompted +
			answer(`"content":"Wait.","toolCalls":[{"id":"c","name":"t","status":"executing"}]`) +
			message("p2", "user", `"content":"Go on"`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"Wait."}}` + "\n" +
				`{"turn":"p1","group":"a1","index":1,"call":"c","called":{"tool":"t"}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{}}` + "\n" + `{"turn":"p2","prompted":{"text":"Go on"}}` + "\n"},
		"a step back undoes nothing": {prompted + `{"$rewindTo":"p1"}` + "\n", prompt},
		"numbers below zero are no usage": {prompted + answer(`"content":"No.","tokens":{"input":-1}`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"No."}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{"answer":"No."}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, given(t, c.rows)) })
	}
}

// TestCopiesOfMessagesAreNotGiven holds for what the program writes when it resumes a session, or shortens it: none of
// it is news, and the texts with which it shortens are nobody's.
func TestCopiesOfMessagesAreNotGiven(t *testing.T) {
	copies := `{"$set":{"messages":[` + strings.TrimSpace(message("p1", "user", `"content":"Why?"`)) + "," +
		strings.TrimSpace(message("x", "user", `"content":"A summary of all."`)) + `]}}` + "\n"
	assert.Equal(t, given(t, prompted), given(t, prompted+copies))
	_, report := read(t, prompted+copies)
	assert.Equal(t, 2, report.Copied)
}

// TestAnAnswerAfterALostPromptIsNobodys holds that an answer is not given to the prompt before the one that was lost,
// whose turn is over without one.
func TestAnAnswerAfterALostPromptIsNobodys(t *testing.T) {
	text := prompted + message("a1", "gemini", `"content":"No."`) + "{\n" + message("a2", "gemini", `"content":"Yes."`)
	assert.Contains(t, given(t, text), `{"group":"a2","said":{"text":"Yes."}}`)
	assert.NotContains(t, given(t, text), `{"answer":"No."}`)
	assert.Contains(t, given(t, text), `{"turn":"p1","group":"a1","ended":{}}`)
}

// TestSubAgentsAreReadWithTheirSession holds that the file of a sub-agent is read once, in the turn of its call, and
// that no name of a sub-agent leads to a file elsewhere.
func TestSubAgentsAreReadWithTheirSession(t *testing.T) {
	call := `"toolCalls":[{"id":"c","name":"invoke_agent","status":"success","agentId":"ID"}]`
	file := `{"sessionId":"sub1","projectHash":"h","kind":"subagent"}` + "\n" +
		message("q", "user", `"content":"Look"`) + message("b", "gemini", `"content":"I look."`)
	project := fstest.MapFS{"chats/s/sub1.jsonl": {Data: []byte(file)}, "secret.jsonl": {Data: []byte(file)}}
	all := func(id string) (string, rows.Report) {
		var list []attach.Sighting
		r := gemini.NewReader(project, false)
		text := prompted + message("a1", "gemini", strings.ReplaceAll(call, "ID", id))
		for s, err := range r.Read(strings.NewReader(text + text)) {
			require.NoError(t, err)
			list = append(list, s)
		}
		return attachtest.JSON(t, list), r.Report()
	}
	text, _ := all("sub1")
	assert.Equal(t, 1, strings.Count(text, "I look."), "once")
	assert.Contains(t, text, `"turn":"p1","sub":"sub1","group":"b","said":{"text":"I look."}`)
	for _, elsewhere := range []string{"../../secret", "..", "/etc/passwd", "a b"} {
		text, report := all(elsewhere)
		assert.NotContains(t, text, "I look.", elsewhere)
		assert.Positive(t, report.Malformed)
	}
	_, report := all("gone")
	assert.Equal(t, 1, report.Skipped["sub-agent without a file"])
	list, alone := read(t, file)
	assert.Empty(t, list, "its file does not say whose it is")
	assert.Equal(t, 3, alone.Skipped["row of a sub-agent"])
}

// TestAGrowingFileIsReadOnWhereItEnded cuts a file at many bytes, and reads the rest afterwards.
func TestAGrowingFileIsReadOnWhereItEnded(t *testing.T) {
	text := recorded(t)
	whole, _ := read(t, text)
	var want []attach.Sighting
	for i, s := range whole {
		if s.Ended == nil || i < len(whole)-1 { // the end of the last turn may still change
			want = append(want, s)
		}
	}
	for at := 0; at < len(text); at += 97 {
		r := gemini.NewReader(os.DirFS("testdata"), true)
		var all []attach.Sighting
		for _, end := range []int{at, len(text)} {
			for s, err := range r.Read(strings.NewReader(text[r.Offset():end])) {
				require.NoError(t, err)
				all = append(all, s)
			}
		}
		require.Equal(t, attachtest.JSON(t, want), attachtest.JSON(t, all), at)
		assert.Zero(t, r.Report().Torn+r.Report().Malformed)
	}
}

func TestAFileThatCannotBeReadEndsWithItsError(t *testing.T) {
	var failed error
	for _, err := range gemini.NewReader(nil, false).Read(iotest.ErrReader(os.ErrPermission)) {
		failed = err
	}
	assert.ErrorIs(t, failed, os.ErrPermission)
}

// TestAReaderOfSightingsMayStop holds that nothing is given to somebody who wants no more.
func TestAReaderOfSightingsMayStop(t *testing.T) {
	for _, stop := range []int{3, 20} { // within the file, and within that of a sub-agent
		r := gemini.NewReader(os.DirFS("testdata"), false)
		n := 0
		for range r.Read(strings.NewReader(recorded(t))) {
			if n++; n == stop {
				break
			}
		}
		assert.Equal(t, stop, n)
	}
}

// TestLongTextsAndResultsAreCutAndCounted holds that a sighting fits into what a server takes.
func TestLongTextsAndResultsAreCutAndCounted(t *testing.T) {
	long := strings.Repeat("x", rows.MaxText+1)
	text := prompted + message("a1", "gemini", `"content":"`+long+`","thoughts":[{"subject":"`+long+`"}],`+
		`"toolCalls":[{"id":"c","name":"t","args":{"a":"`+long+`"},"status":"success","result":"`+long+`"}]`)
	list, report := read(t, text)
	assert.Equal(t, 4, report.Cut)
	for _, s := range list {
		assert.LessOrEqual(t, len(attachtest.JSON(t, []attach.Sighting{s})), rows.MaxText+1000)
	}
}

func TestCallsOfAnAnswerAreBounded(t *testing.T) {
	calls := strings.Repeat(`{"id":"c","name":"t"},`, 1100)
	list, report := read(t, prompted+message("a1", "gemini", `"toolCalls":[`+strings.TrimSuffix(calls, ",")+`]`))
	assert.Less(t, len(list), 1010)
	assert.Equal(t, 100, report.Skipped["call beyond the bound"])
}
