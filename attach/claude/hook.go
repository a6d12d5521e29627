package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
	"candor/attach/settings"
)

// MaxHook bounds a hook's payload, in bytes.
const MaxHook = 16 << 20

// maxBatch bounds the calls of one answer that a hook may name.
const maxBatch = 256

// ErrUnknownHook is the error for a hook that is not read. Its text names the hook.
var ErrUnknownHook = errors.New("this hook is not supported")

// errPayload is the error for a payload that is no hook's.
var errPayload = errors.New("this is not a Claude Code hook payload: it needs session_id and hook_event_name, " +
	"and members of the types that the program gives them")

// payload is what hooks post, as far as it is read.
type payload struct {
	// All hooks have these; those of a sub-agent have its id and type, too.
	Event     string `json:"hook_event_name"`
	Session   string `json:"session_id"`
	Prompt    string `json:"prompt_id"`
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	CWD       string `json:"cwd"`
	// SessionStart, which is not posted by http.
	Model string `json:"model"`

	// UserPromptSubmit: the message. MessageDisplay: a part of the model's text, and which; its message_id is not the
	// API's. A terminal shows lines as they end, so that the last one often comes when a call has begun.
	Text    string `json:"prompt"`
	Delta   string `json:"delta"`
	Index   int    `json:"index"`
	Message string `json:"message_id"`

	// PreToolUse, and with the rest PostToolUse. A path among the parameters is absolute, whatever the model wrote.
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Call     string          `json:"tool_use_id"`
	Response json.RawMessage `json:"tool_response"`
	Took     float64         `json:"duration_ms"`

	// PostToolUseFailure, StopFailure and PermissionDenied.
	Error     string `json:"error"`
	Reason    string `json:"reason"`
	Interrupt bool   `json:"is_interrupt"`

	// Stop and SubagentStop.
	Answer string `json:"last_assistant_message"`

	// PostToolBatch: all calls of an answer, once they have ended.
	Calls []struct {
		ID string `json:"tool_use_id"`
	} `json:"tool_calls"`
}

// Hook returns the sightings in one hook's payload. Hooks without facts about a decision, such as Notification, have
// none. It fails if raw is no payload, and with ErrUnknownHook for an unknown hook.
func Hook(raw []byte) ([]attach.Sighting, error) {
	var p payload
	if len(raw) > MaxHook {
		return nil, fmt.Errorf("the hook's payload has %d bytes; the limit is %d", len(raw), MaxHook)
	}
	if json.Unmarshal(raw, &p) != nil || p.Event == "" || !rows.IsID(p.Session) || p.Index < 0 || p.Index > maxIndex ||
		!rows.OptionalID(p.Prompt, p.AgentID, p.Call, p.Message) {
		return nil, errPayload
	}
	return p.sightings()
}

// sightings returns what the payload tells.
func (p *payload) sightings() ([]attach.Sighting, error) {
	s := attach.Sighting{Agent: agent, Session: p.Session, Channel: attach.Hooks, Turn: p.Prompt, Sub: p.AgentID}
	switch p.Event {
	case "SessionStart":
		return rows.News(&attach.About{}, attach.About{Folder: p.CWD, Model: p.Model}, s), nil
	case "UserPromptSubmit":
		// The only hook of a turn's beginning. What the program tells the model of sub-agents comes by it, too.
		text, _ := rows.Shorten(p.Text)
		about := rows.News(&attach.About{}, attach.About{Folder: p.CWD, Model: p.Model}, s)
		s.Prompted = &attach.Prompted{Text: text, By: promptedBy("", text)}
		return append(about, s), nil
	case "MessageDisplay":
		return p.displayed(s), nil
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		return p.tool(s)
	case "PostToolBatch":
		return p.batch(s), nil
	case "SubagentStart":
		// It does not name the call; the call's own PostToolUse does, when the sub-agent is done or in the background.
		kind, _ := rows.Shorten(p.AgentType)
		s.Spawned = &attach.Spawned{Kind: kind}
		return []attach.Sighting{s}, nil
	case "Stop", "SubagentStop":
		text, _ := rows.Shorten(p.Answer)
		s.Ended = &attach.Ended{Answer: text}
		return []attach.Sighting{s}, nil
	case "StopFailure":
		s.Ended = &attach.Ended{Error: p.failure()}
		return []attach.Sighting{s}, nil
	// They say nothing of decisions. SessionEnd is no turn's end: a turn that a person interrupts has no hook at all.
	case "SessionEnd", "Notification", "PermissionRequest", "PreCompact", "PostCompact":
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownHook, rows.PlainKind(p.Event))
}

