package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"candor/session"
)

var errAnswer = errors.New("an approval is answered with approve, always or deny")

// pendingApprovals holds the approval requests that nobody has answered yet. Whoever
// removes a request from the map decides it, so each is decided exactly once. The zero
// value with a timeout is ready to use.
type pendingApprovals struct {
	timeout time.Duration

	mu   sync.Mutex
	open map[string]*pendingApproval // by request id
}

// pendingApproval is the request to approve one call.
type pendingApproval struct {
	chatRecorder
	call         string
	allowsAlways bool                                  // session.Always is a valid answer
	edit         func(json.RawMessage) (Edited, error) // checks changed arguments; nil if they cannot be changed
	answered     chan Reply                            // has room for the one answer
}

// put opens a request.
func (p *pendingApprovals) put(id string, a *pendingApproval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]*pendingApproval{}
	}
	p.open[id] = a
}

// take removes and returns a user's request. It returns nil if the user has none with
// this id, and then changes nothing.
func (p *pendingApprovals) take(id, user string) *pendingApproval {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.open[id]
	if a == nil || a.user != user {
		return nil
	}
	delete(p.open, id)
	return a
}

// find returns a user's request, which stays open, or nil if the user has none with this id.
func (p *pendingApprovals) find(id, user string) *pendingApproval {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.open[id]; a != nil && a.user == user {
		return a
	}
	return nil
}

// answer decides a request with the answer of its user.
func (p *pendingApprovals) answer(user, id string, reply Reply) (session.Ref, error) {
	switch reply.Answer {
	case session.Approve, session.Deny:
	case session.Always:
		if a := p.find(id, user); a != nil && !a.allowsAlways {
			return session.Ref{}, session.ErrNotAlways
		}
	default:
		return session.Ref{}, errAnswer
	}
	a := p.take(id, user)
	if a == nil {
		return session.Ref{}, session.ErrNoApproval
	}
	return a.ref, a.decide(id, reply)
}

// decide records the answer, then passes it on to the waiting call. An answer that
// cannot be recorded allows nothing.
func (a *pendingApproval) decide(id string, reply Reply) error {
	answered := session.ApprovalAnswered{Request: id, Call: a.call, Answer: reply.Answer}
	if reply.Value != nil {
		value, report := a.chat.dispatcher.Safety.Remember(a.Seen()).CleanJSON(reply.Value)
		answered.Value, answered.Findings = value, report.Findings
	}
	if e := reply.edited; e != nil {
		answered.Edited, answered.Findings = e.Clean, e.findings
		answered.EditedBy, _ = a.chat.dispatcher.Safety.Mask(a.user)
	}
	err := a.Record(answered)
	if err != nil {
		reply = Reply{Answer: session.Withdrawn}
	}
	a.answered <- reply
	return err
}

// wait returns the answer to a request. If none arrives by a time or before ctx ends,
// wait decides the request itself, as expired or withdrawn.
func (p *pendingApprovals) wait(ctx context.Context, id string, a *pendingApproval, until time.Time) Reply {
	timeout := time.NewTimer(time.Until(until))
	defer timeout.Stop()
	unanswered := session.Expired
	select {
	case reply := <-a.answered:
		return reply
	case <-timeout.C:
	case <-ctx.Done():
		unanswered = session.Withdrawn
	}
	if p.take(id, a.user) != nil {
		// If this cannot be recorded the call still does not run.
		_ = a.decide(id, Reply{Answer: unanswered})
	}
	return <-a.answered
}
