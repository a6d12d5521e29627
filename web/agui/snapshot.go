package agui

import (
	"encoding/json"
	"slices"
	"sync"

	"candor/safety"
)

// snapshot restates messages, ours and then, as they were sent, the client's own.
func snapshot(ours []Message, theirs ...json.RawMessage) *Messages {
	all := make([]any, 0, len(ours)+len(theirs))
	for _, m := range ours {
		all = append(all, m)
	}
	for _, raw := range theirs {
		all = append(all, raw)
	}
	return &Messages{Head: Head{Type: MessagesSnapshot}, Messages: all}
}

// What is kept of front ends' states: the latest of so many threads, of so many bytes
// each at most.
const (
	maxStates = 256
	maxState  = 32 << 10
)

// states are the front ends' states as they sent them last, cleaned. The zero value is
// ready.
type states struct {
	mu   sync.Mutex
	list []state // the one written last at the end
}

type state struct {
	session, thread string
	value           safety.JSON
}

// put keeps a thread's state; one that is too large is forgotten, since an older one
// would be wrong.
func (s *states) put(session, thread string, raw json.RawMessage, layer *safety.Layer) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(o state) bool { return o.session == session && o.thread == thread })
	if len(raw) > maxState {
		return
	}
	value, _ := layer.CleanJSON(raw)
	s.list = append(s.list, state{session, thread, value})
	if len(s.list) > maxStates {
		s.list = slices.Delete(s.list, 0, 1)
	}
}

// get is a thread's state as events: a snapshot, or nothing.
func (s *states) get(session, thread string) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.list {
		if o.session == session && o.thread == thread {
			return []Event{&State{Head{Type: StateSnapshot}, o.value}}
		}
	}
	return nil
}
