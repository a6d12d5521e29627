package agui

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"candor/safety"
)

// The bounds of the stored front-end states.
const (
	maxUserStates = 64       // threads of a user
	maxStates     = 1 << 10  // threads of all users
	maxState      = 32 << 10 // bytes of a thread's state
)

// states keeps the last state that each front end sent, cleaned. A user's new state takes
// the place of an older one of the same user; only where all users together have too many
// does the user with the most lose one. So nobody's states displace those of a user who has
// fewer. The zero value is empty and ready to use.
type states struct {
	mu     sync.Mutex
	all    int
	byUser map[string][]threadState // the most recently written last
}

type threadState struct {
	session, thread string
	value           safety.JSON
}

// put keeps a thread's state. One that is too large is dropped together with the older
// one, which would be wrong.
func (s *states) put(user, own, thread string, raw json.RawMessage, layer *safety.Layer) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var value safety.JSON
	if len(raw) <= maxState {
		value, _ = layer.CleanJSON(raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := slices.DeleteFunc(s.byUser[user], func(o threadState) bool {
		return o.session != own || o.thread == thread // an earlier session's are of no use any more
	})
	if len(raw) <= maxState {
		kept = append(kept, threadState{own, thread, value})
	}
	s.set(user, kept[max(0, len(kept)-maxUserStates):])
	if s.all > maxStates {
		most := s.largest()
		s.set(most, s.byUser[most][1:])
	}
}

// forget drops a thread's state.
func (s *states) forget(user, thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(user, slices.DeleteFunc(slices.Clone(s.byUser[user]), func(o threadState) bool { return o.thread == thread }))
}

// set replaces a user's states. The caller holds mu.
func (s *states) set(user string, list []threadState) {
	if s.byUser == nil {
		s.byUser = map[string][]threadState{}
	}
	s.all += len(list) - len(s.byUser[user])
	if s.byUser[user] = slices.Clip(slices.Clone(list)); len(list) == 0 {
		delete(s.byUser, user)
	}
}

// largest returns the user with the most states. The caller holds mu.
func (s *states) largest() (user string) {
	for one, list := range s.byUser {
		if len(list) > len(s.byUser[user]) || len(list) == len(s.byUser[user]) && one < user {
			user = one
		}
	}
	return user
}

// get returns a thread's state as events: a snapshot, or none.
func (s *states) get(user, own, thread string) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.byUser[user] {
		if o.session == own && o.thread == thread {
			return []Event{&State{Head{Type: StateSnapshot}, o.value}}
		}
	}
	return nil
}

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
