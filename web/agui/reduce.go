package agui

import (
	"cmp"
	"maps"
	"slices"
)

// reduce gives the messages that a client holds after these events. A snapshot is
// made by it, so what is restated is what was streamed.
func reduce(events []Event) []Message {
	r := reducer{at: map[string]int{}}
	for _, e := range events {
		r.apply(e)
	}
	return slices.DeleteFunc(r.messages, func(m Message) bool { return m.ID == "" })
}

type reducer struct {
	messages []Message
	at       map[string]int // of messages, and of the messages of calls, by id
}

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
			m.ToolCalls = []ToolCall{{ID: e.ToolCallID, Type: "function", Function: FunctionCall{Name: e.ToolCallName}, Metadata: e.Metadata}}
		}
	case *Args:
		if c := r.call(e.ToolCallID); c != nil {
			c.Function.Arguments += e.Delta
		}
	case *Encrypted:
		if c := r.call(e.EntityID); c != nil {
			c.EncryptedValue = e.EncryptedValue
		}
	case *Result:
		r.result(e)
	}
}

// message finds one or adds it at the end.
func (r *reducer) message(id, role string) *Message {
	at, ok := r.at[id]
	if !ok {
		at = len(r.messages)
		r.at[id] = at
		r.messages = append(r.messages, Message{ID: id, Role: role})
	}
	return &r.messages[at]
}

func (r *reducer) call(id string) *ToolCall {
	at, ok := r.at[id]
	if !ok || len(r.messages[at].ToolCalls) == 0 {
		return nil
	}
	return &r.messages[at].ToolCalls[0]
}

// result puts a result right behind its call, which has a message of its own.
func (r *reducer) result(e *Result) {
	m := Message{ID: e.MessageID, Role: e.Role, Content: &e.Content, ToolCallID: e.ToolCallID, Metadata: e.Metadata, Subagent: e.Subagent}
	at, ok := r.at[e.ToolCallID]
	if !ok {
		at = len(r.messages) - 1
	}
	r.messages = slices.Insert(r.messages, at+1, m)
	for i := at + 1; i < len(r.messages); i++ { // few: a result comes soon after its call
		r.at[r.messages[i].ID] = i
	}
}

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
