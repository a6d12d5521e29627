package dialect

import (
	"bytes"
	"encoding/json"

	"candor/attach"
)

// maxAsked bounds the calls of a trace that are remembered for spans of tools that do not name theirs.
const maxAsked = 4096

// OpenInference's tools mostly do not say which call they ran. The model's answer has the call's id and its parameters,
// the tool's span the parameters and the result, and both the tool's name. Calls side by side may end in any order,
// so that their order tells nothing.

// asked is a call that a model asked for.
type asked struct {
	tool, params, call string
	taken              bool // by the span of a tool
}

// ask remembers the calls among the facts of a model call.
func (tr *family) ask(k spanKind, facts []attach.Sighting) {
	if k != isModel {
		return
	}
	for _, f := range facts {
		if f.Called != nil && len(tr.asked) < maxAsked {
			tr.asked = append(tr.asked, asked{tool: f.Called.Tool, params: compact(f.Called.Params), call: f.Call})
		}
	}
}

// match finds the call that the span of a tool is of, which does not name it: the one for this tool with these
// parameters, or the only one for this tool. A tool that no model asked for, as far as is known, is a call by itself.
// It returns false if the span fits several calls: to guess would give one the result of another.
func (tr *family) match(s *kin) bool {
	var params string
	for _, f := range s.node.facts {
		if f.Called != nil {
			params = compact(f.Called.Params)
		}
	}
	// Each call is taken once, so that two runs of one tool with the same parameters get a call each.
	var fits []*asked
	known := false
	for i := range tr.asked {
		a := &tr.asked[i]
		if a.tool != s.name {
			continue
		}
		known = true
		if a.taken {
			continue
		}
		if a.params == params {
			fits = []*asked{a}
			break
		}
		fits = append(fits, a)
	}
	if len(fits) != 1 {
		return !known
	}
	fits[0].taken, s.call = true, fits[0].call
	for i := range s.node.facts {
		s.node.facts[i].Call = s.call
	}
	return true
}

// compact returns JSON without the spaces in which two writers differ.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
