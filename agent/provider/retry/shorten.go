package retry

import (
	"slices"

	"candor/agent"
)

// shorten removes the oldest turns until about half of the conversation is left. System
// messages stay, and so does everything from the user's last message on. Turns are
// removed as a whole, so that no call loses its result. ok is false if there is no
// turn to remove. The caller's messages stay as they were.
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

// split returns the earlier turns, each from one message of the user to the next, and
// the current turn. System messages before the first turn belong to it.
func split(messages []agent.Message) (earlier [][]agent.Message, current []agent.Message) {
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
		earlier = append(earlier, slices.Clip(messages[from:to]))
		from = to
	}
	return earlier, messages[from:]
}

// size estimates how much of the model's context the messages take.
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

// Forget returns the request without opaque reasoning, for a provider that refused it:
// the reasoning was changed, or another model made it. The caller's messages keep
// theirs.
func Forget(req agent.Request) agent.Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Opaque = nil
	}
	return req
}
