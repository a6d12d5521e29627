package dialect

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/otlp"
	"candor/attach/rows"
)

// The beginnings of the names of log events that are read.
const (
	claudeEvents = "claude_code."
	codexEvents  = "codex."
)

// unread are events of coding agents that tell nothing of decisions: the program's own affairs, and what other events
// tell better. They are passed over without a word, so that what is new to us stands out.
var unread = map[string]bool{
	"managed_settings_resolved": true, "hook_registered": true, "plugin_loaded": true, "hook_execution_start": true,
	"hook_execution_complete": true, "mcp_server_connection": true, "api_error": true, "api_request_body": true,
	"api_response_body": true, "internal_error": true, "skill_activated": true, "at_mention": true,
	"permission_mode_changed": true, "compaction": true, "feedback_survey": true, "auth": true,
	"conversation_starts": true, "websocket_connect": true, "websocket_request": true, "websocket_event": true,
	"sse_event": true,
}

// Record returns the sightings in a log record of a coding agent. Records of other programs have none.
func Record(r otlp.Record) ([]attach.Sighting, Loss) {
	name := eventName(r)
	switch {
	case strings.HasPrefix(name, claudeEvents):
		return claudeRecord(r, strings.TrimPrefix(name, claudeEvents))
	case strings.HasPrefix(name, codexEvents):
		return codexRecord(r, strings.TrimPrefix(name, codexEvents))
	}
	for _, begin := range foreignEvents {
		if strings.HasPrefix(name, begin) && !isMessage(r, name) {
			return nil, Loss{newEvent, named(name)}
		}
	}
	return nil, Loss{}
}

// eventName returns the name of a record's event, which older writers have in the body or among the attributes.
func eventName(r otlp.Record) string {
	name := r.Name
	if body, ok := r.Body.(string); ok && name == "" {
		name = body
	}
	if event := r.Attrs.Text("event.name"); event != "" && !isEvent(name) {
		name = event
	}
	return name
}

// foreignEvents begin the names of events of agents and models that are not read.
var foreignEvents = []string{"gen_ai.", "gemini_cli.", "qwen-code.", "copilot."}

// isEvent reports whether a name is that of an event that is read.
func isEvent(name string) bool {
	return strings.HasPrefix(name, claudeEvents) || strings.HasPrefix(name, codexEvents)
}

// recordOf returns what all sightings of a record share; ok is false if the record does not say whose it is.
func recordOf(r otlp.Record, program, session, turn string) (s attach.Sighting, ok bool) {
	s = attach.Sighting{
		Agent: program, Channel: attach.Telemetry, At: r.At,
		Session: r.Attrs.Text(session), Turn: r.Attrs.Text(turn), Sub: r.Attrs.Text("agent_id"),
	}
	return s, rows.IsID(s.Session) && rows.OptionalID(s.Turn) && rows.OptionalID(s.Sub)
}

// claudeRecord reads a record of Claude Code. The id of a request joins a text and the calls of one answer. Session,
// prompt, sub-agent and call have the ids that its file and its hooks have, so that nothing is told twice.
//
// What the model thought, what calls returned and when a turn ended is not among the records. What a person did not
// release with one of the OTEL_LOG settings is a placeholder, which is no text.
func claudeRecord(r otlp.Record, event string) ([]attach.Sighting, Loss) {
	a := r.Attrs
	s, ok := recordOf(r, "claude", "session.id", "prompt.id")
	if !ok {
		return nil, Loss{noSession, named(event)}
	}
	group := a.Text("request_id")
	if !rows.OptionalID(group) {
		group = ""
	}
	switch event {
	case "user_prompt":
		if text := textFor(a, "prompt"); text != "" {
			s.Prompted = &attach.Prompted{Text: text}
			return []attach.Sighting{s}, Loss{}
		}
		return nil, Loss{keptPrompt, named(event)}
	case "assistant_response":
		text := textFor(a, "response")
		if text == "" {
			return nil, Loss{keptText, named(event)}
		}
		s.Group, s.Said = group, &attach.Said{Text: text}
		return []attach.Sighting{s}, Loss{}
	case "api_request":
		return claudeRequest(s, r, group), Loss{}
	case "tool_decision", "tool_result":
		return claudeCall(s, r, group, event)
	case "subagent_completed":
		if s.Sub == "" {
			return nil, Loss{}
		}
		s.Spawned = &attach.Spawned{Kind: shortOf(a, "agent_type"), Model: shortOf(a, "model")}
		return []attach.Sighting{s}, Loss{}
	}
	if unread[event] {
		return nil, Loss{}
	}
	return nil, Loss{newEvent, named(event)}
}

