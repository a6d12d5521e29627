package collect

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// response records how a call ended, and answers the turn that the call asked for.
func (c *Collector) response(from *speaker, e wire.Envelope, path string) {
	m := c.memory.first(e.CorrelationID)
	if t := from.about(e.CorrelationID); t != nil && t.trigger != nil && (m == nil || m.from == from) {
		m = t.trigger // some name their own reasoning instead of the request
	}
	if m == nil || m.where.call == nil {
		c.actOn(from, e, path)
		return
	}
	one := m.where.call
	if len(one.to) > 0 && !slices.Contains(one.to, from.id) {
		c.note(one.turn, from, session.NoteOther, "answered a call that was not for it")
		return
	}
	if one.asking != "" {
		c.note(one.turn, from, session.NoteOther, "answered a call that nobody has made yet")
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

// actOn records a response that answers no call: what its agent did about its own reasoning, which it names, is
// the answer of the turn, and what others did about it is a note.
func (c *Collector) actOn(from *speaker, e wire.Envelope, path string) {
	_, text := c.readResult(e.Payload)
	if t := from.about(e.CorrelationID); t != nil {
		c.reply(t, text, false)
	} else if t := c.asked(e.CorrelationID); t != nil {
		c.note(t, from, session.NoteOther, text)
	} else {
		c.other(from, e, path)
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
		c.forget(one)
	}
	back.Call = one.id
	if back.Outcome != session.Unknown {
		back.Took = max(0, c.now().Sub(one.at))
	}
	c.record(ref, back)
	r := one.in
	if r != nil && r.step == one.step && !slices.ContainsFunc(one.turn.calls, func(o *call) bool { return o.in == r }) {
		c.endStep(r)
	}
}
