package agui

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"candor/session"
	"candor/web/problem"
)

// answer is what an input says to a call that waited.
type answer struct {
	turn session.Turn
	call session.Call

	approval session.Answer // "" where a result is given
	result   json.RawMessage
	failure  string
	late     bool // the call does not wait for this any more
}

// recentTurns is how far back answers are looked for: the turn that waits, and those
// that may queue behind it.
const recentTurns = session.MaxWaiting + 2

// answers are what the input says to calls of the thread, in its order.
func (in *Input) answers(turns []session.Turn) ([]answer, error) {
	var all []answer
	for i, r := range in.Resume {
		a, found := findRequest(turns, r.InterruptID)
		if !found {
			return nil, problem.New(http.StatusConflict, "no_interrupt",
				"resume names an interrupt that this thread does not have open.").With("index", i)
		}
		var err error
		if a.approval, err = r.answer(); err != nil {
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
			continue // said before
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

// last is the input's last message, or an empty one.
func (in *Input) last() InputMessage {
	if n := len(in.Messages); n > 0 {
		return in.Messages[n-1]
	}
	return InputMessage{}
}

func findRequest(turns []session.Turn, request string) (answer, bool) {
	for _, t := range turns {
		for c := range t.Calls() {
			if c.Approval != nil && c.Approval.Request == request {
				return answer{turn: t, call: c}, true
			}
		}
	}
	return answer{}, false
}

// findCall finds the call that a tool message answers, if a front end runs it.
func findCall(turns []session.Turn, m InputMessage) (answer, bool) {
	number, call, ok := parseCallID(m.ToolCallID)
	if !ok || m.Role != "tool" {
		return answer{}, false
	}
	for _, t := range turns {
		if c, found := t.Call(call); found && t.Number == number && c.FrontEnd {
			return answer{turn: t, call: c, late: c.Outcome != session.Pending}, true
		}
	}
	return answer{}, false
}

// answer reads what a person said: without a payload, resolved is yes.
func (r Resume) answer() (session.Answer, error) {
	if r.Status == "cancelled" {
		return session.Deny, nil
	}
	if len(r.Payload) == 0 || string(r.Payload) == "null" {
		return session.Approve, nil
	}
	var said struct {
		Answer   session.Answer `json:"answer"`
		Approved *bool          `json:"approved"`
	}
	if json.Unmarshal(r.Payload, &said.Answer) != nil && json.Unmarshal(r.Payload, &said) != nil {
		return "", badPayload
	}
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

// give delivers an answer. One that comes too late for its call changes nothing, and
// is no failure: the log says what became of the call.
func (s *Server) give(ctx context.Context, user string, a answer) error {
	if a.late {
		return nil
	}
	var err error
	if a.approval != "" {
		_, err = s.Answers.Approve(ctx, user, a.call.Approval.Request, a.approval)
	} else {
		err = s.Answers.Return(user, a.turn.Thread, a.turn.Number, a.call.ID, a.result, a.failure)
	}
	if errors.Is(err, session.ErrNoApproval) || errors.Is(err, ErrNoCall) {
		return nil
	}
	return err
}
