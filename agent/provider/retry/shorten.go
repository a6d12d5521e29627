package retry

import (
	"slices"

	"candor/agent"
)

// shorten leaves out the oldest turns until about half of the conversation is
// left. What the system says stays, and so does all from the user's last message
// on; turns go as a whole, so that no call loses its result. ok is false when there
// is nothing to leave out.
func shorten(messages []agent.Message) (shorter []agent.Message, ok bool) {
	turns, current := split(messages)
	if len(turns) == 0 {
		return nil, false
	}
	whole := size(current)
	for _, t := range turns {
		whole += size(t)
	}
	kept, first := size(current), len(turns)
	for first > 1 && kept+size(turns[first-1]) <= whole/2 {
		first--
		kept += size(turns[first])
	}
	for i, t := range turns {
		if i >= first {
			shorter = append(shorter, t...)
			continue
		}
		for _, m := range t {
			if m.Role == agent.RoleSystem {
				shorter = append(shorter, m)
			}
		}
	}
	return append(shorter, current...), true
}

// split gives the turns that are past, each from a user's message to the next, and
// what is said now. System messages before the first turn belong to it.
func split(messages []agent.Message) (past [][]agent.Message, current []agent.Message) {
	var starts []int
	for i, m := range messages {
		if m.Role == agent.RoleUser {
			starts = append(starts, i)
		}
	}
	if len(starts) < 2 {
		return nil, messages
	}
	from := 0
	for _, to := range starts[1:] {
		past = append(past, slices.Clip(messages[from:to]))
		from = to
	}
	return past, messages[from:]
}

func size(messages []agent.Message) (bytes int) {
	for _, m := range messages {
		bytes += len(m.Text)
		for _, c := range m.Calls {
			bytes += len(c.Name) + len(c.Arguments)
		}
		for _, o := range m.Opaque {
			bytes += len(o.Data)
		}
	}
	return bytes
}

// Forget is the request without reasoning to carry back, for a provider that does
// not take it: it was another's, or of another model.
func Forget(req agent.Request) agent.Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Opaque = nil
	}
	return req
}
