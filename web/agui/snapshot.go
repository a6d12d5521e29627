package agui

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"candor/safety"
	"candor/session"
)

// maxSnapshot bounds our messages in a snapshot, in bytes of JSON as they are estimated.
const maxSnapshot = 4 << 20

// newest returns the latest messages that fit into a snapshot, and how many older ones do not. It
// has no result without its call.
func newest(messages []Message) (kept []Message, omitted int) {
	omitted = len(messages)
	for left := maxSnapshot; omitted > 0; omitted-- {
		if left -= messages[omitted-1].size(); left < 0 {
			break
		}
	}
	for omitted > 0 && omitted < len(messages) && messages[omitted].Role == "tool" {
		omitted++ // it stands directly behind its call
	}
	return messages[omitted:], omitted
}

// size estimates how many bytes a message takes, with its metadata.
func (m *Message) size() int {
	n := 512 + len(m.EncryptedValue)
	if m.Content != nil {
		n += len(*m.Content)
	}
	for _, c := range m.ToolCalls {
		n += len(c.Function.Name) + len(c.Function.Arguments) + len(c.EncryptedValue)
	}
	return n
}

// omittedMeta says what a snapshot does not have.
type omittedMeta struct {
	Messages int `json:"messages"` // older than those it has
}

// snapshot returns the event that replaces a client's messages. omitted is how many of ours it
// leaves out.
func snapshot(messages []any, omitted int) *Messages {
	s := &Messages{Head: Head{Type: MessagesSnapshot}, Messages: messages}
	if omitted > 0 {
		s.Metadata = Metadata{metaOmitted: omittedMeta{omitted}}
	}
	return s
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
// The oldest of ours are left out if they do not fit.
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
	ours, omitted := newest(ours)
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
	return snapshot(all, omitted)
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

// has reports whether the client has the responses of these turns, from the first that it has on:
// a snapshot may have left out those before, which the next would do as well.
func (in *Input) has(turns []session.Turn) bool {
	known := make(map[string]bool, len(in.Messages))
	for _, m := range in.Messages {
		known[m.ID] = true
	}
	lacks := func(t session.Turn) bool { return t.State == session.Completed && !known[responseID(t.Number)] }
	first := slices.IndexFunc(turns, func(t session.Turn) bool { return known[responseID(t.Number)] })
	return !slices.ContainsFunc(turns[max(first, 0):], lacks)
}
