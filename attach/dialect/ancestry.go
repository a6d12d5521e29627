package dialect

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"

	"candor/attach"
	"candor/attach/rows"
)

// ancestry returns a span and those around it, the inner ones first, each with its id; whole says that the last one
// is the outermost. The id of a parent that did not come stands at the end, without its span.
func (tr *trace) ancestry(s *bufferedSpan) (ancestry []ancestor, whole bool) {
	ancestry = []ancestor{{s.node.id, s}}
	for range maxUp {
		id := ancestry[len(ancestry)-1].span.parent
		if id == "" {
			return ancestry, true
		}
		ancestry = append(ancestry, ancestor{id, tr.spans[id]})
		if tr.spans[id] == nil {
			return ancestry, false
		}
	}
	return ancestry, true // a circle, or nearly one
}

// ancestor is a span of an ancestry; its span is nil if it has not come.
type ancestor struct {
	id   string
	span *bufferedSpan
}

// The order of what follows matters: the outermost run decides the turn, which decides what is a sub-agent within it.

// tell returns the sightings of a span, with its session, turn and sub-agent.
func (tr *trace) tell(s *bufferedSpan, ancestry []ancestor) (out []attach.Sighting) {
	top := outermost(ancestry)
	turn := tr.turnOf(ancestry[:top+1])
	sub, began := tr.subOf(ancestry[:top+1])
	base := attach.Sighting{
		Agent: tr.agentOf(s, ancestry[top]), Session: tr.sessionOf(ancestry), Turn: turn, Sub: sub,
		Channel: attach.Telemetry,
	}
	facts := s.node.facts
	if !s.below {
		facts = append(facts, s.node.flat...)
	}
	// A sub-agent's beginning is told with the first of its spans that is told, whichever that is, and again with it.
	// What tells nothing, such as the request that a tool makes, is no sub-agent's work.
	if began != nil && len(facts) > 0 && cmp.Or(tr.begun[sub], s.node.id) == s.node.id {
		tr.begun[sub] = s.node.id
		one := base
		one.Call, one.Spawned = began.Call, began.Spawned
		out = append(out, one)
	}
	for _, f := range facts {
		if !tr.isNews(f, s.node.id, sub, top > 0) {
			continue
		}
		f.Agent, f.Session, f.Turn, f.Sub = base.Agent, base.Session, base.Turn, base.Sub
		if f.About != nil {
			f.Turn = ""
		}
		out = append(out, f)
	}
	return out
}

// isNews reports whether a fact is told of a span, which may be a sub-agent's, and within the one that the turn is.
func (tr *trace) isNews(f attach.Sighting, id, sub string, within bool) bool {
	switch {
	case f.About != nil:
		if sub != "" || f.About.Model == tr.lastModel && id != tr.lastModelBy {
			return false
		}
		tr.lastModel, tr.lastModelBy = f.About.Model, id
	case f.Prompted != nil:
		return sub == "" // the parameters of a sub-agent's call have its prompt
	case f.Ended != nil:
		return f.Group != "" || sub != "" || !within // what runs within a turn does not end it
	}
	return true
}

// outermost returns the place of the span that a turn is: the outermost run, else the last of the ancestry.
func outermost(ancestry []ancestor) int {
	for i := len(ancestry) - 1; i >= 0; i-- {
		if s := ancestry[i].span; s != nil && (s.kind == isAgent || s.kind == isChain) {
			return i
		}
	}
	return len(ancestry) - 1
}

// turnOf returns the turn of an ancestry that ends with the span that the turn is. If a part of the branch was told
// under another one, because it had waited too long, what is around that part follows.
func (tr *trace) turnOf(ancestry []ancestor) (turn string) {
	// From the outside in: of two keys that parts of a branch were told under, the one further out holds from now on.
	for i := len(ancestry) - 1; i >= 0 && turn == ""; i-- {
		turn = tr.turns[ancestry[i].id]
	}
	top := ancestry[len(ancestry)-1].id
	turn = cmp.Or(turn, top)
	tr.turns[top] = turn
	return turn
}

// subOf returns the sub-agent that a span belongs to, and how it began: the innermost agent or tool around the span
// that stands within another one. An agent's own span is the sub-agent's.
func (tr *trace) subOf(ancestry []ancestor) (sub string, began *attach.Sighting) {
	top := len(ancestry) - 1
	for i, a := range ancestry[:top] {
		if a.span == nil || a.span.kind != isAgent && (a.span.kind != isTool || i == 0) {
			continue
		}
		within, call := a.span.kind == isTool, ""
		for _, around := range ancestry[i : top+1] {
			if around.span == nil {
				continue
			}
			within = within || around.id != a.id && around.span.kind == isAgent || around.span.kind == isTool
			if around.span.kind == isTool && call == "" {
				call = around.span.call
			}
		}
		if within {
			name, _ := rows.Shorten(a.span.name)
			return a.id, &attach.Sighting{Call: call, Spawned: &attach.Spawned{Kind: name}}
		}
	}
	return "", nil
}

// sessionOf returns what the nearest span of an ancestry calls its conversation, else any span of the trace, else the
// trace.
func (tr *trace) sessionOf(ancestry []ancestor) string {
	for _, a := range ancestry {
		if a.span != nil && a.span.session != "" {
			return a.span.session
		}
	}
	tr.session = cmp.Or(tr.session, tr.id)
	return tr.session
}

// agentOf returns what the agent is called in all sightings of a trace: as its process, else as the run that a turn is.
func (tr *trace) agentOf(s *bufferedSpan, top ancestor) string {
	// It must not change within a trace: the agent's name is a part of what a session is known by.
	if tr.program == "" {
		tr.program = s.program
		if top.span != nil && (tr.program == "" || tr.program == unnamed) {
			tr.program = cmp.Or(lowered(top.span.name), tr.program)
		}
		tr.program = cmp.Or(tr.program, "agent")
	}
	return tr.program
}

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
