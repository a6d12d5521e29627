package dialect_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
)

// claude returns a record of Claude Code, and codex one of Codex.
func claude(event string, attrs otlp.Attributes) otlp.Record {
	attrs["session.id"], attrs["prompt.id"] = "s1", "p1"
	return otlp.Record{Body: "claude_code." + event, At: at(10), Attrs: attrs,
		Resource: otlp.Attributes{"service.version": "2.1.330"}}
}

func codex(event string, attrs otlp.Attributes) otlp.Record {
	attrs["conversation.id"], attrs["event.name"] = "agent-1", "codex."+event
	attrs["event.timestamp"] = "2026-11-01T10:00:10Z"
	return otlp.Record{Attrs: attrs}
}

// recordCase is a record, what it tells, and what is lost of it.
type recordCase struct {
	name   string
	record otlp.Record
	want   []string
	lost   string
}

// ofClaude and ofCodex are the cases of the two programs.
func ofClaude() []recordCase {
	return []recordCase{
		{"a prompt", claude("user_prompt", otlp.Attributes{"prompt": "Look."}), []string{"p1 prompted Look."}, ""},
		{"a prompt that is kept back", claude("user_prompt", otlp.Attributes{"prompt": "<REDACTED>"}), nil,
			"a prompt that the agent keeps back"},
		{"a text", claude("assistant_response", otlp.Attributes{"response": "I look.", "request_id": "r1",
			"agent_id": "agent-1"}),
			[]string{"p1/agent-1 said I look."}, ""},
		{"a text that is kept back", claude("assistant_response", otlp.Attributes{"response": "<REDACTED>"}), nil,
			"a text that the agent keeps back"},
		{"usage", claude("api_request", otlp.Attributes{"model": "opus", "input_tokens": int64(10),
			"output_tokens":     "5",
			"cache_read_tokens": int64(3), "request_id": "r1"}), []string{" about opus", "p1 used 13+5"}, ""},
		{"a call that was let through", claude("tool_decision", otlp.Attributes{"tool_name": "Bash",
			"tool_use_id": "toolu_1",
			"decision":    "accept"}), []string{"p1 called toolu_1 Bash"}, ""},
		{"a call that was refused", claude("tool_decision", otlp.Attributes{"tool_name": "Bash",
			"tool_use_id": "toolu_1",
			"decision":    "reject", "source": "user_reject"}),
			[]string{"p1 called toolu_1 Bash", "p1 returned toolu_1 it was refused: user_reject"}, ""},
		{"a result", claude("tool_result", otlp.Attributes{"tool_name": "Bash", "tool_use_id": "toolu_1",
			"success":    "true",
			"tool_input": `{"command":"ls"}`}), []string{`p1 called toolu_1 Bash{"command":"ls"}`,
			"p1 returned toolu_1 "}, ""},
		{"a failure without words", claude("tool_result", otlp.Attributes{"tool_name": "Bash", "tool_use_id": "toolu_1",
			"success": "false"}), []string{"p1 called toolu_1 Bash",
			"p1 returned toolu_1 it failed, and the agent does not say how"}, ""},
		{"a call without an id", claude("tool_result", otlp.Attributes{"tool_name": "Bash"}), nil,
			"a call without an id"},
		{"a sub-agent", claude("subagent_completed", otlp.Attributes{"agent_type": "scout", "agent_id": "agent-1"}),
			[]string{"p1/agent-1 spawned by  scout"}, ""},
		{"a sub-agent without its id", claude("subagent_completed", otlp.Attributes{}), nil, ""},
		{"an affair of the program", claude("plugin_loaded", otlp.Attributes{}), nil, ""},
		{"an event that is new", claude("surprise", otlp.Attributes{}), nil, "an event that is not read"},
		{"a record without a session", otlp.Record{Name: "claude_code.user_prompt", Attrs: otlp.Attributes{}}, nil,
			"a record without its session"},
		{"a record of another program", otlp.Record{Name: "http.request", Attrs: otlp.Attributes{}}, nil, ""},
	}
}

