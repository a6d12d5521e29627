package agui

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"candor/safety"
	"candor/session"
)

// snapshot returns the event that replaces a client's messages.
func snapshot(messages []any) *Messages {
	return &Messages{Head: Head{Type: MessagesSnapshot}, Messages: messages}
}

// asAny converts our messages for a snapshot, which may also hold a client's own.
func asAny(ours []Message) []any {
	all := make([]any, len(ours))
	for i, m := range ours {
		all[i] = m
	}
	return all
}

// restate returns a snapshot for a client that has a part of these messages already. A
// client keeps messages it knows in their places and appends the others, so messages
// that it named itself must keep their ids: those of its user in earlier turns, the
// results it gave, and those of its own roles. The newest user message comes last, with
// our id. The client's own messages come back cleaned by layer, since others may see them.
func (in *Input) restate(ours []Message, turns []session.Turn, layer *safety.Layer) *Messages {
	cleaned := func(raw json.RawMessage) json.RawMessage {
		value, _ := layer.CleanJSON(raw)
		return value.Raw()
	}
	words, results := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	messages := map[int]string{} // ids by turn; older turns may have been dropped
	for _, t := range turns {
		messages[t.Number] = t.Message
	}
	var all []any
	for i, m := range in.Messages {
		switch m.Role {
		case "system", "developer", "activity":
			all = append(all, cleaned(m.Raw))
		case "tool":
			results[m.ToolCallID] = cleaned(m.Raw)
		case "user":
			if id, ok := messages[in.turnAfter(i)]; ok {
				words[id] = cleaned(m.Raw)
			}
		}
	}
	for _, m := range ours {
		if raw := words[m.ID]; raw != nil {
			all = append(all, raw)
		} else if raw := results[m.ToolCallID]; raw != nil && m.Role == "tool" {
			all = append(all, raw)
		} else {
			all = append(all, m)
		}
	}
	return snapshot(all)
}

var ofTurn = regexp.MustCompile(`^turn_([1-9][0-9]{0,8})_`)

// turnAfter returns the turn that the user message at an index began, as the ids of the
// messages after it tell; 0 if they do not.
func (in *Input) turnAfter(at int) int {
	for _, m := range in.Messages[at+1:] {
		if m.Role == "user" {
			return 0
		}
		if found := ofTurn.FindStringSubmatch(m.ID); found != nil {
			n, _ := strconv.Atoi(found[1])
			return n
		}
	}
	return 0
}

// has reports whether the client has the responses of all these turns.
func (in *Input) has(turns []session.Turn) bool {
	known := make(map[string]bool, len(in.Messages))
	for _, m := range in.Messages {
		known[m.ID] = true
	}
	return !slices.ContainsFunc(turns, func(t session.Turn) bool {
		return t.State == session.Completed && !known[responseID(t.Number)]
	})
}
