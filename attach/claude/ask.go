package claude

import (
	"encoding/json"

	"candor/attach"
	"candor/attach/rows"
)

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
