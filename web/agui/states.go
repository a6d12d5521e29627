package agui

import (
	"encoding/json"
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
