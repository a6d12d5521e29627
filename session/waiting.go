package session

import (
	"iter"
	"maps"
	"slices"
)

// Asked returns the turn in which a request for an approval is open, and whether there is one. Turns
// that other processes run are among those.
func (s *Session) Asked(request string) (Ref, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for th := range maps.Values(s.threads) {
		for open, number := range th.requests() {
			if open == request {
				return Ref{Thread: th.id, Turn: number}, true
			}
		}
	}
	return Ref{}, false
}

// requests yields the thread's requests for an approval that are open, with the numbers of their turns and in the order
// of these.
func (th *thread) requests() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, f := range th.turns[th.ended:] {
			if f.ended() {
				continue
			}
			for c := range f.asked() {
				if !yield(c.Approval.Request, f.head.Number) {
					return
				}
			}
		}
	}
}

// OpenTurns returns the turns of a thread that run or wait, in their order.
func (s *Session) OpenTurns(threadID string) (open []Turn) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if th := s.threads[threadID]; th != nil {
		for _, f := range th.turns[th.ended:] {
			if !f.ended() {
				open = append(open, f.turn())
			}
		}
	}
	return open
}

// Waiting returns the calls that have to be answered from outside, by a person or by
// the user's front end, before anything in the turn can proceed. It is nil while any
// agent of the turn can still make progress, and once the turn has ended.
func (t Turn) Waiting() []Call {
	if t.State != Processing {
		return nil
	}
	return t.blockers("")
}

// blockers returns the calls that an agent waits for, or nil if the agent can proceed.
// A call that delegated a task is replaced by the blockers of the agent that works on
// it.
func (t Turn) blockers(agent string) []Call {
	at := lastIndex(t.Steps, func(s Step) bool { return s.Agent == agent })
	if at < 0 || t.Steps[at].Ended || !t.Steps[at].Waits {
		return nil
	}
	var blocking []Call
	for _, c := range t.Steps[at].Calls {
		switch {
		case c.Outcome != Pending:
		case c.needsAnswer():
			blocking = append(blocking, c)
		default:
			below := t.delegateBlockers(c)
			if below == nil {
				return nil
			}
			blocking = append(blocking, below...)
		}
	}
	return blocking
}

// needsAnswer reports whether a pending call waits for an approval or for a result
// from the front end, which gets none that was denied.
func (c Call) needsAnswer() bool {
	if c.Approval != nil && !c.Approval.Answer.Allows() {
		return c.Approval.Answer == ""
	}
	return c.FrontEnd
}

// delegateBlockers returns the blockers of the agent that a call delegated its task to.
func (t Turn) delegateBlockers(c Call) []Call {
	at := lastIndex(t.Handoffs, func(h HandoffAt) bool { return h.Call == c.ID && h.From == c.Agent })
	if at < 0 {
		return nil
	}
	return t.blockers(t.Handoffs[at].To)
}

// lastIndex returns the index of the last element that satisfies match, or -1.
func lastIndex[E any](list []E, match func(E) bool) int {
	for i, e := range slices.Backward(list) {
		if match(e) {
			return i
		}
	}
	return -1
}
