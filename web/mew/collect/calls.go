package collect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// call is a call of a tool that a turn made.
type call struct {
	id      string
	turn    *turn
	in      *reasoning // nil outside of any reasoning
	step    int
	tool    string   // as its caller named it
	request string   // id of the message that made the call; "" while it was only announced
	to      []string // who was asked to run it
	thought string   // id of the thought that announced it
	why     session.Rationale
	at      time.Time
	asking  string // id of its approval request, while somebody has to approve it
	asked   asks   // of a proposal that is not decided
	over    bool   // it has a result
}

// ref returns what an event of the call is about.
func (one *call) ref() session.Ref {
	if one.in != nil {
		return one.in.ref()
	}
	return one.turn.ref
}

// asks is what a request or a proposal wants done.
type asks struct {
	tool  string
	args  json.RawMessage
	group *int
}

// readAsks reads the JSON-RPC of a payload: the tool of a tools/call, else the method.
func readAsks(payload json.RawMessage) asks {
	m := members(payload)
	a := asks{tool: textOf(m["method"]), args: m["params"]}
	if g, err := parseGroup(m["parallel_group"]); err == nil {
		a.group = g
	}
	if a.tool != "tools/call" {
		return a
	}
	params := members(m["params"])
	if name := textOf(params["name"]); name != "" {
		a.tool = name
	}
	if a.args = params["arguments"]; a.args == nil {
		delete(params, "name")
		a.args, _ = json.Marshal(params) // some put the arguments beside the name
	}
	return a
}

// maxGroup bounds the number of a parallel group.
const maxGroup = 10_000

func parseGroup(raw json.RawMessage) (*int, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var n int
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 || n > maxGroup {
		return nil, fmt.Errorf("no group")
	}
	return &n, nil
}

// announced returns the tool that a thought says it is about to call, and its arguments.
func announced(payload map[string]json.RawMessage) (tool string, args json.RawMessage) {
	if textOf(payload["action"]) != "tool" {
		return "", nil
	}
	input := members(payload["actionInput"])
	return textOf(input["tool"]), input["arguments"]
}

// announce records the call that a thought announces. Agents that run a tool themselves send
// nothing else; for others the request follows.
func (c *Collector) announce(r *reasoning, m *message, raw, tool string, args json.RawMessage) {
	c.settleAnnounced(r)
	why, found := c.reason(raw)
	r.thought = thought{id: m.id, raw: raw[:min(len(raw), maxText)], text: why.Text}
	one := &call{in: r, turn: r.turn, tool: tool, thought: m.id, why: why}
	c.make(one, asks{tool: tool, args: args}, found)
}

// settleAnnounced ends the calls that were announced and not made: their agent has gone on, so
// it ran the tools itself, and nobody saw the results.
func (c *Collector) settleAnnounced(r *reasoning) {
	for _, one := range slices.Clone(r.turn.calls) {
		if one.in == r && one.request == "" {
			c.end(one, session.ToolReturned{Outcome: session.Unknown})
		}
	}
}

// make records a call in its step, which it begins if none is open.
func (c *Collector) make(one *call, a asks, found []safety.Finding) {
	t, ref := one.turn, one.turn.ref
	if r := one.in; r != nil {
		if r.step == 0 || r.stepEnded {
			c.nextStep(r)
		}
		one.step, ref = r.step, r.ref()
	} else {
		one.step = 1
	}
	t.made++
	one.id, one.at = fmt.Sprintf("call_%d", t.made), c.now()
	t.calls = append(t.calls, one)
	c.called(one, ref, a, found)
}

// called records what is called, a second time if more of it is known.
func (c *Collector) called(one *call, ref session.Ref, a asks, found []safety.Finding) {
	tool := c.short(oneLine(a.tool), maxName)
	if tool.Empty() {
		tool = safety.Literal("(no name)")
	}
	params, inParams := c.value(a.args)
	to, inTo := c.mask(oneLine(strings.Join(one.to, ", ")))
	c.record(ref, session.ToolCalled{
		Step: one.step, Call: one.id, Tool: tool, To: to, Rationale: one.why, Params: params, Group: a.group,
		Findings: session.Merge(found, inParams, inTo),
	})
}

