package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/gemini"
	"candor/attach/rows"
)

// qwenFile returns what a run of Qwen Code left, with a sub-agent in the background: its session file or its hooks.
func qwenFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "qwen", name))
	require.NoError(t, err)
	return bytes.TrimSpace(raw)
}

// TestHooksOfQwenCodeTellWhatItsFileTells holds for a run of the real program: a call has the id, the turn and the end
// that the file has.
func TestHooksOfQwenCodeTellWhatItsFileTells(t *testing.T) {
	var all []attach.Sighting
	for raw := range bytes.SplitSeq(qwenFile(t, "hooks.jsonl"), []byte("\n")) {
		list, err := gemini.QwenHook(raw)
		require.NoError(t, err, "%s", raw)
		all = append(all, list...)
	}
	got, want := attachtest.JSON(t, all), filepath.Join("testdata", "qwen", "hooks.want")
	if *update {
		require.NoError(t, os.WriteFile(want, []byte(got), 0o644))
	}
	raw, err := os.ReadFile(want)
	require.NoError(t, err)
	assert.Equal(t, string(raw), got)
	assert.Equal(t, attachtest.Tally{Calls: 5, Results: 5, Times: 5}, attachtest.TallyOf(all), "as docs/agents.md says")
	told := map[string]bool{}
	facts := func(list []attach.Sighting, each func(fact string)) {
		for _, s := range list {
			open := s.Ended != nil && s.Ended.Answer == ""
			if s.Sub != "" || s.Said != nil || s.Used != nil || s.About != nil || open {
				continue
			}
			if s.Returned != nil {
				s.Returned.Took = 0 // only hooks measure it
			}
			s.Channel, s.At, s.Group, s.Index = "", rows.Time(""), "", 0
			each(attachtest.JSON(t, []attach.Sighting{s}))
		}
	}
	facts(all, func(fact string) { told[fact] = true })
	file, report := readQwen(t, string(qwenFile(t, "session.jsonl"))+"\n")
	assert.Zero(t, report.Malformed)
	tally := attachtest.TallyOf(file)
	n := 0
	facts(file, func(fact string) { assert.True(t, told[fact], fact); n++ })
	assert.Equal(t, 2+4+4+2, n, "prompts, calls, results and ends")
	assert.Equal(t, attachtest.Tally{Calls: 4, Texts: 4, Thoughts: 1, Groups: 1, Results: 4}, tally,
		"without those of the sub-agent")
}

