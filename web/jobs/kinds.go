package jobs

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"candor/safety"
	"candor/web/problem"
	"candor/web/view"
)

// mistyped returns the problem of an event of an unknown kind if a known one was meant: it would
// lose its reasons as a status. nil means that its kind is one of the worker's own.
func (p *post) mistyped(layer *safety.Layer) *problem.Problem {
	kind := p.kind()
	if _, known := members[kind]; known || kind == "" {
		return nil
	}
	hint := nearKind(kind)
	if hint == "" && hasReasons(p.raw) {
		hint = "reasoning"
	}
	if hint == "" {
		return nil
	}
	return problem.New(http.StatusBadRequest, "unknown_kind",
		fmt.Sprintf("There is no kind of event %s. Use %s. Nothing was stored. "+
			"With ?strict=false an event of an unknown kind is stored as a status.", showable(layer, kind), hint)).
		With("expected", hint)
}

// nearKind returns the known kind that a kind is but for its case, its signs, and one or two letters,
// or "".
func nearKind(kind string) string {
	if len(kind) > maxMemberName {
		return ""
	}
	for _, known := range slices.Sorted(maps.Keys(members)) {
		if name := letters(known); view.Distance(letters(kind), name) <= len(name)/4 {
			return known
		}
	}
	return ""
}

// letters returns the ASCII letters of a name in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// hasReasons reports whether an event of either form has members that only reasoning has.
func hasReasons(raw json.RawMessage) bool {
	var plain, data map[string]json.RawMessage
	_ = json.Unmarshal(raw, &plain) // an object, since it was decoded before
	_ = json.Unmarshal(plain["data"], &data)
	for _, name := range []string{"narrative", "tool_decisions", "decisions"} {
		if plain[name] != nil || data[name] != nil {
			return true
		}
	}
	return false
}
