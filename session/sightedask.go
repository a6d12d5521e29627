package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"candor/safety"
)

// This file records questions to people about calls of attached agents, and the answers. Such an agent waits in its own
// program, for which one of Candor's processes holds a request open. The answer reaches that process through the log
// only.

// errDenied is the error of a call that a person denied and that no channel tells the end of.
var errDenied = safety.Literal("A person denied this call.")

// lateAnswer is how long past its time a question stays open for the process that asked it, before others end it.
const lateAnswer = time.Minute

// AskSighted records a question about a call of an attached agent, which stays open until AnswerSighted. b needs no
// Request and no Description. It returns the call as it was before, and the number of the event after which to await
// the answer.
//
// It fails with ErrAsked if a question about the call was recorded before, or the call has ended, perhaps only because
// another channel reported the end of the turn. The returned call shows which, and an answer still to come has a later
// number than asked. It also fails with ErrNoThread, ErrNoTurn, ErrNoCall or ErrDropped, and with ErrFull,
// ErrServerFull or ErrStorage. Of several concurrent questions about a call one succeeds, in whichever process.
func (s *Session) AskSighted(ref Ref, b ApprovalAsked) (call Call, asked uint64, err error) {
	before, err := s.Turn(ref.Thread, ref.Turn) // the storage may have it
	if err != nil {
		return Call{}, 0, err
	}
	b.Request = s.RequestID(ref, b.Call)
	err = s.charged(costOf(b), func() (int, error) {
		if call, err = s.unasked(ref, b.Call, before); err != nil {
			asked = s.log.Head()
			return 0, err
		}
		b.Description = call.Described
		e, err := s.add(ref, b)
		asked = e.Seq
		return costOf(b), err
	})
	return call, asked, err
}

// unasked returns a call that a question can be asked about, or with ErrAsked one that it cannot. before is the turn as
// it was, for one that is not in memory any more. The caller holds mu.
func (s *Session) unasked(ref Ref, id string, before Turn) (Call, error) {
	th, err := s.lookup(ref.Thread)
	if err != nil {
		return Call{}, err
	}
	f, err := th.turn(ref.Turn)
	if err == nil {
		before = f.turn()
	} else if err != errCold {
		return Call{}, err
	}
	call, known := before.Call(id)
	switch {
	case !known:
		return Call{}, ErrNoCall
	case call.Approval != nil || call.Outcome != Pending:
		return call, ErrAsked
	}
	return call, nil
}

// AnswerSighted answers an open question about a call of an attached agent, and returns the call's turn. b needs no
// Request and no Call. It fails with ErrNoApproval if the user has no such question open, and with ErrFull or
// ErrServerFull. Of several concurrent answers one succeeds, in whichever process.
func (s *Session) AnswerSighted(request string, b ApprovalAnswered) (ref Ref, err error) {
	b.Request = request
	err = s.charged(costOf(b), func() (int, error) {
		of, c, open := s.askedSighted(func(a *Approval) bool { return a.Request == request })
		if !open {
			return 0, ErrNoApproval
		}
		b.Call, ref = c.ID, of
		_, err := s.add(ref, b)
		return costOf(b), err
	})
	return ref, err
}

// askedSighted returns the first call of an attached agent with an open question that is meant. The caller holds mu.
func (s *Session) askedSighted(meant func(*Approval) bool) (Ref, Call, bool) {
	for _, th := range s.threads {
		if !th.origin.Attached() {
			continue
		}
		// A turn may have ended while its agent still waits, by another channel's word.
		for _, f := range th.turns {
			for c := range f.asked() {
				if meant(c.Approval) {
					return Ref{Thread: th.id, Turn: f.head.Number}, c, true
				}
			}
		}
	}
	return Ref{}, Call{}, false
}

// waits reports whether a person is asked about the call.
func (c Call) waits() bool { return c.Approval != nil && c.Approval.Answer == "" }

// settled returns how many of the turns in memory have ended, from the first on, and may leave it. Turns of an attached
// agent stay as long as it waits for an answer, and so do those after them.
func (th *thread) settled() int {
	if th.origin.Attached() {
		if at := slices.IndexFunc(th.turns[:th.ended], folding.asks); at >= 0 {
			return at
		}
	}
	return th.ended
}

// AwaitAnswer waits for the first answer to a request after the event with the number asked. It fails when ctx or the
// session's log has ended.
func (s *Session) AwaitAnswer(ctx context.Context, request string, asked uint64) (ApprovalAnswered, error) {
	// What has come since is read first, so that no answer is missed however late this is called.
	for e, err := range s.log.Follow(ctx, asked) {
		if err != nil {
			return ApprovalAnswered{}, err
		}
		if b, ok := e.Body.(ApprovalAnswered); ok && b.Request == request {
			return b, nil
		}
	}
	return ApprovalAnswered{}, errors.Join(ctx.Err(), ErrNoApproval)
}

// AnswerSince returns the first answer to a request after the event with the number after, among the events that are in
// the log now. ok is false if there is none.
func (s *Session) AnswerSince(request string, after uint64) (b ApprovalAnswered, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), storageTimeout)
	defer cancel()
	for head := s.Head(); after < head; {
		events, _, err := s.log.read(ctx, after)
		if err != nil || len(events) == 0 {
			return ApprovalAnswered{}, false
		}
		for _, e := range events {
			if b, ok := e.Body.(ApprovalAnswered); ok && b.Request == request {
				return b, true
			}
		}
		after = events[len(events)-1].Seq
	}
	return ApprovalAnswered{}, false
}

// withdrawLost ends the questions of attached agents for which no process waits any more. Without others these are all
// that are open; otherwise they are those whose time is over, since nothing tells which process waits for which.
func (s *Session) withdrawLost(alone bool, now time.Time) (failed error) {
	for {
		s.mu.RLock()
		_, c, open := s.askedSighted(func(a *Approval) bool {
			return alone || !a.Expires.IsZero() && now.After(a.Expires.Add(lateAnswer))
		})
		s.mu.RUnlock()
		if !open {
			return failed
		}
		// Another process may do the same at this moment, or a person answer: either is as good.
		_, err := s.AnswerSighted(c.Approval.Request, ApprovalAnswered{Answer: Withdrawn})
		if err != nil && !errors.Is(err, ErrNoApproval) {
			return err
		}
	}
}

// denied returns a call of an attached agent as a person's answer leaves it: what was denied did not run, even
// where no channel says so.
func (c Call) denied() Call {
	if c.Approval != nil && c.Approval.Answer == Deny && (c.Outcome == Pending || c.Outcome == Unknown) {
		c.Outcome, c.Error, c.Untimed = Rejected, errDenied, true
	}
	return c
}

// AskedSighted reports whether a question about a call of an attached agent is open.
func (s *Session) AskedSighted(request string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, _, open := s.askedSighted(func(a *Approval) bool { return a.Request == request })
	return open
}

// SightedTurn returns the number of the turn with a key in an attached agent's thread. It fails with ErrNoThread,
// ErrObserved or ErrNoTurn.
func (s *Session) SightedTurn(threadID, key string) (number int, err error) {
	number, known, err := s.sightedTurn(threadID, key, key)
	if err == nil && !known {
		err = ErrNoTurn
	}
	return number, err
}