// TestWhatHooksOfQwenCodeTell holds what the recorded ones do not have, without what all sightings share.
func TestWhatHooksOfQwenCodeTell(t *testing.T) {
	const prompt = `{"turn":"p1","prompted":{"text":"Why?"}}` + "\n"
	const call = `,"tool_name":"t","tool_input":{"b":1},"tool_use_id":"toolu_x","tool_call_id":"c"`
	for name, c := range map[string]struct{ payload, want string }{
		"a session's beginning": {hook("SessionStart", `,"cwd":"/w","model":"qwen3"`),
			`{"about":{"model":"qwen3","folder":"/w"}}` + "\n"},
		"a call without the model's id is known by its parameters": {
			hook("PreToolUse", strings.Replace(call, "tool_call_id", "x", 1)+ofTurn), prompt +
				`{"turn":"p1","call":"A","unnamed":true,"called":{"tool":"t","params":{"b":1}}}` + "\n"},
		"a refusal": {hook("PermissionDenied", call+`,"reason":"classifier_blocked"`+ofTurn), prompt +
			`{"turn":"p1","call":"c","returned":{"error":"classifier_blocked","denied":true}}` + "\n"},
		"a call that a person stopped": {hook("PostToolUseFailure", call+`,"error":"x","is_interrupt":true`+ofTurn),
			prompt + `{"turn":"p1","call":"c","returned":{"error":"x","cancelled":true}}` + "\n"},
		"a turn that failed": {hook("StopFailure", `,"error":"rate_limit","error_details":"429"`+ofTurn), prompt +
			`{"turn":"p1","ended":{"error":"429"}}` + "\n"},
		"a call of no known turn":             {hook("PreToolUse", call), ""},
		"a sub-agent of no known turn":        {hook("SubagentStart", `,"agent_id":"e"`), ""},
		"what tells of no decision":           {hook("SessionEnd", `,"reason":"other"`), ""},
		"a text, of which the file has all":   {hook("MessageDisplay", `,"displayed_text":"So"`+ofTurn), ""},
		"a batch, which is not of one answer": {hook("PostToolBatch", `,"tool_calls":[]`+ofTurn), ""},
		"a prompt, which has no id of a file": {hook("UserPromptSubmit", `,"cwd":"/w","prompt":"Why?"`),
			`{"about":{"folder":"/w"}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := gemini.QwenHook([]byte(c.payload))
			require.NoError(t, err)
			for i := range list {
				assert.Equal(t, "qwen", list[i].Agent)
				list[i].Agent, list[i].Session, list[i].Channel, list[i].At = "", "", "", rows.Time("")
				if list[i].Unnamed {
					list[i].Call = "A"
				}
			}
			assert.Equal(t, c.want, strings.ReplaceAll(attachtest.JSON(t, list),
				`"agent":"","session":"","channel":"",`, ""))
		})
	}
	for _, payload := range []string{hook("BeforeTool", call), hook("PreToolUse", `,"agent_id":"a b"`+call),
		hook("PreToolUse", strings.Replace(call, `"c"`, `"\u001b"`, 1)),
		hook("PreToolUse", `,"duration_ms":"x"`+call), "[]"} {
		_, err := gemini.QwenHook([]byte(payload))
		require.Error(t, err, payload)
		assert.NotContains(t, err.Error(), "\x1b")
	}
}

// TestAHookOfQwenCodeGetsTheTurnThatTheFileTells holds that the latest prompt is the turn, whatever stands behind it.
func TestAHookOfQwenCodeGetsTheTurnThatTheFileTells(t *testing.T) {
	ask := qwenRow(2, "user", qwenParts(`{"text":"Why?"}`))
	const u2 = `{"turn":"u2","prompt":"Why?","time":"2026-11-20T09:00:02Z"}`
	for name, c := range map[string]struct{ event, text, want string }{
		"a call": {"PreToolUse", ask, u2},
		"after results": {"PostToolUse", ask + qwenRow(3, "assistant", qwenParts(`{"text":"So."}`)) +
			qwenRow(4, "tool_result", qwenParts(`{"functionResponse":{"id":"c"}}`)), u2},
		"what hooks added is no part of it": {"Stop", qwenRow(2, "user", qwenParts(`{"text":"Why?"},{"text":"<x>"}`)+
			`,"systemPayload":{"displayText":"Why?","hookContext":"x"}`), u2},
		"what the program asks": {"Stop", ask + qwenRow(3, "user", `"subtype":"notification",`+
			qwenParts(`{"text":"done"}`)),
			`{"turn":"u3","prompt":"done","by":"notification","time":"2026-11-20T09:00:03Z"}`},
		"a row of a sub-agent": {"PreToolUse", ask + qwenRow(3, "user", `"isSidechain":true,`+
			qwenParts(`{"text":"x"}`)), u2},
		"a command of the client": {"Stop", ask + qwenRow(3, "user", qwenParts(`{"text":"/clear"}`)), u2},
		"half a row":              {"PreToolUse", ask + `{"uuid":"u3","type":"user"`, u2},
		"copies of a fork are no turns": {"PreToolUse", qwenRow(2, "user", `"forkedFrom":{"sessionId":"o"},`+
			qwenParts(`{"text":"Why?"}`)), ""},
		"a beginning, whose prompt is not there yet": {"UserPromptSubmit", ask, ""},
	} {
		t.Run(name, func(t *testing.T) {
			raw := hook(c.event, `,"transcript_path":"/f","tool_input":{"b":1}`)
			got := string(gemini.WithQwenTurn([]byte(raw), func(path string) (io.ReadSeekCloser, error) {
				assert.Equal(t, "/f", path)
				return file{strings.NewReader(c.text)}, nil
			}))
			if c.want == "" {
				assert.Equal(t, raw, got)
				return
			}
			assert.Contains(t, got, `"candor":`+c.want)
			assert.Contains(t, got, `"tool_input":{"b":1}`, "the rest stays")
		})
	}
	none := func(string) (io.ReadSeekCloser, error) { return nil, errors.New("gone") }
	for _, raw := range []string{"{", hook("PreToolUse", ""), hook("PreToolUse", `,"transcript_path":"/f"`)} {
		assert.Equal(t, raw, string(gemini.WithQwenTurn([]byte(raw), none)))
	}
}

// TestOnlyACallOfQwenCodeThatIsAboutToRunIsAskedAbout holds that the question names the call by the model's id.
func TestOnlyACallOfQwenCodeThatIsAboutToRunIsAskedAbout(t *testing.T) {
	const call = `,"tool_name":"edit","tool_input":{"a":1},"tool_call_id":"c"`
	q, ok := gemini.QwenQuestion([]byte(hook("PreToolUse", call)))
	require.True(t, ok)
	assert.Equal(t, "c edit", q.Call+" "+q.Tool)
	assert.JSONEq(t, `{"a":1}`, string(q.Arguments))
	for _, payload := range []string{hook("PostToolUse", call), hook("BeforeTool", call), hook("PreToolUse", ""), "{"} {
		_, ok := gemini.QwenQuestion([]byte(payload))
		assert.False(t, ok, payload)
	}
}

// TestQwenCodeIsAskedForReasonsOnceATurn holds that the hook that comes again with results of calls asks for nothing.
func TestQwenCodeIsAskedForReasonsOnceATurn(t *testing.T) {
	for payload, asks := range map[string]bool{
		hook("UserPromptSubmit", `,"prompt":"Why?"`): true, hook("UserPromptSubmit", `,"prompt":""`): false,
		hook("PreToolUse", `,"prompt":"Why?"`): false, "{": false,
	} {
		raw, err := json.Marshal(gemini.RemindQwen([]byte(payload)))
		require.NoError(t, err)
		assert.Equal(t, asks, bytes.Contains(raw, []byte("Reason for")), payload)
	}
}
