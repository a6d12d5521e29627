package agui

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"candor/safety"
	"candor/session"
)

func snapshot(messages []any) *Messages {
	return &Messages{Head: Head{Type: MessagesSnapshot}, Messages: messages}
}

// plain is our messages as a snapshot has them.
func plain(ours []Message) []any {
	all := make([]any, len(ours))
	for i, m := range ours {
		all[i] = m
	}
	return all
}

// restate is a snapshot for a client that has a part of these messages already. It
// keeps those in the place where they are and puts the rest behind them, so what the
// client named itself has to keep its name: its words of earlier turns, the results it
// gave, and what is its own. Its newest words come last, under our name.
func (in *Input) restate(ours []Message, turns []session.Turn) *Messages {
	words, results := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	var all []any
	for i, m := range in.Messages {
		switch m.Role {
		case "system", "developer", "activity":
			all = append(all, m.Raw)
		case "tool":
			results[m.ToolCallID] = m.Raw
		case "user":
			if turn := in.turnAfter(i); turn > 0 && turn <= len(turns) {
				words[turns[turn-1].Message] = m.Raw
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

// turnAfter is the turn that a message of the user began, by what follows it; 0 if
// that cannot be told.
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

// has reports whether the client knows the answers of these turns.
func (in *Input) has(turns []session.Turn) bool {
	known := make(map[string]bool, len(in.Messages))
	for _, m := range in.Messages {
		known[m.ID] = true
	}
	return !slices.ContainsFunc(turns, func(t session.Turn) bool {
		return t.State == session.Completed && !known[responseID(t.Number)]
	})
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
func (s *states) put(own, thread string, raw json.RawMessage, layer *safety.Layer) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(o state) bool { return o.session == own && o.thread == thread })
	if len(raw) > maxState {
		return
	}
	value, _ := layer.CleanJSON(raw)
	s.list = append(s.list, state{own, thread, value})
	if len(s.list) > maxStates {
		s.list = slices.Delete(s.list, 0, 1)
	}
}

// get is a thread's state as events: a snapshot, or nothing.
func (s *states) get(own, thread string) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.list {
		if o.session == own && o.thread == thread {
			return []Event{&State{Head{Type: StateSnapshot}, o.value}}
		}
	}
	return nil
}
