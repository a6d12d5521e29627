package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/codex"
)

// TestRecordedHooksGiveTheirSightings compares the sightings of recorded hooks with those that were read and
// found right, testdata/hooks.want.
func TestRecordedHooksGiveTheirSightings(t *testing.T) {
	var got strings.Builder
	for line := range strings.Lines(attachtest.Recorded(t, "hooks.jsonl")) {
		list, err := codex.Hook([]byte(line))
		require.NoError(t, err, line)
		got.WriteString(attachtest.JSON(t, list))
	}
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "hooks.want"), []byte(got.String()), 0o644))
	}
	assert.Equal(t, attachtest.Recorded(t, "hooks.want"), got.String())
}

// TestWhatHooksTell holds what each hook becomes. A hook of a sub-agent has no turn, since the program names the
// sub-agent's own there, and the output of a command is partial, since no hook tells whether it failed.
func TestWhatHooksTell(t *testing.T) {
	const (
		common = `{"agent":"codex","session":"s","channel":"hooks","turn":"t",`
		ofSub  = `{"agent":"codex","session":"s","channel":"hooks","sub":"a1",`
		call   = `,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c"`
		called = `"call":"c","called":{"tool":"Bash","params":{"command":"ls"}}}` + "\n"
		about  = `{"agent":"codex","session":"s","channel":"hooks","about":{"model":"m","folder":"/w"}}` + "\n"
	)
	for name, c := range map[string]struct{ event, members, want string }{
		"a start": {"SessionStart", `,"model":"m","cwd":"/w","source":"startup"`, about},
		"a prompt": {"UserPromptSubmit", `,"model":"m","cwd":"/w","prompt":"Hi"`, about + common +
			`"prompted":{"text":"Hi"}}` + "\n"},
		"a call": {"PreToolUse", call, common + called},
		"a command's output": {"PostToolUse", call + `,"tool_response":"a\n"`,
			common + called + common + `"call":"c","returned":{"result":"a\n","partial":true}}` + "\n"},
		"a tool's result": {"PostToolUse", `,"tool_name":"x","tool_use_id":"c","tool_response":{"a":1}`,
			common + `"call":"c","called":{"tool":"x"}}` + "\n" + common +
				`"call":"c","returned":{"result":{"a":1}}}` + "\n"},
		"a sub-agent's call": {"PreToolUse", `,"agent_id":"a1"` + call, ofSub + called},
		"a sub-agent": {"SubagentStart", `,"agent_id":"a1","agent_type":"explorer"`, ofSub +
			`"spawned":{"kind":"explorer","background":true}}` + "\n"},
		"its task": {"UserPromptSubmit", `,"agent_id":"a1","prompt":"Look"`, ""},
		"its end": {"SubagentStop", `,"agent_id":"a1","last_assistant_message":"Seen"`, ofSub +
			`"ended":{"answer":"Seen"}}` + "\n"},
		"an end": {"Stop", `,"last_assistant_message":"Done"`, common +
			`"ended":{"answer":"Done"}}` + "\n"},
		"an empty end":   {"Stop", `,"last_assistant_message":null`, common + `"ended":{}}` + "\n"},
		"the end of all": {"SessionEnd", `,"reason":"other"`, ""},
		"nothing known":  {"SessionStart", ``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := codex.Hook([]byte(`{"session_id":"s","turn_id":"t","hook_event_name":"` + c.event + `"` +
				c.members + `}`))
			require.NoError(t, err)
			assert.Equal(t, c.want, attachtest.JSON(t, list))
		})
	}
}

// TestTheHookOfACallThatBeganASubAgentNamesIt reads the result of spawn_agent, which is JSON in a text.
func TestTheHookOfACallThatBeganASubAgentNamesIt(t *testing.T) {
	for input, kind := range map[string]string{`{"agent_type":"explorer"}`: "explorer", `{}`: "default",
		`7`: "default"} {
		list, err := codex.Hook([]byte(`{"session_id":"s","turn_id":"t","hook_event_name":"PostToolUse","tool_name":` +
			`"spawn_agent","tool_input":` + input + `,"tool_use_id":"c","tool_response":"{\"agent_id\":\"a1\",` +
			`\"nickname\":\"Ann\"}"}`))
		require.NoError(t, err)
		require.Len(t, list, 3)
		assert.Equal(t, "c a1", list[1].Call+" "+list[1].Sub)
		assert.Equal(t, &attach.Spawned{Kind: kind, Background: true}, list[1].Spawned)
	}
	for tool, facts := range map[string]int{"multi_agent_v1spawn_agent": 3, "Bash": 2, "mcp__x__spawn_agent": 2} {
		list, err := codex.Hook([]byte(`{"session_id":"s","turn_id":"t","hook_event_name":"PostToolUse","tool_name":"` +
			tool + `","tool_use_id":"c","tool_response":"{\"agent_id\":\"a1\",\"nickname\":\"Ann\"}"}`))
		require.NoError(t, err)
		assert.Len(t, list, facts, tool)
	}
}

// TestWhatIsNoHookIsRefused holds that nothing is made of half a payload, and that errors repeat nothing but the name
// of a hook, cleaned for a terminal.
func TestWhatIsNoHookIsRefused(t *testing.T) {
	attachtest.AssertRefusals(t, codex.Hook, codex.MaxHook, codex.ErrUnknownHook, nil)
}

// FuzzHooksOfStrangers holds what every payload has to keep to.
func FuzzHooksOfStrangers(f *testing.F) {
	attachtest.FuzzHook(f, codex.Hook, attachtest.Recorded(f, "hooks.jsonl"), 256)
}
