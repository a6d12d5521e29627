package gemini

import "candor/attach"

// Question returns the call that a BeforeTool hook asks about, with all of its arguments. Its id is the name that equal
// calls share. ok is false for every other payload.
func Question(raw []byte) (q attach.Question, ok bool) { return question(raw, payload{program: agent}) }

// question is Question for the payload of a program.
func question(raw []byte, p payload) (q attach.Question, ok bool) {
	if !p.decode(raw) || p.Event != "BeforeTool" || p.Tool == "" {
		return attach.Question{}, false
	}
	return attach.Question{Call: firstOf(p.more.Call, p.alike()), Tool: p.Tool, Arguments: p.Input}, true
}

// reply is what the program reads as the answer to a hook. Empty, it lets the program go on as without the hook.
type reply struct {
	Decision attach.Verdict `json:"decision,omitempty"`
	Words    string         `json:"reason,omitempty"`        // for the model
	Message  string         `json:"systemMessage,omitempty"` // for the person in front of the program
}

// Reply returns the answer to a BeforeTool hook, which encodes as JSON. The program lets a hook deny a call or let the
// program ask the person; "allow" has the same effect as no answer. So after an approval, as without an answer, the
// call proceeds as if there were no hook. Without an answer, the person at the program reads [attach.Unanswered].
func Reply(v attach.Verdict, words string) any {
	switch v {
	case attach.Deny:
		return reply{Decision: v, Words: words}
	case attach.Ask:
		return reply{Message: attach.Unanswered}
	}
	return reply{}
}