// request records a call that a participant makes of another, or the fulfilment of a proposal.
func (c *Collector) request(m *message, e wire.Envelope, path string) {
	a := readAsks(e.Payload)
	if c.fulfil(m, e) {
		return
	}
	m.text = c.textOfArguments(a)
	r := c.caller(m.from, e, path, a.tool)
	if r == nil && path != "" && c.contexts[path] != nil {
		c.count(c.contexts[path])
		c.note(c.contexts[path].turn, m.from, session.NoteOther, "called "+a.tool)
		return
	}
	if r == nil && !worthATurn(e.Payload) {
		return
	}
	one := c.bind(r, m, e, a)
	if one == nil {
		one = c.newCall(r, m.from, e, a)
	}
	if one == nil {
		return
	}
	one.request = e.ID
	m.where = place{turn: one.turn, context: r, call: one}
}

// caller returns the reasoning that a request is part of, or nil.
func (c *Collector) caller(from *speaker, e wire.Envelope, path, tool string) *reasoning {
	if path != "" {
		r := c.within(from, e, path)
		if r != nil {
			c.count(r)
		}
		return r
	}
	if t := from.about(e.CorrelationID); t != nil && !t.over {
		return t.root
	}
	if m := c.memory.first(e.CorrelationID); m != nil && m.from == from && m.where.context != nil {
		return m.where.context
	}
	for _, t := range slices.Backward(from.turns) {
		if t.root != nil && t.expects(tool) {
			return t.root
		}
	}
	return from.only()
}

// expects reports whether the turn announced a call of the tool, or its latest thought names it.
func (t *turn) expects(tool string) bool {
	return slices.ContainsFunc(t.calls, func(o *call) bool { return o.request == "" && o.tool == tool }) ||
		names(t.root.thought.raw, tool)
}

// bind returns the announced call that a request makes, with what the request adds.
func (c *Collector) bind(r *reasoning, m *message, e wire.Envelope, a asks) *call {
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.turn.calls, func(o *call) bool {
		return o.request == "" && o.tool == a.tool && (len(e.CorrelationID) == 0 || o.thought == "" ||
			slices.Contains(e.CorrelationID, o.thought) || c.memory.first(e.CorrelationID) == nil)
	})
	if at < 0 {
		return nil
	}
	one := r.turn.calls[at]
	one.to, one.at = e.To, c.now()
	ref := one.in.ref()
	c.called(one, ref, a, nil)
	return one
}

// newCall records a call that nothing announced. Outside of any reasoning it is a turn.
func (c *Collector) newCall(r *reasoning, from *speaker, e wire.Envelope, a asks) *call {
	one := &call{in: r, tool: a.tool, to: e.To, why: session.Fallback()}
	var found []safety.Finding
	if r != nil {
		one.turn = r.turn
		if raw := c.tied(r, e.CorrelationID, a.tool); raw != "" {
			one.why, found = c.reason(raw)
		}
	} else {
		trigger := c.named(e.CorrelationID)
		if one.turn = c.begin(from, trigger, false); one.turn == nil {
			return nil
		}
	}
	c.make(one, a, found)
	return one
}

// tied returns the latest thought of a reasoning if it is about this very call: the request
// names it, or it names the tool.
func (c *Collector) tied(r *reasoning, ids []string, tool string) string {
	if r.thought.id != "" && slices.Contains(ids, r.thought.id) || names(r.thought.raw, tool) {
		return r.thought.raw
	}
	return ""
}

// names reports whether a text has the name of a tool as a word of its own.
func names(text, tool string) bool {
	for at := 0; tool != "" && at < len(text); {
		i := strings.Index(text[at:], tool)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(tool):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += i + len(tool)
	}
	return false
}

