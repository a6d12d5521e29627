package copilot_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/copilot"
	"candor/attach/rows"
)

var update = flag.Bool("update", false, "write the sightings of the recorded file anew")

// recorded returns the recorded session, which was resumed twice.
func recorded(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
	require.NoError(t, err)
	return string(raw)
}

// read returns the sightings of a file's text, and the report.
func read(t testing.TB, text string) ([]attach.Sighting, rows.Report) {
	t.Helper()
	return attachtest.Read(t, copilot.NewReader("00000000-0000-4000-8000-000000000001", false), text)
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
	assert.Equal(t, attachtest.Tally{Calls: 6, Texts: 8, Thoughts: 1, Groups: 1, Results: 6, Times: 6},
		attachtest.TallyOf(list), "as docs/agents.md says")
	assert.NotContains(t, got, "current_datetime")
}

// row returns a row of a type, with data.
func row(id, kind, data string) string {
	return `{"type":"` + kind + `","id":"` + id + `","timestamp":"2026-11-20T09:00:00.5Z","data":{` + data + "}}\n"
}

// begin begins a file; prompted is a file with a prompt.
var (
	begin    = row("s0", "session.start", `"sessionId":"s"`)
	prompted = begin + row("p1", "user.message", `"content":"Why?"`)
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
		assert.Equal(t, "copilot", list[i].Agent)
		list[i].Agent, list[i].Session, list[i].Channel = "", "", ""
		list[i].At = rows.Time("")
	}
	return strings.ReplaceAll(attachtest.JSON(t, list), `"agent":"","session":"","channel":"",`, "")
}

