package command

import "encoding/json"

// hookReply are the members of a reply that an agent's program may get. A program knows more of them, such as one that
// changes the arguments of a call.
type hookReply struct {
	// What a person decided.
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// What the person in front of the program reads.
	Message  string       `json:"systemMessage,omitempty"`
	Specific *eventsReply `json:"hookSpecificOutput,omitempty"`
}

// eventsReply are the members that a reply to some event has.
type eventsReply struct {
	Event string `json:"hookEventName,omitempty"`
	// What the model reads.
	Context string `json:"additionalContext,omitempty"`
	// What a person decided.
	Decision string    `json:"permissionDecision,omitempty"`
	Reason   string    `json:"permissionDecisionReason,omitempty"`
	Answer   *decision `json:"decision,omitempty"`
}

// decision is what a person decided about a call that asks to leave its sandbox.
type decision struct {
	Behavior string `json:"behavior,omitempty"`
}

// allowed returns as much of a reply as the hook asked for: of a decision nothing unless it waits for one, and of what
// the model reads nothing unless it asks for reasons.
func (s hookSettings) allowed(reply []byte) ([]byte, error) {
	var r hookReply
	if err := json.Unmarshal(reply, &r); err != nil {
		return []byte("{}"), nil // a member of another type is nothing that this program knows
	}
	if !s.approve {
		r.Decision, r.Reason = "", ""
	}
	if of := r.Specific; of != nil {
		if !s.approve {
			of.Decision, of.Reason, of.Answer = "", "", nil
		}
		if !s.askReasons {
			of.Context = ""
		}
		if *of == (eventsReply{Event: of.Event}) {
			r.Specific = nil
		}
	}
	return json.Marshal(r)
}
