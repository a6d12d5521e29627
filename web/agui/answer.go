package agui

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"candor/session"
	"candor/web/problem"
)

// reply is an input's answer to a call that waited for the front end.
type reply struct {
	turn session.Turn
	call session.Call

	approval session.Answer  // "" if the call waited for a result instead
	value    json.RawMessage // another decision than the agent's; nil if there is none
	result   json.RawMessage
	failure  string
	late     bool // the call does not wait any more
}

// recentTurns is how many of the latest turns may be answered: the one that waits, and
// those that may be queued behind it.
const recentTurns = session.MaxWaiting + 2

// replies returns the input's answers to calls of these turns, in the order of the
// input. An answer that an earlier input gave already is left out.
func (in *Input) replies(turns []session.Turn) ([]reply, error) {
	var all []reply
	for i, r := range in.Resume {
		a, found := findRequest(turns, r.InterruptID)
		if !found {
			return nil, problem.New(http.StatusConflict, "no_interrupt",
				"resume names an interrupt that is not open in this thread.").With("index", i)
		}
		var err error
		if a.approval, a.value, err = r.decision(a.call); err != nil {
			return nil, err
		}
		a.late = a.call.Approval.Answer != ""
		if a.approval == session.Always && !a.call.Approval.AllowAlways {
			return nil, session.ErrNotAlways
		}
		all = append(all, a)
	}
	for _, m := range in.Messages {
		a, found := findCall(turns, m)
		if !found || a.late && m.ID != in.last().ID {
			continue // an earlier input said it
		}
		if len(m.Text) > maxResult {
			return nil, problem.New(http.StatusRequestEntityTooLarge, "result_too_large",
				"The result of a call is too large.").With("max_bytes", maxResult)
		}
		a.result, a.failure = m.result(), m.Error
		all = append(all, a)
	}
	return all, nil
}

// last returns the input's last message, an empty one if it has none.
func (in *Input) last() InputMessage {
	if n := len(in.Messages); n > 0 {
		return in.Messages[n-1]
	}
	return InputMessage{}
}

// findRequest finds the call that an approval request is about.
func findRequest(turns []session.Turn, request string) (reply, bool) {
	for _, t := range turns {
		for c := range t.Calls() {
			if c.Approval != nil && c.Approval.Request == request {
				return reply{turn: t, call: c}, true
			}
		}
	}
	return reply{}, false
}

// findCall finds the call that a tool message answers, if a front end was to run it. One that
// waits for its approval has no result yet, whatever a client says.
func findCall(turns []session.Turn, m InputMessage) (reply, bool) {
	number, call, ok := parseCallID(m.ToolCallID)
	if !ok || m.Role != "tool" {
		return reply{}, false
	}
	for _, t := range turns {
		if c, found := t.Call(call); found && t.Number == number && c.FrontEnd && forwarded(t, c) {
			return reply{turn: t, call: c, late: c.Outcome != session.Pending}, true
		}
	}
	return reply{}, false
}

// said is the payload of a resume.
type said struct {
	Answer   session.Answer  `json:"answer"`
	Approved *bool           `json:"approved"`
	Value    json.RawMessage `json:"value"`

	// Other servers take changed arguments under these names. What they approve is not what would run here.
	Arguments  json.RawMessage `json:"arguments"`
	EditedArgs json.RawMessage `json:"editedArgs"`
}

var noEdit = problem.New(http.StatusBadRequest, "bad_payload",
	"The arguments of a call cannot be changed here. Approve it as it is, deny it, or change it with "+
		"POST /api/chat/approval/edit.")

// decision parses a person's answer about a call, and another decision beside it. A resolved
// resume without a payload means approve.
func (r Resume) decision(c session.Call) (session.Answer, json.RawMessage, error) {
	if r.Status == "cancelled" {
		return session.Deny, nil, nil
	}
	if len(r.Payload) == 0 || string(r.Payload) == "null" {
		return session.Approve, nil, nil
	}
	var in said
	if json.Unmarshal(r.Payload, &in.Answer) != nil && json.Unmarshal(r.Payload, &in) != nil {
		return "", nil, badPayload
	}
	if len(in.Arguments) > 0 || len(in.EditedArgs) > 0 {
		return "", nil, noEdit
	}
	answer, err := in.answer()
	if err != nil {
		return "", nil, err
	}
	if len(in.Value) == 0 || string(in.Value) == "null" {
		return answer, nil, nil
	}
	if answer != session.Approve || !c.Decides || len(in.Value) > maxDecision {
		return "", nil, badDecision
	}
	return answer, in.Value, nil
}

// maxDecision bounds another decision than the agent's, in bytes of JSON.
const maxDecision = 4096

var badDecision = problem.New(http.StatusBadRequest, "bad_payload",
	"value is another decision, of at most 4096 bytes. Send it with approve, and only if the interrupt's "+
		"schema has it.")

// answer returns the answer that a payload gives.
func (said said) answer() (session.Answer, error) {
	switch {
	case said.Answer == session.Approve, said.Answer == session.Always, said.Answer == session.Deny:
		return said.Answer, nil
	case said.Answer != "" || said.Approved == nil:
		return "", badPayload
	case *said.Approved:
		return session.Approve, nil
	}
	return session.Deny, nil
}

var badPayload = problem.New(http.StatusBadRequest, "bad_payload",
	`The payload of a resume has to be {"answer": "approve"}, or "deny", or "always" where the interrupt allows it.`)

// deliver passes a reply to the agent loop. A reply that is too late changes nothing
// and is no error: the stream shows what became of the call.
func (s *Server) deliver(ctx context.Context, user string, a reply) error {
	if a.late {
		return nil
	}
	var err error
	if a.approval != "" {
		_, err = s.options.Answers.Answer(ctx, user, a.call.Approval.Request, a.approval, a.value)
	} else {
		err = s.options.Answers.Return(user, a.turn.Thread, a.turn.Number, a.call.ID, a.result, a.failure)
	}
	if errors.Is(err, session.ErrNoApproval) || errors.Is(err, ErrNoCall) {
		return nil
	}
	return err
}
