package codex

import (
	"encoding/json"

	"candor/attach"
	"candor/attach/rows"
)

// Question returns the call that a PreToolUse hook asks about, with all of its arguments, or with none if they are not
// known: those of a command are known if [WithArguments] found them. ok is false for every other payload.
func Question(raw []byte) (q attach.Question, ok bool) {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Event != "PreToolUse" || !rows.IsID(p.Call) || p.Tool == "" {
		return attach.Question{}, false
	}
	return attach.Question{Call: p.Call, Tool: p.Tool, Arguments: p.arguments()}, true
}

// reply is what the program reads as the answer to a hook. Empty, it lets the program go on as without the hook.
type reply struct {
	Specific *specific `json:"hookSpecificOutput,omitempty"`
	Message  string    `json:"systemMessage,omitempty"` // for the person in front of the program
}

// specific are the members of a reply that one event has.
type specific struct {
	Event    string         `json:"hookEventName"`
	Decision attach.Verdict `json:"permissionDecision,omitempty"`
	Words    string         `json:"permissionDecisionReason,omitempty"` // for the model; a denial without any is none
	Answer   *decision      `json:"decision,omitempty"`
}

// decision is the answer to a hook that asks whether a call may leave the sandbox.
type decision struct {
	Behavior attach.Verdict `json:"behavior"`
}

// permissionRequestEvent is the hook that comes where the program would ask the person in front of it, after
// PreToolUse.
const permissionRequestEvent = "PermissionRequest"

// Escalation returns the call whose command a hook asks to run outside the sandbox. A person who approved the call saw
// this request among its arguments. ok is false for every other payload, and if the call is not known.
func Escalation(raw []byte) (q attach.Question, ok bool) {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Event != permissionRequestEvent || p.Tool != shell ||
		!rows.IsID(p.Session) || !rows.IsID(p.Added.Call) || !p.escalates(p.Added.Arguments) {
		return attach.Question{}, false
	}
	return attach.Question{Call: p.Added.Call, Tool: p.Tool, Arguments: p.Added.Arguments, Session: p.Session}, true
}

// AllowEscalation is the reply to such a hook for a call that a person approved. It encodes as JSON.
var AllowEscalation any = reply{Specific: &specific{Event: permissionRequestEvent, Answer: &decision{attach.Allow}}}

// Reply returns the answer to a PreToolUse hook, which encodes as JSON. The program lets this hook deny a call and
// nothing else: after an approval, as without an answer, the call proceeds as if there were no hook. Without an answer,
// the person at the program reads [attach.Unanswered].
func Reply(v attach.Verdict, words string) any {
	switch v {
	case attach.Deny:
		return reply{Specific: &specific{Event: "PreToolUse", Decision: v, Words: words}}
	case attach.Ask:
		return reply{Message: attach.Unanswered}
	}
	return reply{}
}