func ofCodex() []recordCase {
	return []recordCase{
		{"Codex: a prompt", codex("user_prompt", otlp.Attributes{"prompt": "Look."}), []string{" prompted Look."}, ""},
		{"Codex: a prompt that is kept back", codex("user_prompt", otlp.Attributes{"prompt": "[REDACTED]"}),
			[]string{" prompted "},
			"a prompt that the agent keeps back"},
		{"Codex: a result", codex("tool_result", otlp.Attributes{"tool_name": "shell", "call_id": "call_1",
			"success":   "true",
			"arguments": `{"cmd":"ls"}`, "output": "notes.txt", "duration_ms": "5"}),
			[]string{` called call_1 shell{"cmd":"ls"}`, ` returned call_1 "notes.txt"`}, ""},
		{"Codex: a failure", codex("tool_result", otlp.Attributes{"tool_name": "shell", "call_id": "call_1",
			"success": "false"}), []string{" called call_1 shell",
			" returned call_1 it failed, and the program does not say how"}, ""},
		{"Codex: a command that failed", codex("tool_result", otlp.Attributes{"tool_name": "exec_command",
			"call_id": "call_1", "success": "true", "output_truncated": false,
			"output": "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno such port\n"}),
			[]string{" called call_1 exec_command", " returned call_1 Exit code 3\nno such port"}, ""},
		{"Codex: a result that is cut", codex("tool_result", otlp.Attributes{"tool_name": "exec_command",
			"call_id": "call_1", "success": "true",
			"output": "1\n2\n[... telemetry preview truncated ...]"}),
			[]string{" called call_1 exec_command", ` returned call_1 "1\n2\n"`}, ""},
		{"Codex: a command that still runs", codex("tool_result", otlp.Attributes{"tool_name": "exec_command",
			"call_id": "call_1", "success": "true",
			"output": "Wall time: 0.2 seconds\nProcess running with session ID 7\nOutput:\n1\n"}),
			[]string{" called call_1 exec_command", ` returned call_1 "1\n"`}, ""},
		{"Codex: a call that begins a sub-agent", codex("tool_result", otlp.Attributes{"tool_name": "spawn_agent",
			"call_id": "call_1", "success": "true", "arguments": `{"agent_type":"explorer"}`,
			"output": `{"agent_id":"agent-2","nickname":"Ann"}`}),
			[]string{` called call_1 spawn_agent{"agent_type":"explorer"}`, "/agent-2 spawned by call_1 explorer",
				` returned call_1 "{\"agent_id\":\"agent-2\",\"nickname\":\"Ann\"}"`}, ""},
		{"Codex: a call of the lead agent", codex("tool_result", otlp.Attributes{"tool_name": "ls", "call_id": "call_1",
			"agent_name": "/root", "app.version": "0.163.0", "model": "gpt-5-codex", "output": "a"}),
			[]string{" about gpt-5-codex", " called call_1 ls", ` returned call_1 "a"`}, ""},
		{"Codex: a call of a sub-agent", codex("tool_result", otlp.Attributes{"tool_name": "ls", "call_id": "call_1",
			"agent_name": "Ann", "model": "gpt-5-codex", "output": "a"}),
			[]string{"/agent-1 called call_1 ls", `/agent-1 returned call_1 "a"`}, ""},
		{"Codex: a call without an id", codex("tool_result", otlp.Attributes{}), nil, "a call without an id"},
		{"Codex: what the result has, too", codex("tool_decision", otlp.Attributes{}), nil, ""},
		{"Codex: an affair of the program", codex("sse_event", otlp.Attributes{}), nil, ""},
		{"Codex: an event that is new", codex("surprise", otlp.Attributes{}), nil, "an event that is not read"},
		{"Codex: a record without a session", otlp.Record{Name: "codex.user_prompt", Attrs: otlp.Attributes{}}, nil,
			"a record without its session"},
	}
}

// TestRecordsOfCodingAgentsTell holds what each event of the two programs' logs tells, and what it is
// called where it tells nothing. A text that a person has not released is written as a placeholder,
// which is no text.
func TestRecordsOfCodingAgentsTell(t *testing.T) {
	for _, tt := range append(ofClaude(), ofCodex()...) {
		t.Run(tt.name, func(t *testing.T) {
			all, loss := dialect.Record(tt.record)
			assert.Equal(t, tt.lost, loss.What)
			assert.Equal(t, tt.want, lines(all))
			for _, s := range all {
				assert.Equal(t, attach.Telemetry, s.Channel)
				assert.Contains(t, []string{"s1", "agent-1"}, s.Session)
			}
		})
	}
}

// TestARecordTellsWhenACallBegan holds that a record, which is written at a call's end, tells its
// beginning, too, and that a result which the channel does not have is not told as an empty one.
func TestARecordTellsWhenACallBegan(t *testing.T) {
	all, _ := dialect.Record(claude("tool_result", otlp.Attributes{"tool_name": "Bash", "tool_use_id": "toolu_1",
		"success": "true", "duration_ms": "2000", "request_id": "r1"}))
	assert.Equal(t, at(8), all[0].At)
	assert.Equal(t, "r1", all[0].Group)
	assert.Equal(t, 2*time.Second, all[1].Returned.Took)
	assert.True(t, all[1].Returned.Partial, "the records have no results")
	all, _ = dialect.Record(codex("tool_result", otlp.Attributes{"tool_name": "x", "call_id": "call_1",
		"duration_ms": int64(2000)}))
	assert.Equal(t, at(8), all[0].At)
}

// TestCodexsTelemetrySaysWhichResultsAreParts holds that what Codex cut, and what a command had written that still ran,
// is no whole result, and that the time is that of the event.
func TestCodexsTelemetrySaysWhichResultsAreParts(t *testing.T) {
	for output, partial := range map[string]bool{
		"1\n2\n[... telemetry preview truncated ...]":                                      true,
		"Wall time: 0.2 seconds\nProcess running with session ID 7\nOutput:\n1\n":          true,
		"Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code 0\nOutput:\n1\n2\n": false,
	} {
		r := codex("tool_result", otlp.Attributes{"tool_name": "exec_command", "call_id": "call_1", "success": "true",
			"output": output, "duration_ms": "5"})
		r.At = at(30) // when the record was exported
		list, loss := dialect.Record(r)
		require.Len(t, list, 2)
		assert.Zero(t, loss)
		assert.Equal(t, partial, list[1].Returned.Partial, output)
		assert.Equal(t, time.Date(2026, 11, 1, 10, 0, 10, 0, time.UTC), list[1].At)
		assert.Equal(t, 5*time.Millisecond, list[1].At.Sub(list[0].At), "it began before that")
	}
}
