package openwop

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"candor/session"
)

// maxValue bounds what a person says to a question, in bytes.
const maxValue = 64 << 10

// resume handles POST /v1/runs/{run}/interrupts/{node}: it answers what the node asks, which is
// whether a call may run, or whether a decision that the agent is not sure of holds. node may be
// the interruptId instead, for a node that asks several things at once; the node's first
// question is meant otherwise.
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
	for _, open := range Interrupts(v, t) {
		if string(open.NodeID) == name || string(open.InterruptID) == name {
			return open, nil
		}
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
// says that the question is about a decision, for which another may be given.
func parseResume(raw json.RawMessage, decides bool) (session.Answer, json.RawMessage, error) {
	if len(raw) > maxValue {
		return "", nil, badRequest("resumeValue has to have at most 64 KiB.")
	}
	if raw = orNil(raw); raw == nil {
		return "", nil, badRequest("resumeValue is missing. Send {\"approved\": true} or {\"approved\": false}.")
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if answer, ok := answerOf(word); ok {
			return answer, nil, nil
		}
	}
	var said struct {
		Approved *bool           `json:"approved"`
		Decision json.RawMessage `json:"decision"`
	}
	if isObject(raw) && json.Unmarshal(raw, &said) == nil {
		switch {
		case said.Approved != nil && !*said.Approved:
			return session.Deny, nil, nil
		case said.Decision != nil && decides:
			return session.Approve, said.Decision, nil
		case said.Decision != nil:
			return parseResume(said.Decision, false)
		case said.Approved != nil:
			return session.Approve, nil, nil
		}
	}
	if !decides {
		return "", nil, badRequest("This asks whether a call may run, so resumeValue has to be " +
			"{\"approved\": true}, {\"approved\": false}, \"approve\" or \"deny\".")
	}
	return session.Approve, raw, nil
}

// answerOf returns the answer that a word is.
func answerOf(word string) (a session.Answer, ok bool) {
	a = session.Answer(word)
	return a, slices.Contains([]session.Answer{session.Approve, session.Deny}, a)
}
