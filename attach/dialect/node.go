package dialect

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/otlp"
	"candor/attach/rows"
)

// spanKind says what a span is.
type spanKind int

// The kinds of spans. A run is one of an agent or of a chain of them, within which what belongs to one prompt happens;
// only an agent's is that of a sub-agent if it stands within another.
const (
	isOther spanKind = iota // it may stand between two of the others
	isChain                 // a run of several agents, or of parts of one
	isAgent                 // a run of an agent
	isModel                 // a model call: an answer
	isTool                  // a tool that ran
)

// Node holds the facts of one span. Its sightings lack session and turn, which follow from the spans around it.
type Node struct {
	// The span's own ids, in hex, and that of the span around it, which is empty for an outermost span and for one
	// whose parent is in another process: that one may never be sent here.
	traceID, id, parent string
	// What the span is. The other fields have a meaning for some kinds only.
	kind spanKind
	// What the span calls its conversation; empty for most.
	session string
	// What the process calls itself, in the form of names of programs.
	program string
	// The name of the agent or the tool.
	name string
	// The provider's id of the tool's call, or that of the span.
	call string
	// What the span tells, in the order in which it happened.
	facts []attach.Sighting
	// What the span repeats of what others may have told. It is told only if no model call below told anything.
	flat []attach.Sighting
}

// How many digits ids have.
const (
	traceDigits = 32
	spanDigits  = 16
)

// maxLabel bounds the names of agents, tools and models that are remembered, in bytes.
const maxLabel = 256

