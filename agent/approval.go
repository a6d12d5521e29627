package agent

import (
	"context"
	"errors"
	"fmt"

	"candor/session"
)

// Approval says whether a person is asked before a tool runs.
type Approval int

const (
	// ApprovalNever runs the tool without asking.
	ApprovalNever Approval = iota
	// ApprovalAsk asks a person, who may approve the tool for the rest of the session.
	ApprovalAsk
	// ApprovalAlways asks a person before each call.
	ApprovalAlways
)

// ParseApproval parses "never", "ask" or "always".
func ParseApproval(s string) (Approval, error) {
	for a, name := range []string{"never", "ask", "always"} {
		if s == name {
			return Approval(a), nil
		}
	}
	return 0, fmt.Errorf("%q is none of never, ask, always", s)
}

// Why a call did not run after its approval was requested. The model and the user
// read these texts.
var (
	errDenied    = errors.New("a person was asked and denied this call")
	errExpired   = errors.New("a person was asked and did not answer in time, so this call was not run")
	errNoPerson  = errors.New("this call needs a person's approval, and nobody can be asked here")
	errWithdrawn = errors.New("the turn was stopped before a person answered")
)

// requestApproval records a request for approval if the tool requires one. It does
// not wait for the answer: the call does that when the batch runs, so the rest of the
// batch is not held up.
func (b *batch) requestApproval(a *attempt) {
	mode := a.tool.spec.Approval
	if override, ok := b.Approval[a.requested.Name]; ok {
		mode = override
	}
	if a.outcome != "" || mode == ApprovalNever {
		return
	}
	approver, ok := b.rec.(Approver)
	if !ok {
		a.refuse(session.Rejected, errNoPerson)
		return
	}
	name, _ := b.Safety.Mask(a.requested.Name)
	description, _ := b.Safety.Mask(a.tool.spec.Description)
	a.awaitApproval = approver.Ask(a.id, name, description, mode)
}

// approved waits for the person's answer. It refuses the call and returns false unless
// the answer allows it.
func (a *attempt) approved(ctx context.Context) bool {
	switch answer := a.awaitApproval(ctx); {
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
