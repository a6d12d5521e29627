package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
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
	// Whether a tool's span is that of a request of MCP, which a call is made by.
	request bool
	// What the span tells, in the order in which it happened.
	facts []attach.Sighting
	// The results of calls that a model was sent since its last answer. Each is told only if no span of a tool has it.
	echoes []attach.Sighting
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
// that are. ok is false if the span or its parent has no valid id. clean takes secrets out of names: what a name
// becomes here may hide them from whoever cleans later.
func Read(s otlp.Span, clean func(name string) string) (n Node, loss Loss, ok bool) {
	n = Node{traceID: s.Trace, id: s.ID, parent: s.Parent, program: programOf(s.Resource, s.Scope, clean)}
	if s.Remote || strings.Trim(s.Parent, "0") == "" {
		n.parent = ""
	}
	if !n.hasIDs() {
		return Node{}, Loss{noIDs, named(s.Name)}, false
	}
	for _, key := range sessionKeys {
		if id := s.Attrs.Text(key); n.session == "" && rows.IsID(id) {
			n.session = id
		}
	}
	s.Attrs = withEvents(&s)
	w := &writer{node: &n, span: &s, clean: clean}
	w.read()
	w.write()
	n.name = label(clean(n.name))
	if w.lost != "" {
		loss = Loss{w.lost, named(s.Name)}
	}
	return n, loss, true
}

// sessionKeys are the attributes that name a conversation, the surest first.
var sessionKeys = []string{
	"gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId",
	"traceloop.association.properties.session_id", "traceloop.association.properties.conversation_id",
	"traceloop.association.properties.thread_id",
}

// read has each dialect read that has a name in the span. Some programs write two, each with a part of what happened.
func (w *writer) read() {
	a := w.span.Attrs
	if a.Text("openinference.span.kind") != "" {
		w.openInference()
	}
	if operation := a.Text("ai.operationId"); strings.HasPrefix(operation, "ai.") {
		w.aiSDK(operation)
	}
	if isGenAI(w.span) {
		w.genAI()
	}
	if isTraceloop(a) {
		w.traceloop()
	}
	if w.kind == isOther && !w.known && isForeign(a) {
		w.lost = newKind
	}
}

// The beginnings of the names of attributes that agents and models write, in dialects that are read and in others, and
// those among them that their libraries put on every span of a process.
var (
	foreign = []string{
		"gen_ai.", "llm.", "traceloop.", "openinference.", "ai.", "langfuse.observation.", "langsmith.", "mlflow.",
		"smolagents.",
	}
	everywhere = []string{
		"gen_ai.conversation.", "gen_ai.agent.", "traceloop.association.", "traceloop.workflow.",
		"traceloop.entity.path",
		"langsmith.metadata.", "langsmith.trace.", "mlflow.trace", "ai.telemetry.",
	}
)

// isForeign reports whether a span has an attribute of an agent or a model.
func isForeign(a otlp.Attributes) bool {
	for key := range a {
		begins := func(begin string) bool { return strings.HasPrefix(key, begin) }
		if slices.ContainsFunc(foreign, begins) && !slices.ContainsFunc(everywhere, begins) {
			return true
		}
	}
	return false
}

// hasIDs reports whether a span and the one around it, if there is one, have ids of the right lengths.
func (n *Node) hasIDs() bool {
	return len(n.traceID) == traceDigits && strings.Trim(n.traceID, "0") != "" && len(n.id) == spanDigits &&
		(n.parent == "" || len(n.parent) == spanDigits)
}

// writer collects what one span tells. Of each member the first dialect that has it counts.
type writer struct {
	node  *Node
	span  *otlp.Span
	clean func(name string) string
	lost  string

	// Whether a dialect knows what the span is, though it may tell nothing.
	known bool
	kind  spanKind
	// Of an agent or a tool, and of a tool's call.
	name, call string
	// The message that the span answers.
	prompt string
	// What a model said, the word for why it stopped there, and what a run answered.
	parts  []part
	stop   string
	output string
	usage  attach.Used
	model  string
	// Of a tool.
	params, result json.RawMessage
}

// is says what the span is. A run of several agents may be that of one, which another dialect knows.
func (w *writer) is(kind spanKind) {
	w.known = true
	if w.kind == isOther || w.kind == isChain {
		w.kind = kind
	}
}

// write tells what the dialects read.
func (w *writer) write() {
	n := w.node
	n.kind, n.name = w.kind, w.name
	if w.kind != isTool {
		w.tellPrompt(w.prompt)
	}
	switch w.kind {
	case isModel:
		if w.lost == noMessages && slices.ContainsFunc(w.parts, func(p part) bool { return !p.isEmpty() }) {
			w.lost = ""
		}
		w.tellAnswer(w.parts)
		w.tellStop(w.stop, w.parts)
		w.tellUsage()
	case isTool:
		w.tellTool()
	case isAgent, isChain:
		w.tellEnd()
	}
}

// at returns a sighting of the channel at a time.
func (w *writer) at(t time.Time) attach.Sighting {
	return attach.Sighting{Channel: attach.Telemetry, At: t}
}

// tell adds a sighting.
func (w *writer) tell(s attach.Sighting) { w.node.facts = append(w.node.facts, s) }

// prompted takes the message that began the turn.
func (w *writer) prompted(text string) { w.prompt = cmp.Or(w.prompt, strings.TrimSpace(text)) }

