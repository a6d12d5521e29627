package session

import "slices"

// Waiting are the calls that somebody outside has to answer before the turn can go
// on at all: a person, or the user's front end. It is nil while anything in the turn
// still moves, and once the turn has ended.
func (t Turn) Waiting() []Call {
	if t.State != Processing {
		return nil
	}
	return t.waiting("")
}

// waiting is what holds one agent up, nil if it is not held up.
func (t Turn) waiting(agent string) []Call {
	at := lastIndex(t.Steps, func(s Step) bool { return s.Agent == agent })
	if at < 0 || t.Steps[at].Ended || !t.Steps[at].Waits {
		return nil
	}
	var open []Call
	for _, c := range t.Steps[at].Calls {
		switch {
		case c.Outcome != Pending:
		case c.open():
			open = append(open, c)
		default:
			held := t.heldUpBelow(c)
			if held == nil {
				return nil
			}
			open = append(open, held...)
		}
	}
	return open
}

// open reports whether a call waits for its answer from outside.
func (c Call) open() bool {
	if c.Approval != nil && c.Approval.Answer == "" {
		return true
	}
	return c.FrontEnd && c.Outcome == Pending
}

// heldUpBelow is what holds up the agent that a call handed its task to.
func (t Turn) heldUpBelow(c Call) []Call {
	at := lastIndex(t.Handoffs, func(h HandoffAt) bool { return h.Call == c.ID && h.From == c.Agent })
	if at < 0 {
		return nil
	}
	return t.waiting(t.Handoffs[at].To)
}

func lastIndex[E any](list []E, is func(E) bool) int {
	for i, e := range slices.Backward(list) {
		if is(e) {
			return i
		}
	}
	return -1
}
