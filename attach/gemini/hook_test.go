package gemini_test

import (
	"bytes"
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

// hooksOf returns the recorded payloads, in order.
func hooksOf(t testing.TB) [][]byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "hooks.jsonl"))
	require.NoError(t, err)
	return bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
}

// TestTheRecordedHooksGiveTheirSightings compares the sightings of the payloads of the real program with those that
// were read and found right.
func TestTheRecordedHooksGiveTheirSightings(t *testing.T) {
	var all []attach.Sighting
	for _, raw := range hooksOf(t) {
		list, err := gemini.Hook(raw)
		require.NoError(t, err, "%s", raw)
		all = append(all, list...)
	}
	got, want := attachtest.JSON(t, all), filepath.Join("testdata", "hooks.want")
	if *update {
		require.NoError(t, os.WriteFile(want, []byte(got), 0o644))
	}
	raw, err := os.ReadFile(want)
	require.NoError(t, err)
	assert.Equal(t, string(raw), got)
	assert.Equal(t, 11, strings.Count(got, `"called"`))
	assert.Equal(t, 11, strings.Count(got, `"returned"`))
}

// hook returns the payload of a hook.
func hook(event, members string) string {
	return `{"hook_event_name":"` + event + `","session_id":"s","timestamp":"2026-11-20T09:00:00.5Z"` + members + `}`
}

// ofTurn is what WithTurn adds.
const ofTurn = `,"candor":{"turn":"p1","prompt":"Why?","answer":"So."}`