// TestWhatRowsTell holds what rows give that the recorded file does not have.
func TestWhatRowsTell(t *testing.T) {
	const prompt = `{"turn":"p1","prompted":{"text":"Why?"}}` + "\n"
	const call = `"toolRequests":[{"toolCallId":"c","name":"t","arguments":{"a":1}}]`
	const called = `{"turn":"p1","group":"a1","call":"c","called":{"tool":"t","params":{"a":1}}}` + "\n"
	asks := prompted + row("a1", "assistant.message", call)
	for name, c := range map[string]struct{ rows, want string }{
		"what the program added is no part of a prompt": {begin + row("p1", "user.message",
			`"content":"<current_datetime>now</current_datetime>\n\nWhy?\n\n<reminder>\n<sql_tables>x</sql_tables>\n`+
				`</reminder>"`), prompt},
		"tags that a person wrote stay": {begin + row("p1", "user.message",
			`"content":"Why <reminder>x</reminder> there?"`),
			`{"turn":"p1","prompted":{"text":"Why <reminder>x</reminder> there?"}}` + "\n"},
		"a message of the program begins no turn": {prompted + row("p2", "user.message",
			`"content":"done","source":"system"`) + row("p3", "user.message", `"content":"x","source":"skill-pdf"`),
			prompt},
		"what the program asks for by itself": {begin + row("p2", "user.message",
			`"content":"go on","isAutopilotContinuation":true`),
			`{"turn":"p2","prompted":{"text":"go on","by":"autopilot"}}` + "\n"},
		"a message of an unknown source names it": {begin + row("p2", "user.message",
			`"content":"go on","source":"remote"`), `{"turn":"p2","prompted":{"text":"go on","by":"remote"}}` + "\n"},
		"a message without a text": {prompted + row("p2", "user.message", `"content":" "`), prompt},
		"a prompt without an id": {begin + row("", "user.message", `"content":"Why?"`),
			`{"turn":"at-20261120T090000.500000000","prompted":{"text":"Why?"}}` + "\n"},
		"an answer in several rows": {prompted + row("a1", "assistant.message",
			`"reasoningText":"Hm.","content":"One.","apiCallId":"r","chunkIndex":0,"chunkCount":2`) +
			row("a2", "assistant.message", `"content":"Two.","apiCallId":"r","chunkIndex":1,"chunkCount":2`),
			prompt + `{"turn":"p1","group":"a1","said":{"text":"Hm.","summary":true}}` + "\n" +
				`{"turn":"p1","group":"a1","index":1,"said":{"text":"One."}}` + "\n" +
				`{"turn":"p1","group":"a1","index":2,"said":{"text":"Two."}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{"answer":"One.\n\nTwo."}}` + "\n"},
		"a thought that is sealed": {prompted + row("a1", "assistant.message",
			`"content":"","reasoningOpaque":"abc","encryptedContent":"de"`),
			prompt + `{"turn":"p1","group":"a1","sealed":{"bytes":5}}` + "\n"},
		"why the model stopped": {prompted + row("u", "session.usage_record",
			`"usage":{"apiCallId":"r","inputTokens":9,"outputTokens":4,"finishReason":"length"}`) +
			row("a1", "assistant.message", `"content":"","apiCallId":"r"`),
			prompt + `{"turn":"p1","group":"a1","used":{"input":9,"output":4}}` + "\n" +
				`{"turn":"p1","group":"a1","stopped":{"reason":"length"}}` + "\n"},
		"tokens of another reply": {prompted + row("u", "session.usage_record",
			`"usage":{"apiCallId":"q","inputTokens":9}`) +
			row("a1", "assistant.message", `"content":"","apiCallId":"r","outputTokens":2`),
			prompt + `{"turn":"p1","group":"a1","used":{"output":2}}` + "\n"},
		"a person refused a call": {asks + row("r", "tool.execution_complete",
			`"toolCallId":"c","success":false,"error":{"message":"no","code":"rejected"}`),
			prompt + called + `{"turn":"p1","call":"c","returned":{"error":"no","denied":true}}` + "\n"},
		"a call failed without words": {asks + row("r", "tool.execution_complete", `"toolCallId":"c","success":false`),
			prompt + called + `{"turn":"p1","call":"c","returned":{"error":"it failed, and the program does not say ` +
				`how"}}` + "\n"},
		"a result with a picture": {asks + row("r", "tool.execution_complete",
			`"toolCallId":"c","success":true,"result":{"content":"x","binaryResultsForLlm":[{"data":"aGk="}]}`),
			prompt + called + `{"turn":"p1","call":"c","returned":{"result":"x","partial":true}}` + "\n"},
		"a call of a person is none of the model": {prompted + row("r", "tool.execution_complete",
			`"toolCallId":"u","success":true,"isUserRequested":true,"result":{"content":"x"}`), prompt},
		"a turn that a person stopped": {asks + row("e", "abort", `"reason":"user_initiated"`),
			prompt + called + `{"turn":"p1","group":"a1","ended":{"interrupted":true}}` + "\n"},
		"a text beside calls is no answer of the turn": {prompted + row("a1", "assistant.message",
			`"content":"I look.",`+call), prompt + `{"turn":"p1","group":"a1","said":{"text":"I look."}}` + "\n" +
			strings.Replace(called, `"call":`, `"index":1,"call":`, 1)},
		"a turn that failed": {prompted + row("e", "session.error", `"errorType":"quota","message":"no more"`),
			prompt + `{"turn":"p1","ended":{"error":"no more"}}` + "\n"},
		"another model and folder": {begin + row("m", "session.model_change", `"newModel":"m2"`) +
			row("f", "session.context_changed", `"cwd":"/w"`),
			`{"about":{"model":"m2"}}` + "\n" + `{"about":{"folder":"/w"}}` + "\n"},
		"the model of a sub-agent is not the session's": {begin + strings.Replace(row("m", "session.model_change",
			`"newModel":"m2"`), `{`, `{"agentId":"g",`, 1), ""},
		"a sub-agent of an older version": {asks +
			row("b", "subagent.started", `"toolCallId":"c","agentName":"explore"`) +
			row("a2", "assistant.message", `"content":"I look.","parentToolCallId":"c"`),
			prompt + called + `{"turn":"p1","sub":"c","call":"c","spawned":{"kind":"explore"}}` + "\n" +
				`{"turn":"p1","sub":"c","group":"a2","said":{"text":"I look."}}` + "\n"},
		"a sub-agent in the background ends in its own turn": {asks +
			row("b", "subagent.started", `"toolCallId":"c","agentName":"x","executionMode":"background"`) +
			row("p2", "user.message", `"content":"And?"`) +
			row("a2", "assistant.message", `"content":"Seen.","parentToolCallId":"c"`) +
			row("d", "subagent.completed", `"toolCallId":"c","parentToolCallId":"c"`),
			prompt + called + `{"turn":"p1","sub":"c","call":"c","spawned":{"kind":"x","background":true}}` + "\n" +
				`{"turn":"p1","group":"a1","ended":{}}` + "\n" + `{"turn":"p2","prompted":{"text":"And?"}}` + "\n" +
				`{"turn":"p1","sub":"c","group":"a2","said":{"text":"Seen."}}` + "\n" +
				`{"turn":"p1","sub":"c","group":"a2","ended":{"answer":"Seen."}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, given(t, c.rows)) })
	}
}

// TestWhatIsNotGivenIsCounted holds that a person can see what became of the rows of a file.
func TestWhatIsNotGivenIsCounted(t *testing.T) {
	_, report := read(t, recorded(t)+row("x", "session.new_kind", "")+`{"type":"user.message","data":{"conte`)
	assert.Equal(t, 1, report.Skipped["session new_kind"])
	assert.Equal(t, 2, report.Skipped["system message"])
	assert.Equal(t, 1, report.Skipped["user task of a sub-agent"])
	assert.Equal(t, 1, report.Torn)
	_, report = read(t, prompted+row("a", "assistant.message", `"content":7`)+`{"type":"x","data":[]}`+"\n")
	assert.Equal(t, 2, report.Malformed)
}

// TestCallsAndSubAgentsAreBounded holds that of more than are remembered the file's own words count: a call has no
// time, and a sub-agent belongs to the turn in which it speaks.
func TestCallsAndSubAgentsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(prompted)
	for i := range 1<<14 + 1 {
		b.WriteString(row("", "tool.execution_start", fmt.Sprintf(`"toolCallId":"c%d"`, i)))
	}
	for i := range 1<<10 + 1 {
		b.WriteString(row("", "subagent.started", fmt.Sprintf(`"toolCallId":"c%d","agentName":"x"`, i)))
	}
	b.WriteString(row("p2", "user.message", `"content":"And?"`))
	for _, id := range []string{"c0", "c1024", "c16384"} {
		end := row("", "tool.execution_complete", `"toolCallId":"`+id+`","success":true`)
		b.WriteString(strings.Replace(end, ":00.5Z", ":01.5Z", 1))
	}
	for i := range 1<<10 + 1 {
		b.WriteString(row("", "assistant.message", fmt.Sprintf(`"content":"x","parentToolCallId":"c%d"`, i)))
	}
	list, _ := read(t, b.String())
	took, turns := map[string]time.Duration{}, map[string]string{}
	for _, s := range list {
		if s.Returned != nil {
			took[s.Call] = s.Returned.Took
		}
		if s.Said != nil {
			turns[s.Sub] = s.Turn
		}
	}
	assert.Equal(t, map[string]time.Duration{"c0": time.Second, "c1024": time.Second, "c16384": 0}, took)
	assert.Equal(t, []string{"p1", "p2"}, []string{turns["c0"], turns["c1024"]})
}

// TestAFileWithoutASessionIsLost holds for a file that is not in the folder of a session, and has lost its first row.
func TestAFileWithoutASessionIsLost(t *testing.T) {
	r := copilot.NewReader("", false)
	for s := range r.Read(strings.NewReader(row("p", "user.message", `"content":"Why?"`))) {
		t.Errorf("given: %+v", s)
	}
	assert.Equal(t, 1, r.Report().Malformed)
}

// TestAGrowingFileIsReadOn holds that a file is read in pieces as it is in one.
func TestAGrowingFileIsReadOn(t *testing.T) {
	text := recorded(t)
	whole, _ := read(t, text)
	r := copilot.NewReader("", true)
	var all []attach.Sighting
	for at := range 20 {
		end := len(text) * (at + 1) / 20
		for s, err := range r.Read(iotest.HalfReader(strings.NewReader(text[r.Offset():end]))) {
			require.NoError(t, err)
			all = append(all, s)
		}
	}
	assert.Equal(t, attachtest.JSON(t, whole), attachtest.JSON(t, append(all, r.End()...)))
}

// TestDamagedFilesLoseOnlyWhatIsCounted damages a prompt, an answer with calls, a result and the last answer.
func TestDamagedFilesLoseOnlyWhatIsCounted(t *testing.T) {
	at := map[string]int{}
	for i, line := range strings.Split(recorded(t), "\n") {
		for _, kind := range []string{"user.message", "assistant.message", "tool.execution_complete"} {
			if strings.HasPrefix(line, `{"type":"`+kind+`"`) {
				at[kind] = i
			}
		}
		if strings.Contains(line, `"call_b"`) && at["calls"] == 0 {
			at["calls"] = i
		}
	}
	attachtest.TestDamage(t, recorded(t), []int{0, at["user.message"], at["calls"], at["tool.execution_complete"],
		at["assistant.message"]}, map[string]attachtest.Damage{
		"a number for an id":   attachtest.Replaced(`"id":"`, `"id":7,"x":"`),
		"an id with escapes":   attachtest.Replaced(`},"id":"`, `},"id":"\u001b[31m`),
		"a long id":            attachtest.Replaced(`},"id":"`, `},"id":"`+strings.Repeat("0", 200)),
		"a list for a type":    attachtest.Replaced(`{"type":"`, `{"type":[],"x":"`),
		"a number for data":    attachtest.Replaced(`"data":{`, `"data":7,"x":{`),
		"a list for data":      attachtest.Replaced(`"data":{`, `"data":[],"x":{`),
		"a row of no type":     attachtest.Replaced(`{"type":"`, `{"kind":"`),
		"a number for a time":  attachtest.Replaced(`"timestamp":"`, `"timestamp":7,"x":"`),
		"an agent that is one": attachtest.Replaced(`{"type":"`, `{"agentId":[],"type":"`),
	}, read)
}

// FuzzFilesOfStrangers holds what every file has to keep to, and that each row is counted.
func FuzzFilesOfStrangers(f *testing.F) {
	f.Add(recorded(f)[:6000])
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
