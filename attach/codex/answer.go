package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// The bounds of an answer that is held: its items, and the bytes of their texts.
const (
	maxItems = 256
	maxHeld  = 4 << 20
)

// heldAnswer is the model's answer whose rows are being read. Its name stands behind them.
type heldAnswer struct {
	held []attach.Sighting
	size int
	// It asked for something.
	calls bool
	// The name that the last answer was given, and whether the program named it.
	group string
	named bool
	used  bool
	// How many answers there were, which names those that nobody names.
	count int
}

// item returns the sightings of an item that the model said or was told; ok is false for one that is lost.
func (r *Reader) item(in row, i *responseItem) (out []attach.Sighting, ok bool) {
	s := r.sighting(in)
	switch i.Type {
	case "message":
		if i.Role != "assistant" {
			return r.asking(in, i), true
		}
		out = r.promptsUntold(in)
		s = r.sighting(in)
		text, cut := rows.Shorten(joined(i.Content))
		r.countCut(cut)
		s.Said = &attach.Said{Text: text}
		return append(out, r.hold(in, s, text != "")...), true
	case "reasoning":
		out = r.promptsUntold(in)
		return append(out, r.hold(in, r.reasoned(r.sighting(in), i), true)...), true
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		called, cut := calledOf(i)
		if i.Type == "web_search_call" || i.Call == "" && i.Type == "local_shell_call" {
			i.Call = i.ID // no other one is known of calls that the provider runs
		}
		if called.Tool == "" {
			return nil, false
		}
		r.countCut(cut)
		out = r.promptsUntold(in)
		s = r.sighting(in)
		// An item that stands there twice has an id of its own, at least since there are such.
		place := or(i.ID, fmt.Sprintf("%d", r.answer.count))
		if i.Call == "" {
			place = or(i.ID, fmt.Sprintf("%d-%d", r.answer.count, len(r.answer.held)))
		}
		s.Call, s.Called = r.names.Began(i.Call, place), called
		r.calls.began(s.Call, r.turn.root, called.Tool)
		out = append(out, r.hold(in, s, true)...)
		r.answer.calls = true
		return out, true
	case "function_call_output", "custom_tool_call_output":
		if i.Call = r.names.Ended(i.Call); i.Call == "" {
			return nil, false
		}
		return append(r.closeAnswer(record{}, in), r.told(in, i)...), true
	}
	r.report.Skip("item " + i.Type)
	return nil, true
}

// reasoned returns the sighting of reasoning: its summary or its text, or that it is sealed.
func (r *Reader) reasoned(s attach.Sighting, i *responseItem) attach.Sighting {
	sealed := max(len(i.Encrypted)-len(`""`), 0)
	if string(i.Encrypted) == "null" {
		sealed = 0
	}
	r.report.Sealed += sealed
	text, cut := rows.Shorten(or(joined(i.Summary), joined(i.Content)))
	r.countCut(cut)
	if text != "" {
		s.Said = &attach.Said{Text: text, Summary: true}
	} else {
		s.Sealed = &attach.Sealed{Bytes: sealed}
	}
	return s
}

// calledOf returns a call with its parameters, and whether they were cut.
func calledOf(i *responseItem) (c *attach.Called, cut bool) {
	name := i.Name
	var params json.RawMessage
	switch {
	case i.Type == "local_shell_call":
		name, params = "local_shell", i.Action
	case i.Type == "web_search_call":
		name, params = "web_search", i.Action
	case i.Type == "custom_tool_call":
		params, _ = json.Marshal(map[string]string{"input": i.Input}) // of strings
	case json.Valid([]byte(i.Arguments)):
		params = json.RawMessage(i.Arguments)
	case i.Arguments != "":
		params, _ = json.Marshal(i.Arguments) // what the model wrote, if it is no JSON
	}
	// Hooks call the tool of a server so.
	if server := strings.TrimSuffix(i.Namespace, "__"); strings.HasPrefix(server, "mcp__") {
		name = server + "__" + strings.TrimPrefix(name, server+"__")
	}
	name, _ = rows.Shorten(name)
	params, cut = rows.BoundJSON(params, "")
	return &attach.Called{Tool: name, Params: params}, cut
}

// hold keeps a sighting of the answer until its name is known. It returns sightings if there is no room for more. One
// without content only counts as a place in the answer.
func (r *Reader) hold(in row, s attach.Sighting, content bool) (out []attach.Sighting) {
	a := &r.answer
	// A stranger's file may never end its answer. What is given early is then of a group of its own.
	if len(a.held) >= maxItems || a.size > maxHeld {
		out = r.closeAnswer(record{}, in)
	}
	if !content {
		r.report.Skip("empty message")
		return out
	}
	s.Index, r.turn.heard = len(a.held), s.At
	a.held = append(a.held, s)
	if s.Said != nil {
		a.size += len(s.Said.Text)
	}
	if s.Called != nil {
		a.size += len(s.Called.Params)
	}
	return out
}

// closeAnswer returns the answer that was held, under the name that a usage record gives it, with its usage. Without a
// name it has that of its first call, or of its turn.
func (r *Reader) closeAnswer(u record, in row) (out []attach.Sighting) {
	a := &r.answer
	// Results may come before the record, of commands that were quick: they are given as they come, since what belongs
	// together is joined by the call.
	if len(a.held) > 0 {
		group, final := u.Response, ""
		for _, s := range a.held {
			if s.Call != "" {
				group = or(group, s.Call)
			}
		}
		if group == "" {
			group = fmt.Sprintf("answer-%d", a.count)
		}
		for _, s := range a.held {
			s.Group = group
			// The program goes on as long as there are calls, so that an answer without any is the last of its turn.
			if s.Said != nil && !s.Said.Summary && !a.calls {
				s.Said.Final, final = true, s.Said.Text
			}
			out = append(out, s)
		}
		r.turn.last = final
		*a = heldAnswer{group: group, named: u.Response != "", count: a.count + 1}
	}
	// Without a record, or with one that counts nothing, an answer has no usage until somebody counts it.
	if u.Usage == (usage{}) {
		return out
	}
	// The name of an answer that was closed before its record came is that which it was given.
	if a.group == "" || a.used {
		a.group = u.Response
	}
	return append(out, r.used(in, u.Usage)...)
}

// used returns the usage of the answer that was closed last.
func (r *Reader) used(in row, u usage) []attach.Sighting {
	if r.answer.group == "" || min(u.Input, u.Output, u.Cached, u.Reasoning) < 0 {
		return nil
	}
	r.answer.used = true
	s := r.sighting(in)
	s.Group = r.answer.group
	s.Used = &attach.Used{Input: u.Input, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning}
	return []attach.Sighting{s}
}