// answer takes what the model said. Of a second dialect it takes what the first does not have: calls, and texts or
// thoughts where there are none.
func (w *writer) answer(parts []part) {
	had := slices.DeleteFunc(slices.Clone(w.parts), part.isEmpty)
	if len(had) == 0 {
		w.parts = parts
		return
	}
	for _, p := range parts {
		same := func(q part) bool { return q.name == p.name && q.summary == p.summary && q.call == p.call }
		switch {
		case p.isEmpty(), slices.ContainsFunc(had, same):
		case p.summary:
			w.parts = append([]part{p}, w.parts...) // it was thought before anything was said
		default:
			w.parts = append(w.parts, p)
		}
	}
}

// heard takes the result of a call that the model was sent.
func (w *writer) heard(call string, result json.RawMessage) {
	same := func(s attach.Sighting) bool { return s.Call == call }
	if !rows.IsID(call) || slices.ContainsFunc(w.node.echoes, same) {
		return
	}
	s := w.at(w.span.Start)
	s.Call, s.Returned = call, &attach.Returned{}
	s.Returned.Result, s.Returned.Partial = rows.BoundJSON(result, "")
	w.node.echoes = append(w.node.echoes, s)
}

// stopped takes the word for why the model stopped.
func (w *writer) stopped(words ...string) { w.stop = cmp.Or(w.stop, cmp.Or(words...)) }

// used takes the usage of an answer, of which each number may be another dialect's.
func (w *writer) used(u attach.Used) {
	if u.Input < 0 || u.Output < 0 || u.Reasoning < 0 || u.Cached < 0 {
		return
	}
	w.usage = attach.Used{
		Input: cmp.Or(w.usage.Input, u.Input), Output: cmp.Or(w.usage.Output, u.Output),
		Reasoning: cmp.Or(w.usage.Reasoning, u.Reasoning), Cached: cmp.Or(w.usage.Cached, u.Cached),
	}
}

// about takes which model answered.
func (w *writer) about(names ...string) { w.model = cmp.Or(w.model, cmp.Or(names...)) }

// ran takes what a tool was given and what it returned.
func (w *writer) ran(name, call string, params, result json.RawMessage) {
	w.is(isTool)
	w.name, w.call = cmp.Or(w.name, name), cmp.Or(w.call, call)
	// Some writers have the parameters as their language writes them, and not as JSON.
	if text := textOf(params); strings.HasPrefix(text, "{") {
		params = cmpRaw(jsonOf(text), params)
	}
	w.params, w.result = cmpRaw(w.params, params), cmpRaw(w.result, result)
}

// run says that the span is one of an agent, or of a chain of them, and what that answered if the dialect says so.
func (w *writer) run(kind spanKind, name, answer string) {
	w.is(kind)
	w.name, w.output = cmp.Or(w.name, name), cmp.Or(w.output, strings.TrimSpace(answer))
}

// clock is what Copilot puts in front of a prompt.
var clock = regexp.MustCompile(`^\s*<current_datetime>[^<]{0,64}</current_datetime>`)

// tellPrompt tells the message that began the turn.
func (w *writer) tellPrompt(text string) {
	if text = strings.TrimSpace(clock.ReplaceAllString(text, "")); text != "" {
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

// isEmpty reports whether a part says nothing.
func (p part) isEmpty() bool { return p.name == "" && strings.TrimSpace(p.text) == "" }

// tellAnswer tells what the model said in one answer: its texts, its calls, and that the turn is over if it asked for
// none. The answer's id is that of the span.
func (w *writer) tellAnswer(parts []part) {
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
		case p.isEmpty():
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

// toCall are the words of models that stop to call tools.
var toCall = map[string]bool{
	"tool_calls": true, "tool-calls": true, "tool_call": true, "tool_use": true, "function_call": true,
}

// tellStop tells why the model stopped in an answer.
func (w *writer) tellStop(word string, parts []part) {
	// A model that says that it calls tools and calls none may be one whose call was lost; where nothing of what it
	// said is told, nobody knows.
	calls := slices.ContainsFunc(parts, func(p part) bool { return p.name != "" })
	told := slices.ContainsFunc(parts, func(p part) bool { return !p.isEmpty() })
	if told && !calls && toCall[strings.ToLower(word)] {
		word = "no_call"
	}
	if word == "" {
		return
	}
	s := w.at(w.span.End)
	s.Group, s.Stopped = w.node.id, &attach.Stopped{Reason: label(word)}
	w.tell(s)
}

// tellUsage tells the usage of an answer, and which model gave it.
func (w *writer) tellUsage() {
	if w.usage != (attach.Used{}) {
		s := w.at(w.span.End)
		s.Group, s.Used = w.node.id, &w.usage
		w.tell(s)
	}
	if name := label(w.clean(w.model)); name != "" {
		s := w.at(w.span.Start)
		s.About = &attach.About{Model: name}
		w.tell(s)
	}
}

// tellTool tells of a tool that ran: its call, and how it ended. A call without a provider's id has that of the span.
func (w *writer) tellTool() {
	// What has the id of its span is matched with a model's call later, if one fits.
	n := w.node
	if n.call = w.call; !rows.IsID(w.call) {
		n.call = n.id
	}
	if w.name == "" {
		w.lost = noTool
		return
	}
	s := w.at(w.span.Start)
	s.Call, s.Called = n.call, called(w.name, w.params)
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
		s.Returned.Result, cut = rows.BoundJSON(w.result, "")
		s.Returned.Partial = cut || len(w.result) == 0
	}
	w.tell(s)
}

// tellEnd tells that an agent's run is over, and what it answered if its span says so.
func (w *writer) tellEnd() {
	s := w.at(w.span.End)
	s.Ended = &attach.Ended{}
	s.Ended.Answer, _ = rows.Shorten(w.output)
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
