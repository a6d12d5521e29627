package agent

import (
	"context"
	"errors"

	"candor/session"
)

var (
	errDenied    = errors.New("a person was asked and denied this call")
	errExpired   = errors.New("a person was asked and did not answer in time, so this call was not run")
	errNobody    = errors.New("this call needs a person's approval, and nobody can be asked here")
	errWithdrawn = errors.New("the turn was stopped before a person answered")
)

// ask puts the question to a person where the tool demands one. The call's batch
// does not wait: it does, alone, when the batch runs.
func (b *batch) ask(a *attempt) {
	mode := a.tool.description.Approval
	if own, ok := b.Approval[a.asked.Name]; ok {
		mode = own
	}
	if a.outcome == "" && a.tool.description.FrontEnd {
		b.hand(a)
	}
	if a.outcome != "" || mode == ApprovalNever {
		return
	}
	approver, ok := b.rec.(Approver)
	if !ok {
		a.refuse(session.Rejected, errNobody)
		return
	}
	name, _ := b.Safety.Mask(a.asked.Name)
	description, _ := b.Safety.Mask(a.tool.description.Description)
	a.wait = approver.Ask(a.id, name, description, mode)
}

// allowed waits for the answer and refuses the call if it is not yes.
func (a *attempt) allowed(ctx context.Context) bool {
	switch answer := a.wait(ctx); {
	case answer.Allows():
		return true
	case answer == session.Deny:
		a.refuse(session.Rejected, errDenied)
	case answer == session.Expired:
		a.refuse(session.Rejected, errExpired)
	default:
		a.refuse(session.Cancelled, errWithdrawn)
	}
	return false
}
