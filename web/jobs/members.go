package jobs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"candor/safety"
	"candor/web/problem"
)

// The members of events. An event of a known kind that has others is refused, unless its
// sender asks for ?strict=false: a misspelled member would otherwise lose what it holds
// without anybody noticing.
var (
	envelope = []string{"id", "event", "event_type", "job_id"}
	members  = map[string][]string{
		"message": {"agent", "role", "content", "message", "stop", "stop_reason", "finish_reason", "usage"},
		"tool_use": {
			"agent", "caller", "tool_name", "call_id", "input", "rationale", "rationale_source", "rationale_blocked",
			"parallel_group", "narrative", "narrative_source", "narrative_blocked", "thought", "thought_blocked",
			"text_before",
		},
		"tool_result": {"agent", "tool_name", "call_id", "output", "error", "outcome", "duration_ms"},
		"reasoning": {
			"agent", "caller", "answer", "narrative", "narrative_source", "narrative_blocked", "thought",
			"thought_blocked", "stop", "stop_reason", "finish_reason", "sealed", "tool_decisions", "usage",
		},
		"status": {"agent", "state", "message", "iteration"},
		"result": {"agent", "success", "status", "message", "content"},
	}
	decisionMembers = []string{
		"tool_name", "call_id", "outcome", "rationale", "rationale_source", "rationale_blocked", "parallel_group",
	}
	// dialectMembers are those that IronClaw's workers send in "data", too. Those that are
	// no field of postFields say nothing about why, and are dropped.
	dialectMembers = map[string][]string{
		"message":     {"nudge"},
		"tool_use":    {"tool_use_id"},
		"tool_result": {"tool_use_id", "success"},
		"reasoning":   {"decisions"},
		"status":      {"session_id", "raw_type"},
		"result":      {"session_id", "exit_code", "duration_ms", "num_turns"},
	}
	// The bodies of POST /worker/{id}/status and /complete.
	statusMembers   = []string{"state", "message", "iteration"}
	completeMembers = []string{"success", "message", "iterations", "status", "content"}
)

// meant maps names that other systems use to ours.
var meant = map[string]string{
	"decisions": "tool_decisions", "reason": "rationale", "reasoning": "narrative", "tool": "tool_name",
	"name": "tool_name", "tool_call_id": "call_id", "tool_use_id": "call_id", "arguments": "input", "args": "input",
	"parameters": "input", "result": "output", "duration": "duration_ms", "group": "parallel_group",
	"text": "content",
}

// unknownMembers are the members of one event that its kind does not have.
type unknownMembers struct {
	list  []unknownMember // the first maxNames
	count int
}

// unknownMember is a member that an event's kind does not have. path is where its object
// is in the event, and hint the member that was probably meant, if there is one.
type unknownMember struct{ path, name, hint string }

// Bounds of what a refusal repeats of the names that it refuses.
const (
	maxNames      = 10
	maxMemberName = 40
)

// decode decodes an object into a struct, without the members that are not accepted: it
// counts them. Their names begin with path. proper are the names that a hint may suggest.
func (u *unknownMembers) decode(
	raw json.RawMessage, into any, path string, accepted, proper []string,
) *problem.Problem {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return wrongType(err)
	}
	before := u.count
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(accepted, name) {
			continue
		}
		delete(all, name)
		u.count++
		if len(u.list) >= maxNames {
			continue
		}
		hint := cmp.Or(meant[name], strings.ToLower(name))
		if !slices.Contains(proper, hint) {
			hint = ""
		}
		u.list = append(u.list, unknownMember{path, name, hint})
	}
	if u.count > before {
		// encoding/json ignores the case of names, so the others have to go first.
		filtered, err := json.Marshal(all)
		if err != nil {
			return problem.BadJSON(err)
		}
		raw = filtered
	}
	if err := problem.Unmarshal(raw, into); err != nil {
		return wrongType(err)
	}
	return nil
}

// showable returns a member's name as an answer may repeat it. A name that is no plain
// identifier, or looks like a secret, is not repeated.
func showable(layer *safety.Layer, name string) string {
	plain := strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
	if !plain || len(name) > maxMemberName || layer.Leaks(name) > 0 {
		return "(not shown)"
	}
	return name
}

// refusal returns the problem that names the members, nil if there are none.
func (u *unknownMembers) refusal(layer *safety.Layer, kind string) *problem.Problem {
	if u.count == 0 {
		return nil
	}
	var names []string
	hints := ""
	for _, m := range u.list {
		names = append(names, m.path+showable(layer, m.name))
		if m.hint != "" {
			hints += fmt.Sprintf(" Use %s for %s.", m.hint, m.name)
		}
	}
	return problem.New(http.StatusBadRequest, "unknown_member",
		fmt.Sprintf("A %s event has no member %s.%s Nothing was stored. "+
			"With ?strict=false unknown members are ignored and counted.", kind, strings.Join(names, ", "), hints)).
		With("members", names).With("count", u.count)
}

// wrongType turns an error of encoding/json into a problem that names the member whose
// value has the wrong type.
func wrongType(err error) *problem.Problem {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return problem.BadJSON(err)
	}
	name := "The event"
	if wrong.Field != "" {
		name = wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
	}
	expected := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number",
		reflect.Int64: "a whole number", reflect.Slice: "a list", reflect.Map: "an object",
		reflect.Struct: "an object",
	}[wrong.Type.Kind()]
	return problem.New(http.StatusBadRequest, "wrong_type", fmt.Sprintf("%s has to be %s.", name, expected)).
		With("member", name).With("expected", expected)
}
