package dialect

import (
	"bytes"
	"crypto/sha256"
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
	tool, call string
	params     digest
	// The span of a tool that took it; empty as long as it is free.
	by string
}

// digest stands for the parameters of a call, which may be long.
type digest [sha256.Size]byte

// ask remembers the calls among the facts of a model call, and returns about how many bytes they take. What is known
// already, since the span was repeated or another one tells of the same answer, is not remembered twice.
func (tr *trace) ask(k spanKind, facts []attach.Sighting) (bytes int) {
	if k != isModel {
		return 0
	}
	for _, f := range facts {
		if f.Called == nil || tr.known[f.Call] || len(tr.asked) >= maxAsked {
			continue
		}
		tr.known[f.Call] = true
		one := asked{tool: label(f.Called.Tool), call: f.Call, params: digestOf(f.Called.Params)}
		tr.asked = append(tr.asked, one)
		bytes += callBytes + len(one.tool) + len(one.call)
	}
	return bytes
}

// match finds the call that the span of a tool is of, which does not name it: the one for this tool with these
// parameters, or the only one for this tool. A tool that no model asked for, as far as is known, is a call by itself.
// It returns false if the span fits several calls: to guess would give one the result of another.
func (tr *trace) match(s *bufferedSpan) bool {
	var params digest
	for _, f := range s.node.facts {
		if f.Called != nil {
			params = digestOf(f.Called.Params)
		}
	}
	fits, known := tr.fitting(s, params)
	if len(fits) != 1 {
		return !known
	}
	fits[0].by, s.call = s.node.id, fits[0].call
	for i := range s.node.facts {
		s.node.facts[i].Call = s.call
	}
	return true
}

// fitting returns the calls that the span of a tool may be of, and whether any is known of its tool. Each call is taken
// once, so that two runs of one tool with the same parameters get a call each; a span that is repeated gets its own.
func (tr *trace) fitting(s *bufferedSpan, params digest) (fits []*asked, known bool) {
	var same, free []*asked
	for i := range tr.asked {
		a := &tr.asked[i]
		switch {
		case a.tool != s.name:
			continue
		case a.by == s.node.id:
			return []*asked{a}, true
		case a.by == "" && a.params == params && same == nil:
			same = []*asked{a}
		case a.by == "":
			free = append(free, a)
		}
		known = true
	}
	if same != nil {
		return same, true
	}
	return free, known
}

// digestOf returns the digest of JSON without the spaces in which two writers differ.
func digestOf(raw json.RawMessage) digest {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return sha256.Sum256(raw)
	}
	return sha256.Sum256(b.Bytes())
}
