package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/claude"
)

// hook returns the sightings of a payload of the named event.
func hook(t *testing.T, event, members string) []attach.Sighting {
	t.Helper()
	list, err := claude.Hook([]byte(`{"session_id":"s","prompt_id":"p","hook_event_name":"` + event + `"` + members +
		`}`))
	require.NoError(t, err)
	for _, s := range list {
		assert.Equal(t, "claude", s.Agent)
		assert.Equal(t, "s", s.Session)
		assert.Equal(t, attach.Hooks, s.Channel)
		assert.True(t, s.At.IsZero(), "a hook has no time")
		assert.Empty(t, s.Group, "a hook does not name the answer of the model")
	}
	return list
}

// TestRecordedHooksGiveTheirSightings compares the sightings of recorded hooks with those that were read and
// found right, testdata/hooks.want.
func TestRecordedHooksGiveTheirSightings(t *testing.T) {
	var got strings.Builder
	for line := range strings.Lines(attachtest.Recorded(t, "hooks.jsonl")) {
		list, err := claude.Hook([]byte(line))
		require.NoError(t, err, line)
		got.WriteString(attachtest.JSON(t, list))
	}
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "hooks.want"), []byte(got.String()), 0o644))
	}
	assert.Equal(t, attachtest.Recorded(t, "hooks.want"), got.String())
}

func TestWhatHooksTell(t *testing.T) {
	const call = `,"tool_name":"Bash","tool_input":{"command":"ls","description":"List"},"tool_use_id":"c"`
	called := `{"agent":"claude","session":"s","channel":"hooks","turn":"p","call":"c","called":{"tool":"Bash",` +
		`"params":{"command":"ls","description":"List"}}}` + "\n"
	common := `{"agent":"claude","session":"s","channel":"hooks","turn":"p",`
	for name, c := range map[string]struct{ event, members, want string }{
		"a prompt": {"UserPromptSubmit", `,"prompt":"Hi","cwd":"/w"`,
			`{"agent":"claude","session":"s","channel":"hooks","about":{"folder":"/w"}}` + "\n" + common +
				`"prompted":{"text":"Hi"}}` + "\n"},
		"the program's prompt": {"UserPromptSubmit", `,"prompt":"<task-notification>x"`,
			common + `"prompted":{"text":"<task-notification>x","by":"task-notification"}}` + "\n"},
		"a start": {"SessionStart", `,"model":"claude-x","source":"startup"`,
			`{"agent":"claude","session":"s","channel":"hooks","about":{"model":"claude-x"}}` + "\n"},
		"a text": {"MessageDisplay", `,"delta":"I look.","index":2,"message_id":"x","final":true`, common +
			`"index":2,"said":{"text":"I look.","message":"x"}}` + "\n"},
		"no text": {"MessageDisplay", `,"delta":""`, ""},
		"a call":  {"PreToolUse", call, called},
		"a result": {"PostToolUse", call + `,"tool_response":{"stdout":"a","interrupted":true},` +
			`"duration_ms":1.5`, called + common + `"call":"c","returned":{"result":{"stdout":"a",` +
			`"interrupted":true},"cancelled":true,"took":1500000}}` + "\n"},
		"a long result": {"PostToolUse", call + `,"tool_response":{"persistedOutputPath":"/f"}`, called + common +
			`"call":"c","returned":{"result":{"persistedOutputPath":"/f"},"partial":true}}` + "\n"},
		"a failure": {"PostToolUseFailure", call + `,"error":"no","is_interrupt":true,"duration_ms":-4`,
			called + common + `"call":"c","returned":{"error":"no","cancelled":true}}` + "\n"},
		"a mute failure": {"PostToolUseFailure", call + `,"error":" "`, called + common + `"call":"c",` +
			`"returned":{"error":"it failed, and the program does not say how"}}` + "\n"},
		"a refusal": {"PermissionDenied", call + `,"reason":"a rule"`, called + common + `"call":"c",` +
			`"returned":{"error":"a rule","denied":true}}` + "\n"},
		"a batch": {"PostToolBatch", `,"tool_calls":[{"tool_use_id":"a"},{"tool_use_id":""},` +
			`{"tool_use_id":"b"}]`, common + `"batched":{"calls":["a","b"]}}` + "\n"},
		"an empty batch": {"PostToolBatch", ``, ""},
		"a sub-agent": {"SubagentStart", `,"agent_id":"a1","agent_type":"Plan"`, common + `"sub":"a1",` +
			`"spawned":{"kind":"Plan"}}` + "\n"},
		"its call": {"PostToolUse", call + `,"tool_response":{"agentId":"a1","agentType":"Plan",` +
			`"isAsync":true}`, called + common + `"sub":"a1","call":"c","spawned":{"kind":"Plan",` +
			`"background":true}}` + "\n" + common + `"call":"c","returned":{"result":{"agentId":"a1",` +
			`"agentType":"Plan","isAsync":true}}}` + "\n"},
		"its end": {"SubagentStop", `,"agent_id":"a1","last_assistant_message":"Done."`, common +
			`"sub":"a1","ended":{"answer":"Done."}}` + "\n"},
		"an end":         {"Stop", `,"last_assistant_message":"Done."`, common + `"ended":{"answer":"Done."}}` + "\n"},
		"a failed end":   {"StopFailure", `,"error":"rate_limit"`, common + `"ended":{"error":"rate_limit"}}` + "\n"},
		"a notification": {"Notification", `,"message":"x"`, ""},
		"the end of all": {"SessionEnd", `,"reason":"other"`, ""},
		"a file": {"PostToolUse", call + `,"tool_response":{"type":"text","file":{"filePath":"/f","content":"a\nb",` +
			`"numLines":2}}`, called + common + `"call":"c","returned":{"result":"a\nb"}}` + "\n"},
		"an edited file": {"PostToolUse", call + `,"tool_response":{"originalFile":"long","filePath":"f"}`, called +
			common + `"call":"c","returned":{"result":{"filePath":"f"}}}` + "\n"},
		"a plain result": {"PostToolUse", call + `,"tool_response":"ok"`, called + common + `"call":"c",` +
			`"returned":{"result":"ok"}}` + "\n"},
		"a strange agent": {"PostToolUse", call + `,"tool_response":{"agentId":"a b"}`, called + common +
			`"call":"c","returned":{"result":{"agentId":"a b"}}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, attachtest.JSON(t, hook(t, c.event, c.members)))
		})
	}
}

func TestABatchNamesABoundedNumberOfCalls(t *testing.T) {
	calls := strings.TrimSuffix(strings.Repeat(`{"tool_use_id":"a"},`, 10_000), ",")
	list := hook(t, "PostToolBatch", `,"tool_calls":[`+calls+`]`)
	require.Len(t, list, 1)
	assert.Len(t, list[0].Batched.Calls, 256)
}

func TestWhatIsNoHookIsRefused(t *testing.T) {
	attachtest.AssertRefusals(t, claude.Hook, claude.MaxHook, claude.ErrUnknownHook, map[string]string{
		"a huge id":     `{"hook_event_name":"Stop","session_id":"` + strings.Repeat("x", 129) + `"}`,
		"a far place":   `{"hook_event_name":"MessageDisplay","session_id":"s","index":65537,"delta":"x"}`,
		"below nothing": `{"hook_event_name":"MessageDisplay","session_id":"s","index":-1,"delta":"x"}`,
	})
}

// FuzzHooksOfStrangers holds what every payload has to keep to.
func FuzzHooksOfStrangers(f *testing.F) {
	attachtest.FuzzHook(f, claude.Hook, attachtest.Recorded(f, "hooks.jsonl"), 128)
}
