package attached

import (
	"bytes"

	"candor/attach"
	"candor/session"
)

// maxAgain bounds the turns in which a call is looked for that a hook asks about again: a sub-agent in the background
// may belong to an earlier one.
const maxAgain = 20

// approved reports whether a person approved a call, which has not ended, and saw the same arguments.
func (t *taking) approved(agent string, q attach.Question) bool {
	of := attach.Sighting{Agent: agent, Session: q.Session}
	if !t.own.HasObserved(threadName(of)) {
		return false // and none is opened for a question
	}
	id, err := t.thread(of)
	if err != nil {
		return false
	}
	thread, err := t.own.Thread(id)
	if err != nil {
		return false
	}
	// Arguments that are not shown as they were approve nothing: a model may use an id again.
	asked, err := t.layer.Question(q.Arguments)
	if err != nil {
		return false
	}
	for turn, err := range t.own.Turns(id, thread.Turns, max(1, thread.Turns-maxAgain)) {
		if err != nil {
			return false
		}
		if call, ok := turn.Call(ourID("call", q.Call)); ok {
			a := call.Approval
			return a != nil && a.Answer == session.Approve && call.Outcome == session.Pending &&
				a.Hidden == asked.Hidden && bytes.Equal(a.Shown.Raw(), asked.Shown.Raw())
		}
	}
	return false
}
