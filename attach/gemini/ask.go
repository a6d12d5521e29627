package gemini

import (
	"encoding/json"

	"candor/attach"
)

// Question returns the call that the payload of a BeforeTool hook is about, with all of its arguments. It has the name
// of equal calls for an id. ok is false for every other payload.
func Question(raw []byte) (q attach.Question, ok bool) {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Event != "BeforeTool" || p.Tool == "" {
		return attach.Question{}, false
	}
	return attach.Question{Call: p.alike(), Tool: p.Tool, Arguments: p.Input}, true
}

// reply is what the program reads as the answer to a hook. Empty, it lets the program go on as without the hook.
type reply struct {
	Decision attach.Verdict `json:"decision,omitempty"`
	Words    string         `json:"reason,omitempty"`        // for the model
	Message  string         `json:"systemMessage,omitempty"` // for the person in front of the program
}

// Reply returns the answer to a BeforeTool hook, which encodes as JSON. The program lets a hook deny a call or have a
// person asked; "allow" does what no answer does. So an approval lets it go on as without the hook, and
// so does no answer, of which the person in front of the program reads.
func Reply(v attach.Verdict, words string) any {
	switch v {
	case attach.Deny:
		return reply{Decision: v, Words: words}
	case attach.Ask:
		return reply{Message: attach.Unanswered}
	}
	return reply{}
}
