package agui

import (
	"cmp"
	"maps"
	"slices"
)

// reduce returns the messages that a client has after these events. Snapshots are made
// with it, so a snapshot repeats exactly what was streamed.
func reduce(events []Event) []Message {
	r := reducer{at: map[string]int{}}
	for _, e := range events {
		r.apply(e)
	}
	return slices.DeleteFunc(r.messages, func(m Message) bool { return m.ID == "" })
}

type reducer struct {
	messages []Message
	at       map[string]int // index of a message by its id, and by the id of its call
}

// apply changes the messages as the client does for e.
func (r *reducer) apply(e Event) {
	switch e := e.(type) {
	case *Start:
		m := r.message(e.MessageID, e.Role)
		m.Content = cmp.Or(m.Content, new(""))
		m.Metadata, m.Subagent = merge(m.Metadata, e.Metadata), e.Subagent
	case *Content:
		if at, ok := r.at[e.MessageID]; ok {
			m := &r.messages[at]
			m.Content, m.Metadata = new(*m.Content+e.Delta), merge(m.Metadata, e.Metadata)
		}
	case *Call:
		if e.Type == ToolStart {
			m := r.message(e.ToolCallID, "assistant")
			m.Subagent = e.Subagent
			m.ToolCalls = []ToolCall{{
				ID: e.ToolCallID, Type: "function", Function: FunctionCall{Name: e.ToolCallName}, Metadata: e.Metadata,
			}}
		}
	case *Args:
		if c := r.call(e.ToolCallID); c != nil {
			c.Function.Arguments += e.Delta
		}
	case *Encrypted:
		if c := r.call(e.EntityID); c != nil {
			c.EncryptedValue = e.EncryptedValue
		} else if at, ok := r.at[e.EntityID]; ok {
			r.messages[at].EncryptedValue = e.EncryptedValue
		}
	case *Result:
		r.result(e)
	}
}

// message returns the message with that id, which it appends if there is none.
func (r *reducer) message(id, role string) *Message {
	at, ok := r.at[id]
	if !ok {
		at = len(r.messages)
		r.at[id] = at
		r.messages = append(r.messages, Message{ID: id, Role: role})
	}
	return &r.messages[at]
}

// call returns the call with that id, nil if there is none.
func (r *reducer) call(id string) *ToolCall {
	at, ok := r.at[id]
	if !ok || len(r.messages[at].ToolCalls) == 0 {
		return nil
	}
	return &r.messages[at].ToolCalls[0]
}

// result inserts a result directly after the message of its call.
func (r *reducer) result(e *Result) {
	m := Message{
		ID: e.MessageID, Role: e.Role, Content: &e.Content, ToolCallID: e.ToolCallID,
		Metadata: e.Metadata, Subagent: e.Subagent,
	}
	at, ok := r.at[e.ToolCallID]
	if !ok {
		at = len(r.messages) - 1
	}
	r.messages = slices.Insert(r.messages, at+1, m)
	for i := at + 1; i < len(r.messages); i++ { // few, because a result follows its call soon
		r.at[r.messages[i].ID] = i
	}
}

// merge returns old with the members of with. It changes neither.
func merge(old, with Metadata) Metadata {
	if len(with) == 0 {
		return old
	}
	out := maps.Clone(old)
	if out == nil {
		out = Metadata{}
	}
	maps.Copy(out, with)
	return out
}