// claudeRequest returns the usage of an answer, and which model and version gave it.
func claudeRequest(s attach.Sighting, r otlp.Record, group string) (out []attach.Sighting) {
	a := r.Attrs
	if s.Sub == "" {
		about := s
		about.Turn = ""
		about.About = &attach.About{Version: shortOf(r.Resource, "service.version"), Model: shortOf(a, "model")}
		if *about.About != (attach.About{}) {
			out = append(out, about)
		}
	}
	cached := number(a, "cache_read_tokens")
	s.Group, s.Used = group, &attach.Used{
		Input: number(a, "input_tokens") + cached + number(a, "cache_creation_tokens"), Cached: cached,
		Output: number(a, "output_tokens"),
	}
	if group != "" && s.Used.Output > 0 && s.Used.Input >= 0 {
		out = append(out, s)
	}
	return out
}

// claudeCall returns a call, and how it ended. What it returned is not among the records.
func claudeCall(s attach.Sighting, r otlp.Record, group, event string) ([]attach.Sighting, Loss) {
	a := r.Attrs
	s.Call = a.Text("tool_use_id")
	if !rows.IsID(s.Call) || a.Text("tool_name") == "" {
		return nil, Loss{noCallID, named(event)}
	}
	call := s
	// The text stands at the answer's first place.
	call.Group, call.Index, call.Called = group, 1, called(a.Text("tool_name"), paramsOf(a))
	out := []attach.Sighting{call}
	// The record is written when the call has ended.
	took := number(a, "duration_ms")
	s.Returned = &attach.Returned{Partial: true}
	if took > 0 && took < int(24*time.Hour/time.Millisecond) {
		s.Returned.Took = time.Duration(took) * time.Millisecond
		out[0].At = s.At.Add(-s.Returned.Took)
	}
	switch {
	case event == "tool_decision" && a.Text("decision") == "reject":
		s.Returned.Denied, s.Returned.Error = true, "it was refused: "+Plain(a.Text("source"))
	case event == "tool_decision":
		return out, Loss{}
	case a.Text("success") == "false":
		if s.Returned.Error = textFor(a, "error"); s.Returned.Error == "" {
			s.Returned.Error = "it failed, and the agent does not say how"
		}
	}
	return append(out, s), Loss{}
}

// textFor returns a text of a record, within its bound. A text that the agent keeps back is none.
func textFor(a otlp.Attributes, key string) string {
	text := shortOf(a, key)
	if strings.TrimSpace(text) == "<REDACTED>" {
		return ""
	}
	return text
}

// shortOf returns a text of a record, within its bound.
func shortOf(a otlp.Attributes, key string) string {
	text, _ := rows.Shorten(a.Text(key))
	return text
}

// paramsOf returns the parameters of a call. Without the details that a person may switch on there are none.
func paramsOf(a otlp.Attributes) json.RawMessage {
	if raw := valueOf(a["tool_input"]); len(raw) > 0 {
		return raw
	}
	return nil
}

// number returns a number, which Claude Code writes as a string for some.
func number(a otlp.Attributes, key string) int {
	if n, err := strconv.Atoi(a.Text(key)); err == nil {
		return n
	}
	return a.Int(key)
}
