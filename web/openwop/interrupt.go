package openwop

import (
	"encoding/json"
	"errors"
	"net/http"

	"candor/session"
)

// maxValue bounds what a person says to a question, in bytes.
const maxValue = 64 << 10

// resume handles POST /v1/runs/{run}/interrupts/{node}: it answers what the node asks, which is
// whether a call may run, or whether a decision that the agent is not sure of holds. node may be
// the interruptId instead, and has to be for a node that asks several things at once: a request
// that is sent twice would answer a question that its sender has not read.
//
// Errors: not_found; validation_error; interrupt_not_found; interrupt_already_resolved.
func (s *Server) resume(in *incoming, body []byte) (changed, error) {
	t, err := in.turn()
	if err != nil {
		return changed{}, err
	}
	var b struct {
		ResumeValue json.RawMessage `json:"resumeValue"`
	}
	if err := parseObject(body, &b); err != nil {
		return changed{}, err
	}
	view := s.viewOf(in, t)
	open, err := interruptAt(view, t, unescaped(in.PathValue("node")))
	if err != nil {
		return changed{}, err
	}
	answer, value, err := parseResume(b.ResumeValue, open.Decides)
	if err != nil {
		return changed{}, err
	}
	_, err = s.options.Runs.Answer(in.Context(), in.who.User, open.Request, answer, value)
	if errors.Is(err, session.ErrNoApproval) {
		return changed{}, errResolved
	}
	if err != nil {
		return changed{}, err
	}
	now, err := in.turn()
	if err != nil {
		return changed{}, err
	}
	return changed{http.StatusOK, runState{
		RunID: in.runID(), Status: StatusOf(view, now), NodeID: open.NodeID, InterruptID: open.InterruptID,
	}}, nil
}

// interruptAt returns the open question of a run that the path names.
func interruptAt(v View, t session.Turn, name string) (Interrupt, error) {
	var ofNode []Interrupt
	for _, open := range Interrupts(v, t) {
		if string(open.InterruptID) == name {
			return open, nil
		}
		if string(open.NodeID) == name {
			ofNode = append(ofNode, open)
		}
	}
	switch len(ofNode) {
	case 0:
	case 1:
		return ofNode[0], nil
	default:
		return Interrupt{}, errSeveral
	}
	for c := range t.Calls() {
		n := nodeOf(t, c)
		if c.Approval != nil && (string(n) == name || string(interruptID(v.Version, v.User, n, c.ID)) == name) {
			return Interrupt{}, errResolved
		}
	}
	return Interrupt{}, errNoInterrupt
}

// nodeOf returns the node of a run in which a call was made.
func nodeOf(t session.Turn, c session.Call) ours {
	for _, n := range t.Nodes {
		if !c.StartedAt.Before(n.StartedAt) && (n.EndedAt.IsZero() || c.StartedAt.Before(n.EndedAt)) {
			return ours(n.Node)
		}
	}
	return agentNode
}

// parseResume returns the answer that a resumeValue is, and what else the person said. decides
// says that the question is about a decision, for which another may be given. What is half an
// answer, such as {"approved":"no"}, is none.
func parseResume(raw json.RawMessage, decides bool) (session.Answer, json.RawMessage, error) {
	if len(raw) > maxValue {
		return "", nil, badRequest("resumeValue has to have at most 64 KiB.")
	}
	if raw = orNil(raw); raw == nil {
		return "", nil, badRequest("resumeValue is missing. Send {\"approved\": true} or {\"approved\": false}.")
	}
	if answer, ok := answerOf(raw); ok {
		return answer, nil, nil
	}
	var said struct {
		Approved json.RawMessage `json:"approved"`
		Decision json.RawMessage `json:"decision"`
	}
	if isObject(raw) {
		_ = json.Unmarshal(raw, &said) // an object, whose members may be anything
	}
	if said.Approved != nil || said.Decision != nil {
		return weigh(string(orNil(said.Approved)), orNil(said.Decision), decides)
	}
	if !decides {
		return "", nil, errYesOrNo
	}
	return session.Approve, raw, nil
}

// weigh returns the answer that an object with the members approved and decision is, of which one
// may be missing. other is the second.
func weigh(approved string, other json.RawMessage, decides bool) (session.Answer, json.RawMessage, error) {
	switch {
	case approved == "false":
		return session.Deny, nil, nil
	case approved != "" && approved != "true":
	case other == nil && approved == "true":
		return session.Approve, nil, nil
	case other != nil && decides:
		return session.Approve, other, nil
	default:
		if answer, ok := answerOf(other); ok {
			return answer, nil, nil
		}
	}
	return "", nil, errYesOrNo
}

// answerOf returns the answer that a JSON string is.
func answerOf(raw json.RawMessage) (a session.Answer, ok bool) {
	if json.Unmarshal(raw, &a) != nil {
		return "", false
	}
	return a, a == session.Approve || a == session.Deny
}