func inWord(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// worthATurn reports whether a request outside of any reasoning is one that a reader wants to
// see: lists of tools are asked for by every client that joins.
func worthATurn(payload json.RawMessage) bool {
	switch textOf(members(payload)["method"]) {
	case "tools/call", "resources/read", "prompts/get":
		return true
	}
	return false
}

// textOfArguments returns what a request asks in words: its only text, or the one that is
// called as questions are, else all of its arguments.
func (c *Collector) textOfArguments(a asks) safety.Text {
	args := members(a.args)
	raw := said(args, "prompt", "query", "question", "task", "text", "message", "input", "content")
	if raw == "" {
		var only []string
		for _, v := range args {
			if s := textOf(v); s != "" {
				only = append(only, s)
			}
		}
		switch {
		case len(only) == 1:
			raw = only[0]
		case len(args) > 0:
			raw = a.tool + " " + string(a.args)
		default:
			raw = a.tool
		}
	}
	return c.short(raw, maxText)
}

// response records how a call ended, and answers the turn that the call asked for.
func (c *Collector) response(from *speaker, e wire.Envelope, path string) {
	m := c.memory.first(e.CorrelationID)
	if t := from.about(e.CorrelationID); t != nil && t.trigger != nil && (m == nil || m.from == from) {
		m = t.trigger // some name their own reasoning instead of the request
	}
	if m == nil || m.where.call == nil {
		c.other(from, e, path)
		return
	}
	one := m.where.call
	if len(one.to) > 0 && !slices.Contains(one.to, from.id) {
		c.note(one.turn, from, session.NoteOther, "answered a call that was not for it")
		return
	}
	back, text := c.readResult(e.Payload)
	c.end(one, back)
	if one.turn.root == nil {
		c.complete(one.turn, safety.Text{}, nil)
	}
	if t := from.about([]string{m.id}); t != nil {
		c.reply(t, text, back.Outcome == session.Errored)
	}
}

// readResult reads the JSON-RPC of a response: how the call ended, and what came back in words.
func (c *Collector) readResult(payload json.RawMessage) (back session.ToolReturned, text string) {
	m := members(payload)
	result := members(m["result"])
	text = contentText(result)
	switch {
	case len(m["error"]) > 0 && string(m["error"]) != "null":
		text = textOf(m["error"])
		if text == "" {
			text = said(members(m["error"]), "message", "data", "code")
		}
	case string(result["isError"]) != "true":
		back.Outcome = session.Success
		back.Result, back.Findings = c.value(m["result"])
		if text == "" {
			text = textOf(m["result"])
		}
		return back, text
	}
	if strings.TrimSpace(text) == "" {
		text = "It failed, and did not say why."
	}
	back.Outcome = session.Errored
	back.Error, back.Findings = c.mask(text)
	return back, text
}

// contentText returns the texts of an MCP result.
func contentText(result map[string]json.RawMessage) string {
	var parts []map[string]json.RawMessage
	_ = json.Unmarshal(result["content"], &parts)
	var texts []string
	for _, p := range parts {
		if s := textOf(p["text"]); s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

// end records the result of a call, whose first one counts.
func (c *Collector) end(one *call, back session.ToolReturned) {
	if one.over {
		return
	}
	one.over = back.Outcome != session.Unknown
	one.turn.calls = slices.DeleteFunc(one.turn.calls, func(o *call) bool { return o == one })
	ref := one.ref()
	if one.asking != "" {
		c.record(ref, session.ApprovalAnswered{Request: one.asking, Call: one.id, Answer: session.Withdrawn})
		one.asking = ""
	}
	back.Call, back.Took = one.id, max(0, c.now().Sub(one.at))
	c.record(ref, back)
	r := one.in
	if r != nil && r.step == one.step && !slices.ContainsFunc(one.turn.calls, func(o *call) bool { return o.in == r }) {
		c.endStep(r)
	}
}