// label returns a name within maxLabel. It holds nothing of what it cut off.
func label(name string) string {
	if len(name) > maxLabel {
		name = strings.Clone(name[:maxLabel])
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// Read returns the node of a span. The node of a span that is no part of an agent has no facts; it may lie between two
// that are. ok is false if the span or its parent has no valid id.
func Read(s otlp.Span) (n Node, loss Loss, ok bool) {
	n = Node{traceID: s.Trace, id: s.ID, parent: s.Parent, program: programOf(s.Resource, s.Scope)}
	if s.Remote || strings.Trim(s.Parent, "0") == "" {
		n.parent = ""
	}
	if !n.hasIDs() {
		return Node{}, Loss{noIDs, named(s.Name)}, false
	}
	for _, key := range []string{"gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId"} {
		if id := s.Attrs.Text(key); n.session == "" && rows.IsID(id) {
			n.session = id
		}
	}
	w := &writer{node: &n, span: &s}
	switch {
	case s.Attrs.Text("openinference.span.kind") != "":
		w.openInference()
	case strings.HasPrefix(s.Attrs.Text("ai.operationId"), "ai."):
		w.aiSDK(s.Attrs.Text("ai.operationId"))
	case s.Attrs.Text("gen_ai.operation.name") != "" || isPydantic(&s):
		w.genAI()
	default:
		return n, Loss{}, true
	}
	n.name = label(n.name)
	if w.lost != "" {
		loss = Loss{w.lost, named(s.Name)}
	}
	return n, loss, true
}

// hasIDs reports whether a span and the one around it, if there is one, have ids of the right lengths.
func (n *Node) hasIDs() bool {
	return len(n.traceID) == traceDigits && strings.Trim(n.traceID, "0") != "" && len(n.id) == spanDigits &&
		(n.parent == "" || len(n.parent) == spanDigits)
}

// writer collects what one span tells.
type writer struct {
	node *Node
	span *otlp.Span
	lost string
}

// at returns a sighting of the channel at a time.
func (w *writer) at(t time.Time) attach.Sighting {
	return attach.Sighting{Channel: attach.Telemetry, At: t}
}

// tell adds a sighting.
func (w *writer) tell(s attach.Sighting) { w.node.facts = append(w.node.facts, s) }

// prompted tells the message that began the turn.
func (w *writer) prompted(text string) {
	if text = strings.TrimSpace(text); text != "" {
		text, _ = rows.Shorten(strings.Clone(text)) // which may be little of a long one of spaces
		s := w.at(w.span.Start)
		s.Prompted = &attach.Prompted{Text: text}
		w.tell(s)
	}
}

// part is a part of what the model said.
type part struct {
	summary    bool   // of its reasoning
	text       string // unless it is a call
	call, name string
	params     json.RawMessage
}

// answer tells what the model said in one answer: its texts, its calls, and that the turn is over if it asked for none.
// The answer's id is that of the span.
func (w *writer) answer(parts []part) {
	var final []string
	calls := false
	for i, p := range parts {
		// An answer is there when its span ends. What it asks for begins later, so that steps keep their order.
		s := w.at(w.span.End)
		s.Group, s.Index = w.node.id, i
		switch {
		case p.name != "" && !rows.IsID(p.call):
			w.lost = noCallID
			calls = true
			continue
		case p.name != "":
			calls = true
			s.Call, s.Called = p.call, called(p.name, p.params)
		case strings.TrimSpace(p.text) == "":
			continue
		default:
			text, _ := rows.Shorten(p.text)
			s.Said = &attach.Said{Text: text, Summary: p.summary}
			if !p.summary {
				final = append(final, text)
			}
		}
		w.tell(s)
	}
	if calls || len(final) == 0 {
		return
	}
	// A model that asks for nothing more has given the turn's answer. Should another answer follow after all, it
	// takes this one's place, since of several the latest holds.
	s := w.at(w.span.End)
	s.Group = w.node.id
	text, _ := rows.Shorten(strings.Join(final, "\n\n"))
	s.Ended = &attach.Ended{Answer: text}
	w.tell(s)
}

// used tells the usage of an answer.
func (w *writer) used(u attach.Used) {
	if u.Input < 0 || u.Output < 0 || u.Reasoning < 0 || u.Cached < 0 || u == (attach.Used{}) {
		return
	}
	s := w.at(w.span.End)
	s.Group, s.Used = w.node.id, &u
	w.tell(s)
}

// about tells which model answered.
func (w *writer) about(names ...string) {
	for _, name := range names {
		if name = label(name); name != "" {
			s := w.at(w.span.Start)
			s.About = &attach.About{Model: name, Version: ""}
			w.tell(s)
			return
		}
	}
}

// ran tells of a tool that ran: its call, and how it ended. A call without a provider's id has that of the span.
func (w *writer) ran(name, call string, params, result json.RawMessage) {
	n := w.node
	n.kind, n.name, n.call = isTool, name, call
	// What has the id of its span is matched with a model's call later, if one fits.
	if !rows.IsID(call) {
		n.call = n.id
	}
	if name == "" {
		w.lost = noTool
		return
	}
	s := w.at(w.span.Start)
	s.Call, s.Called = n.call, called(name, params)
	w.tell(s)
	s = w.at(w.span.End)
	s.Call, s.Returned = n.call, &attach.Returned{}
	if took := w.span.End.Sub(w.span.Start); took > 0 && took < 24*time.Hour {
		s.Returned.Took = took
	}
	// A failure has no result, even if the writer has both. Without either the result is not known, and says so.
	var cut bool
	if w.span.Failed {
		s.Returned.Error = w.failure()
	} else {
		s.Returned.Result, cut = rows.BoundJSON(result, "")
		s.Returned.Partial = cut || len(result) == 0
	}
	w.tell(s)
}

// ended tells that an agent's run is over, whatever it answered.
func (w *writer) ended() {
	s := w.at(w.span.End)
	s.Ended = &attach.Ended{}
	if w.span.Failed {
		s.Ended.Error = w.failure()
	}
	w.tell(s)
}

// failure returns the words of a failure; it never is empty.
func (w *writer) failure() string {
	texts := []string{w.span.Message}
	for _, e := range w.span.Events {
		if e.Name == "exception" {
			texts = append(texts, e.Attrs.Text("exception.message"))
		}
	}
	for _, text := range append(texts, w.span.Attrs.Text("error.type")) {
		if text, _ = rows.Shorten(text); strings.TrimSpace(text) != "" {
			return text
		}
	}
	return "it failed, and the telemetry does not say how"
}

// called returns a call.
func called(name string, params json.RawMessage) *attach.Called {
	name, _ = rows.Shorten(name)
	params, _ = rows.BoundJSON(params, "")
	return &attach.Called{Tool: name, Params: params}
}

// valueOf returns an attribute as JSON: a string that is JSON already, as most are, any other string quoted, and a
// structured value encoded. It is nil for none.
func valueOf(v any) json.RawMessage {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if raw := bytes.TrimSpace([]byte(v)); json.Valid(raw) {
			return raw
		}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil // a number that JSON has not
	}
	return raw
}