// displayed returns a part of what the model says to the person.
func (p *payload) displayed(s attach.Sighting) []attach.Sighting {
	text, _ := rows.Shorten(p.Delta)
	if text == "" {
		return nil
	}
	s.Index, s.Said = p.Index, &attach.Said{Text: text, Message: p.Message}
	return []attach.Sighting{s}
}

// tool returns the call that a payload is about, and how it ended, if it did.
func (p *payload) tool(s attach.Sighting) ([]attach.Sighting, error) {
	if !rows.IsID(p.Call) || p.Tool == "" {
		return nil, errPayload
	}
	s.Call = p.Call
	called := s
	called.Called, _ = calledOf(p.Tool, p.Input)
	// The hooks of a call's end have its parameters again, so that a call is known whose beginning was missed.
	out := []attach.Sighting{called}
	if p.Took > 0 && p.Took < float64(24*time.Hour/time.Millisecond) {
		s.Returned = &attach.Returned{Took: time.Duration(p.Took * float64(time.Millisecond))}
	} else {
		s.Returned = &attach.Returned{}
	}
	switch p.Event {
	case "PostToolUse":
		foreign := isForeign(p.Tool)
		known, isObject := detailOf(p.Response, foreign)
		var cut bool
		s.Returned.Result, cut = bounded(p.Response, foreign)
		s.Returned.Partial = cut || isObject && known.Persisted != ""
		s.Returned.Cancelled = isObject && known.Interrupted
		out = append(out, known.spawned(s)...)
	case "PostToolUseFailure":
		s.Returned.Error, s.Returned.Cancelled = p.failure(), p.Interrupt
	case "PermissionDenied":
		s.Returned.Error, s.Returned.Denied = p.failure(), true
	default:
		return out, nil
	}
	return append(out, s), nil
}

// failure returns the words of a failure or refusal; it never is empty.
func (p *payload) failure() string {
	for _, text := range []string{p.Error, p.Reason} {
		if text, _ = rows.Shorten(text); strings.TrimSpace(text) != "" {
			return text
		}
	}
	return "it failed, and the program does not say how"
}

// batch returns the calls of one answer of the model.
func (p *payload) batch(s attach.Sighting) []attach.Sighting {
	batched := &attach.Batched{}
	for _, c := range p.Calls[:min(len(p.Calls), maxBatch)] {
		if rows.IsID(c.ID) {
			batched.Calls = append(batched.Calls, c.ID)
		}
	}
	if len(batched.Calls) == 0 {
		return nil
	}
	s.Batched = batched
	return []attach.Sighting{s}
}

// Question returns the call that a PreToolUse hook asks about, with all of its arguments. ok is false for every other
// payload.
func Question(raw []byte) (q attach.Question, ok bool) {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Event != "PreToolUse" || !rows.IsID(p.Call) || p.Tool == "" {
		return attach.Question{}, false
	}
	return attach.Question{Call: p.Call, Tool: p.Tool, Arguments: p.Input}, true
}

// reply is what the program reads as the answer to a hook. Empty, it lets the program go on as without the hook.
type reply struct {
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

// specific are the members of a reply that one event has.
type specific struct {
	Event    string         `json:"hookEventName"`
	Decision attach.Verdict `json:"permissionDecision,omitempty"`
	// Words are shown to the person who is asked, and go to the model where a call is denied.
	Words string `json:"permissionDecisionReason,omitempty"`
}

// Reply returns the answer to a PreToolUse hook, which encodes as JSON: a verdict, or "" for none, and a message for
// the person or the model.
func Reply(v attach.Verdict, words string) any {
	if v == "" {
		return reply{}
	}
	return reply{&specific{Event: "PreToolUse", Decision: v, Words: words}}
}

// remindingEvents are those whose answer may add to what the model reads: the beginnings of a turn and a sub-agent.
var remindingEvents = []string{"UserPromptSubmit", "SubagentStart"}

// Remind returns the answer to a hook, which encodes as JSON and asks the model for its reasons.
var Remind = attach.Reminder(remindingEvents...)

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"Bash", "Edit", "MultiEdit", "NotebookEdit", "Write", "mcp__.*"}

// Commands returns the hooks of settings.json, which run the program at the path candor. The program could post hooks
// by itself, and would give the token to whoever listens at the server's address: Posted tells such hooks.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "claude", Candor: candor, Unit: time.Second,
		Events: []string{"UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"PostToolBatch", "PermissionDenied", "SubagentStart", "SubagentStop", "Stop", "StopFailure"},
		Before:   "PreToolUse",
		OfTools:  []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"},
		AllTools: "*", Reminds: remindingEvents, Posted: "/api/hooks/claude", Switch: "showThinkingSummaries",
	}
}
