package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
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

// What may be lost of a span or a record.
const (
	// Without its ids a span can neither be joined with others nor be known a second time. One of another length is
	// none, also that of the span around it.
	noIDs = "a span without ids"
	// A model's call that no channel could join. The span of a tool needs none: it is matched.
	noCallID = "a call without an id"
	// Nothing could be shown of such a call.
	noTool = "a call without its tool"
	// The writer was not told to write content, or is of a version that does not.
	noMessages = "a model call without gen_ai.output.messages"
	// The AI SDK before version 7 writes calls as JSON in a string, which may be cut.
	badCalls = "ai.response.toolCalls that cannot be read"
	// Every record that is read names its session in the programs' present versions.
	noSession = "a record without its session"
	// A person did not release texts: OTEL_LOG_USER_PROMPTS and OTEL_LOG_ASSISTANT_RESPONSES do.
	keptPrompt = "a prompt that the agent keeps back"
	keptText   = "a text that the agent keeps back"
	// A newer version of the program writes it.
	newEvent = "an event that is not read"
	// It has attributes of agents or models, in a dialect that nobody here knows, or of a kind that is new to us.
	newKind = "a span of a kind that is not read"

	// Unmatched is the loss of the spans of tools that Traces.Unmatched counts.
	Unmatched = "a tool without a call's id that fits none or several"
)

// Losses returns all values of Loss.What.
func Losses() []string {
	return slices.Clone([]string{
		noIDs, noCallID, noTool, noMessages, badCalls, noSession, keptPrompt, keptText, newEvent, newKind, Unmatched,
	})
}

// Loss says what could not be read of a span or record, in fixed words and at most one name that the writer chose,
// which is not cleaned. The zero value says that nothing was lost.
type Loss struct {
	What string // one of Losses
	Name string // of the span or the event
}

// maxLost bounds the name of what is lost, in bytes.
const maxLost = 256

// named returns a name within maxLost. A secret in it has to be whole to be found.
func named(name string) string { return strings.Clone(name[:min(len(name), maxLost)]) }

// Plain returns the first 48 bytes of a name, with ? for every character but ASCII letters, digits, -, _, . and blanks.
func Plain(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_. ", c):
			return c
		}
		return '?'
	}, name[:min(len(name), 48)])
}

// Some writers have the messages of a model call not on its span but in log records, which name the span: one for each
// message, or one with all of them. A record with a message is read like a model call within that span.

// messageEvents are the records of the GenAI conventions that are read, or known to repeat what others told.
var messageEvents = []string{
	"gen_ai.choice", "gen_ai.user.message", "gen_ai.tool.message", "gen_ai.client.inference.operation.details",
	"gen_ai.system.message", "gen_ai.assistant.message",
}

// Message returns the node of a log record with a message of a model call; ok is false for every other record. clean
// takes secrets out of names, as for Read.
func Message(r otlp.Record, clean func(name string) string) (n Node, ok bool) {
	name := eventName(r)
	if !isMessage(r, name) {
		return Node{}, false
	}
	body := valueOf(r.Body)
	var said struct {
		Message json.RawMessage `json:"message"`
		Finish  string          `json:"finish_reason"`
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(body, &said) // of another shape, it has none of these
	attrs := otlp.Attributes{"gen_ai.operation.name": "chat"}
	set := func(key string, list any) {
		if raw, err := json.Marshal([]any{list}); err == nil {
			attrs[key] = string(raw)
		}
	}
	switch name {
	case "gen_ai.choice":
		attrs["gen_ai.response.finish_reasons"] = said.Finish
		if len(said.Message) > 0 {
			set("gen_ai.completion", said.Message)
		}
	case "gen_ai.user.message":
		set("gen_ai.prompt", message{Role: "user", Content: said.Content})
	case "gen_ai.tool.message":
		set("gen_ai.input.messages", message{Role: "tool", Parts: []messagePart{
			{Type: "tool_call_response", ID: said.ID, Result: said.Content}}})
	case "gen_ai.client.inference.operation.details":
		attrs = r.Attrs
	default:
		return Node{}, false // what the model was sent before
	}
	// A record that is sent again is the same node.
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Trace, r.Span, name, r.At.String(), string(body)}, "\x00")))
	n, _, ok = Read(otlp.Span{
		Trace: r.Trace, ID: hex.EncodeToString(sum[:spanDigits/2]), Parent: r.Span, Name: name, Scope: r.Scope,
		Start: r.At, End: r.At, Attrs: attrs, Resource: r.Resource,
	}, clean)
	return n, ok
}

// isMessage reports whether a record is of a message of a model call, whose span it names.
func isMessage(r otlp.Record, name string) bool {
	return slices.Contains(messageEvents, name) && len(r.Trace) == traceDigits && len(r.Span) == spanDigits
}
