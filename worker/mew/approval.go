package mew

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"candor/agent"
	"candor/session"
)

// askingRecorder is a recorder that asks the approvers of the participant: by a proposal, which
// one of them fulfils or rejects.
type askingRecorder struct{ *recorder }

// ForAgent implements agent.AgentRecorder.
func (r *askingRecorder) ForAgent(id string) agent.Recorder {
	return &askingRecorder{&recorder{turn: r.turn, agent: id}}
}

// Approved implements agent.Approver. An answer holds for one call.
func (*askingRecorder) Approved(string) bool { return false }

// Ask implements agent.Approver.
func (r *askingRecorder) Ask(call string, q agent.Question) func(context.Context) agent.Reply {
	c := r.call(call)
	if c == nil {
		return replying(session.Withdrawn)
	}
	if c.target != "" && q.Arguments.Hidden > 0 {
		c.unsent = errHidden // an approver would send the arguments as they are shown
		return replying(session.Approve)
	}
	c.shown = q.Arguments.Shown.Raw()
	payload := c.payload()
	payload["params"] = object{"name": c.tool, "arguments": q.Arguments.Shown}
	payload["description"] = q.Description.String()
	if r.send(c, "mcp/proposal", payload) == "" {
		return replying(session.Expired)
	}
	return func(ctx context.Context) agent.Reply { return agent.Reply{Answer: r.awaitAnswer(ctx, c)} }
}

// replying returns a function that waits for nobody.
func replying(answer session.Answer) func(context.Context) agent.Reply {
	return func(context.Context) agent.Reply { return agent.Reply{Answer: answer} }
}

// awaitAnswer returns the answer of an approver. The proposal of a call that nobody answers is
// withdrawn when the call's end is recorded.
func (t *turn) awaitAnswer(ctx context.Context, c *ownCall) session.Answer {
	timer := time.NewTimer(cmp.Or(t.patience.approval, approvalTime))
	defer timer.Stop()
	select {
	case answer := <-c.decided:
		return answer
	case <-timer.C:
		return session.Expired
	case <-ctx.Done():
		return session.Withdrawn
	}
}

// mayDecide reports whether a participant may say yes to a proposal of ours. The caller holds mu.
func (m *member) mayDecide(c *ownCall, who string) bool {
	return c.shown == nil && c.target != "" || slices.Contains(m.Approvers, who)
}

// notYours tells somebody who may not decide who may.
func (m *member) notYours() string {
	if len(m.Approvers) == 0 {
		return "nobody may approve this participant's calls: --approver names who may"
	}
	return "only " + strings.Join(m.Approvers, ", ") + " may approve this participant's calls: --approver names who may"
}

// fulfil takes a request that refers to a proposal of ours: somebody wants the call to run. It
// returns why the request has no effect, and ok is false if it refers to no such proposal.
func (m *member) fulfil(e envelope) (problem string, ok bool) {
	var in rpc
	e.read(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.proposed(e)
	switch {
	case c == nil:
		return "", false
	case c.request != "" || c.closed:
		return "this proposal is decided already", true
	case !m.mayDecide(c, e.From):
		return m.notYours(), true
	case in.Method != "tools/call" || in.Params.Name != c.tool || !c.fits(in.Params.Arguments):
		return "the request is not the call that was proposed", true
	}
	c.request, c.by, c.rpcID = e.ID, e.From, in.ID
	m.awaited[e.ID] = c
	decide(c, session.Approve)
	return "", true
}

// fits reports whether the arguments of a request are those that an approver was asked about. A
// request may leave them out.
func (c *ownCall) fits(arguments json.RawMessage) bool {
	return c.shown == nil || len(arguments) == 0 || isNull(arguments) || sameJSON(arguments, c.shown)
}

// proposed returns the call whose proposal a message refers to, or nil. The caller holds mu.
func (m *member) proposed(e envelope) *ownCall {
	for _, id := range e.Correlation {
		if c := m.awaited[id]; c != nil && c.proposal == id {
			return c
		}
	}
	return nil
}

// decide passes on the first answer to a question.
func decide(c *ownCall, answer session.Answer) {
	select {
	case c.decided <- answer:
	default:
	}
}

// hearReject takes the answer that a proposed call must not run: from an approver, or from the
// participant that has the tool.
func (m *member) hearReject(e envelope) {
	var in struct{ Reason string }
	e.read(&in)
	reason, _ := m.layer().Limit(1000).Mask(oneLine(in.Reason))
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.proposed(e)
	if c == nil || c.request != "" || c.closed || e.From != c.target && !m.mayDecide(c, e.From) {
		return
	}
	c.closed = true
	decide(c, session.Deny)
	c.finish(reply{err: rejection(reason.String())})
}

// rejection is the error of a call that was proposed and rejected, with the reason given.
type rejection string

// Error implements error.
func (r rejection) Error() string {
	if r == "" {
		return "the proposed call was rejected"
	}
	return "the proposed call was rejected: " + string(r)
}
