package agent

import (
	"context"
	"encoding/json"

	"candor/safety"
	"candor/session"
)

// recorder is a turn's place in a thread's log, and what else a turn of a chat can
// do: ask its user, record sub-agents, keep opaque reasoning.
type recorder struct {
	chat    *Chat
	session *session.Session
	user    string
	ref     session.Ref
}

var (
	_ Recorder      = recorder{}
	_ Approver      = recorder{}
	_ AgentRecorder = recorder{}
	_ OpaqueKeeper  = recorder{}
	_ FrontEnd      = recorder{}
)

// Record implements Recorder.
func (r recorder) Record(b session.Body) error {
	_, err := r.session.Append(r.ref, b)
	return err
}

// As implements AgentRecorder.
func (r recorder) ForAgent(agent string) Recorder {
	r.ref.Agent = agent
	return r
}

// Keep implements OpaqueKeeper.
func (r recorder) Keep(call string, items []Opaque) {
	r.chat.opaque.put(r.ref.Thread, r.ref.Turn, call, items)
}

// Hand implements FrontEnd.
func (r recorder) Hand(call string) func(context.Context) (json.RawMessage, error) {
	return r.chat.errands.put(errand(r.user, r.ref.Thread, r.ref.Turn, call))
}

// Ask implements Approver. A question that cannot be recorded cannot be seen, so
// it counts as not answered.
func (r recorder) Ask(call string, tool, description safety.Text, mode Approval) func(context.Context) session.Answer {
	if mode == ApprovalAsk && r.session.Approved(tool.String()) {
		return nil
	}
	id := r.session.RequestID(r.ref, call)
	q := &question{recorder: r, call: call, always: mode == ApprovalAsk, answered: make(chan session.Answer, 1)}
	r.chat.questions.put(id, q)
	err := r.Record(session.ApprovalAsked{Request: id, Call: call, Description: description, AllowAlways: q.always})
	if err != nil {
		r.chat.questions.take(id, r.user)
		return func(context.Context) session.Answer { return session.Expired }
	}
	return func(ctx context.Context) session.Answer { return r.chat.questions.wait(ctx, id, q) }
}