// TestWhatHooksTell holds what each hook gives, without what all sightings share.
func TestWhatHooksTell(t *testing.T) {
	const prompt = `{"turn":"p1","prompted":{"text":"Why?"}}` + "\n"
	tool := `,"tool_name":"t","tool_input":{"b":1,"a":2}`
	for name, c := range map[string]struct{ payload, want string }{
		"a session's beginning": {hook("SessionStart", `,"cwd":"/w"`), `{"about":{"folder":"/w"}}` + "\n"},
		"a prompt, which has no id yet": {hook("BeforeAgent", `,"cwd":"/w","prompt":"Why?"`),
			`{"about":{"folder":"/w"}}` + "\n"},
		"a call": {hook("BeforeTool", tool+ofTurn), prompt +
			`{"turn":"p1","call":"A","unnamed":true,` +
			`"called":{"tool":"t","params":{"a":2,"b":1}}}` + "\n"},
		"a call of no known turn": {hook("BeforeTool", tool), ""},
		"an end of no known turn": {hook("AfterAgent", ""), ""},
		"the end of a turn": {hook("AfterAgent", `,"prompt_response":"So. So."`+ofTurn), prompt +
			`{"turn":"p1","ended":{"answer":"So."}}` + "\n"},
		"what tells of no decision": {hook("AfterModel", `,"llm_response":{}`), ""},
		"a result": {hook("AfterTool", tool+`,"tool_response":{"llmContent":"done"}`+ofTurn),
			prompt + `{"turn":"p1","call":"A","unnamed":true,"returned":{"result":"done"}}` + "\n"},
		"a refusal": {hook("AfterTool", tool+
			`,"tool_response":{"error":{"message":"Tool execution denied by policy."}}`+ofTurn),
			prompt + `{"turn":"p1","call":"A","unnamed":true,"returned":{"error":"Tool execution denied by ` +
				`policy.","denied":true}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := gemini.Hook([]byte(c.payload))
			require.NoError(t, err)
			for i := range list {
				list[i].Agent, list[i].Session, list[i].Channel, list[i].At = "", "", "", rows.Time("")
				if list[i].Call != "" {
					assert.Regexp(t, `^alike_[a-z2-7]{32}$`, list[i].Call)
					list[i].Call = "A"
				}
			}
			got := strings.ReplaceAll(attachtest.JSON(t, list), `"agent":"","session":"","channel":"",`, "")
			assert.Equal(t, c.want, got)
		})
	}
}

// TestEqualCallsShareANameAndOthersDoNot holds that the order of members in parameters makes no difference, and that
// everything else does.
func TestEqualCallsShareANameAndOthersDoNot(t *testing.T) {
	name := func(members string) string {
		list, err := gemini.Hook([]byte(hook("BeforeTool", members+ofTurn)))
		require.NoError(t, err)
		return list[1].Call
	}
	one := name(`,"tool_name":"t","tool_input":{"a":1,"b":[1.0]}`)
	assert.Equal(t, one, name(`,"tool_name":"t","tool_input":{ "b":[1.0], "a":1 }`))
	assert.NotEqual(t, one, name(`,"tool_name":"u","tool_input":{"a":1,"b":[1.0]}`))
	assert.NotEqual(t, one, name(`,"tool_name":"t","tool_input":{"a":"1","b":[1.0]}`))
	assert.NotEqual(t, one, name(`,"tool_name":"t"`))
}

// TestWhatIsNoHookIsRefused holds that an error says nothing that the payload could have put there.
func TestWhatIsNoHookIsRefused(t *testing.T) {
	for name, payload := range map[string]string{
		"no JSON":                 "{",
		"a list":                  "[]",
		"no session":              `{"hook_event_name":"BeforeTool"}`,
		"a session with escapes":  `{"hook_event_name":"BeforeTool","session_id":"\u001b[31m"}`,
		"no event":                `{"session_id":"s"}`,
		"a call without a tool":   hook("BeforeTool", ofTurn),
		"a turn with spaces":      hook("BeforeTool", `,"tool_name":"t","candor":{"turn":"a b"}`),
		"a content of no content": hook("AfterTool", `,"tool_name":"t","tool_response":{"llmContent":7}`+ofTurn),
		"a payload that is long":  hook("BeforeTool", `,"x":"`+strings.Repeat("x", gemini.MaxHook)+`"`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gemini.Hook([]byte(payload))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "\x1b")
		})
	}
	_, err := gemini.Hook([]byte(hook(`Later\u001b`, "")))
	require.ErrorIs(t, err, gemini.ErrUnknownHook)
	assert.ErrorContains(t, err, "Later?")
}

// file is a session file in memory.
type file struct{ *strings.Reader }

func (file) Close() error { return nil }

// TestAHookGetsTheTurnThatTheFileTells holds that the latest prompt of a person is the turn, whatever stands behind it
// in the file.
func TestAHookGetsTheTurnThatTheFileTells(t *testing.T) {
	result := message("r", "user", `"content":[{"functionResponse":{"response":{"output":"x"}}}]`)
	called := message("a1", "gemini", `"content":"I look.","toolCalls":[{"id":"c","name":"t","status":"success"}]`)
	copies := `{"$set":{"messages":[` + strings.TrimSpace(message("x", "user", `"content":"Copied"`)) + `]}}` + "\n"
	const p1 = `{"turn":"p1","prompt":"Why?","time":"2026-11-20T09:00:00.5Z"`
	for name, c := range map[string]struct{ event, text, want string }{
		"a call":        {"BeforeTool", prompted, p1 + "}"},
		"after results": {"AfterTool", prompted + called + result, p1 + "}"},
		"after copies":  {"AfterTool", prompted + copies, p1 + "}"},
		"an end with its answer": {"AfterAgent", prompted + message("a2", "gemini", `"content":"So."`),
			p1 + `,"answer":"So."}`},
		"the latest prompt": {"BeforeTool", prompted + message("p2", "user", `"content":"And?"`),
			`{"turn":"p2","prompt":"And?","time":"2026-11-20T09:00:00.5Z"}`},
		"half a row": {"BeforeTool", prompted + `{"id":"p2","type":"user"`, p1 + "}"},
		"a beginning, whose prompt is not there yet": {"BeforeAgent", prompted, ""},
		"a file without a prompt":                    {"BeforeTool", begin, ""},
	} {
		t.Run(name, func(t *testing.T) {
			raw := []byte(hook(c.event, `,"transcript_path":"/f","tool_input":{"b":1}`))
			got := gemini.WithTurn(raw, func(path string) (io.ReadSeekCloser, error) {
				assert.Equal(t, "/f", path)
				return file{strings.NewReader(c.text)}, nil
			})
			if c.want == "" {
				assert.Equal(t, string(raw), string(got))
				return
			}
			assert.Contains(t, string(got), `"candor":`+c.want)
			assert.Contains(t, string(got), `"tool_input":{"b":1}`, "the rest stays")
		})
	}
}

// TestAHookWhoseFileCannotBeReadStaysAsItIs holds that a hook is passed on whatever its file is like.
func TestAHookWhoseFileCannotBeReadStaysAsItIs(t *testing.T) {
	none := func(string) (io.ReadSeekCloser, error) { return nil, errors.New("gone") }
	for _, raw := range []string{"{", "[]", hook("BeforeTool", ""), hook("BeforeTool", `,"transcript_path":"/f"`)} {
		assert.Equal(t, raw, string(gemini.WithTurn([]byte(raw), none)))
	}
}

// FuzzHooksOfStrangers holds that what a payload gives can be taken.
func FuzzHooksOfStrangers(f *testing.F) {
	for _, raw := range hooksOf(f)[:8] {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := gemini.Hook(raw)
		for _, s := range list {
			require.NoError(t, err)
			assert.NotEmpty(t, s.Session)
			assert.Equal(t, s.Called != nil || s.Returned != nil, s.Unnamed && s.Call != "")
		}
	})
}
