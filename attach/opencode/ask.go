package opencode

import (
	"encoding/json"

	"candor/attach"
	"candor/attach/rows"
)

// asked is what the plugin adds to its payload about a call that waits: the arguments that it would run with, which
// another plugin may have changed. Without them they are too long to be shown.
type asked struct {
	Arguments json.RawMessage `json:"arguments"`
}

// Question returns the call that the plugin asks about, which is the last part of its payload, with all of its
// arguments. ok is false for every other payload.
func Question(raw []byte) (q attach.Question, ok bool) {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Asked == nil || len(p.Parts) == 0 {
		return attach.Question{}, false
	}
	in, ok := decodePart(p.Parts[len(p.Parts)-1])
	if !ok || in.Type != "tool" || !rows.IsID(in.CallID) || in.Tool == "" {
		return attach.Question{}, false
	}
	return attach.Question{Call: in.CallID, Tool: in.Tool, Arguments: p.Asked.Arguments}, true
}

// reply is what the plugin reads as the answer. Empty, it lets the call go on.
type reply struct {
	Decision attach.Verdict `json:"decision,omitempty"`
	Words    string         `json:"reason,omitempty"`  // for the model
	Message  string         `json:"message,omitempty"` // for the person in front of the program
}

// Reply returns the answer to the plugin, which encodes as JSON. A plugin can deny a call and nothing else: after an
// approval, as without an answer, the call proceeds as if there were no plugin. Without an answer, the person at the
// program reads [attach.Unanswered].
func Reply(v attach.Verdict, words string) any {
	switch v {
	case attach.Deny:
		return reply{Decision: v, Words: words}
	case attach.Ask:
		return reply{Message: attach.Unanswered}
	}
	return reply{}
}
