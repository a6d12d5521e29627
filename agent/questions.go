package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"candor/session"
)

var errAnswer = errors.New("an approval is answered with approve, always or deny")

// questions are those that wait for a person. Whoever takes one out of the map
// decides it, so each is decided once.
type questions struct {
	patience time.Duration

	mu   sync.Mutex
	open map[string]*question
}

// question is about one call.
type question struct {
	recorder
	call     string
	always   bool                // "always" is an answer
	answered chan session.Answer // holds one
}

func (qs *questions) put(id string, q *question) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.open == nil {
		qs.open = map[string]*question{}
	}
	qs.open[id] = q
}

// take removes a user's question and gives it, or nil.
func (qs *questions) take(id, user string) *question {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.open[id]
	if q == nil || q.user != user {
		return nil
	}
	delete(qs.open, id)
	return q
}

// allowsAlways reports whether "always" may answer the user's question.
func (qs *questions) allowsAlways(id, user string) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.open[id]
	return q == nil || q.user != user || q.always
}

// answer decides a question as its user says.
func (qs *questions) answer(user, id string, a session.Answer) (session.Ref, error) {
	switch a {
	case session.Approve, session.Deny:
	case session.Always:
		if !qs.allowsAlways(id, user) {
			return session.Ref{}, session.ErrNotAlways
		}
	default:
		return session.Ref{}, errAnswer
	}
	q := qs.take(id, user)
	if q == nil {
		return session.Ref{}, session.ErrNoApproval
	}
	return q.ref, q.decide(id, a)
}

// decide records the answer before the call learns of it. An answer that cannot
// be recorded allows nothing.
func (q *question) decide(id string, a session.Answer) error {
	err := q.Record(session.ApprovalAnswered{Request: id, Call: q.call, Answer: a})
	if err != nil {
		a = session.Withdrawn
	}
	q.answered <- a
	return err
}

// wait gives the answer, or decides itself when there is none in time.
func (qs *questions) wait(ctx context.Context, id string, q *question) session.Answer {
	late := time.NewTimer(qs.patience)
	defer late.Stop()
	none := session.Expired
	select {
	case a := <-q.answered:
		return a
	case <-late.C:
	case <-ctx.Done():
		none = session.Withdrawn
	}
	if qs.take(id, q.user) != nil {
		// Unrecorded, it still decides nothing else: the call does not run.
		_ = q.decide(id, none)
	}
	return <-q.answered
}
