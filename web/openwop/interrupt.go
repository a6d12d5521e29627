package openwop

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"candor/session"
	"candor/web/problem"
)

// maxValue bounds what a person says to a question, in bytes.
const maxValue = 64 << 10

// resume handles POST /v1/runs/{run}/interrupts/{node}: it answers what the node asks, which is
// whether a call may run, or whether a decision that the agent is not sure of holds. node may be
// the interruptId instead. A body or a query that has an interruptId answers that question or
// none, and a node that asks several things at once is answered so only: a request that is sent
// twice would answer a question that its sender has not read.
//
// Errors: not_found; validation_error; interrupt_not_found; interrupt_already_resolved;
// run_state_conflict if the node asks several things and none is named.
func (s *Server) resume(in *incoming, body []byte) (changed, error) {
	t, err := in.turn()
	if err != nil {
		return changed{}, err
	}
	var b struct {
		ResumeValue json.RawMessage `json:"resumeValue"`
		InterruptID *string         `json:"interruptId"`
	}
	if err := parseObject(body, &b); err != nil {
		return changed{}, err
	}
	view := s.viewOf(in, t)
	ids := in.URL.Query()["interruptId"]
	if b.InterruptID != nil {
		ids = append(ids, *b.InterruptID)
	}
	open, err := interruptAt(view, t, unescaped(in.PathValue("node")), ids)
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

// interruptAt returns the open question of a run that a node or an interruptId names, and that has
// each of the ids.
func interruptAt(v View, t session.Turn, name string, ids []string) (Interrupt, error) {
	var matching []Interrupt
	for _, open := range Interrupts(v, t) {
		if isNamed(open.NodeID, open.InterruptID, name, ids) {
			matching = append(matching, open)
		}
	}
	switch len(matching) {
	case 0:
	case 1:
		return matching[0], nil
	default:
		return Interrupt{}, several(matching)
	}
	for c := range t.Calls() {
		n := nodeOf(t, c)
		if c.Approval != nil && isNamed(n, interruptID(v.Version, v.User, n, c.ID), name, ids) {
			return Interrupt{}, errResolved
		}
	}
	if len(ids) > 0 {
		return Interrupt{}, errOtherInterrupt
	}
	return Interrupt{}, errNoInterrupt
}

// isNamed reports whether a question is that of a node or an interruptId, and has each of the ids.
func isNamed(node, id ours, name string, ids []string) bool {
	other := func(s string) bool { return s != string(id) }
	return (name == string(node) || name == string(id)) && !slices.ContainsFunc(ids, other)
}

// several returns the refusal to choose between questions.
func several(open []Interrupt) *problem.Problem {
	ids := make([]ours, len(open))
	for i, one := range open {
		ids[i] = one.InterruptID
	}
	return errSeveral.With("interruptIds", ids)
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
// says that the question is about a decision, for which another may be given, as the member
// decision. What is nearly an answer, such as "approved" or {"approved":"no"}, is none.
func parseResume(raw json.RawMessage, decides bool) (session.Answer, json.RawMessage, error) {
	if len(raw) > maxValue {
		return "", nil, badRequest("resumeValue has to have at most 64 KiB.")
	}
	if raw = orNil(raw); raw == nil {
		return "", nil, badRequest("resumeValue is missing. " + answersTo(decides))
	}
	if answer, ok := answerOf(raw); ok {
		return answer, nil, nil
	}
	var said struct {
		Approved json.RawMessage `json:"approved"`
		Action   string          `json:"action"`
		Decision json.RawMessage `json:"decision"`

		Arguments  json.RawMessage `json:"arguments"`
		EditedArgs json.RawMessage `json:"editedArgs"`
	}
	if isObject(raw) {
		_ = json.Unmarshal(raw, &said) // an object, whose members may be anything
	}
	if said.Arguments != nil || said.EditedArgs != nil { // what that approves is not what would run
		return "", nil, badRequest("The arguments of a call cannot be changed here. " + answersTo(decides))
	}
	switch {
	case said.Action == "accept" && said.Approved == nil && said.Decision == nil:
		return session.Approve, nil, nil
	case said.Action == "reject" && said.Approved == nil && said.Decision == nil:
		return session.Deny, nil, nil
	case said.Action != "":
		return "", nil, badRequest("resumeValue.action has to be accept or reject, and nothing else beside it. " +
			answersTo(decides))
	}
	return weigh(string(orNil(said.Approved)), orNil(said.Decision), decides)
}

// answersTo says what resumeValue has to be.
func answersTo(decides bool) string {
	if decides {
		return "It has to be {\"approved\": true} or \"approve\" to let the agent's decision stand, " +
			"{\"approved\": false} or \"deny\" to refuse it, or {\"decision\": …} for a decision of your own."
	}
	return "It has to be {\"approved\": true} or \"approve\" to let the call run, or {\"approved\": false} or " +
		"\"deny\" to refuse it."
}

// weigh returns the answer that an object with the members approved and decision is, of which
// each may be missing. other is the second.
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
	return "", nil, badRequest("resumeValue is no answer to this question. " + answersTo(decides))
}

// answerOf returns the answer that a JSON string is.
func answerOf(raw json.RawMessage) (a session.Answer, ok bool) {
	if json.Unmarshal(raw, &a) != nil {
		return "", false
	}
	return a, a == session.Approve || a == session.Deny
}
