package mew

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"candor/agent/tool/mcp"
	"candor/safety"
	"candor/session"
)

// ownCall is a call of a turn on its way through the space.
type ownCall struct {
	id      string // the turn's
	target  string // the participant that has the tool; empty for the participant itself
	tool    string // as its participant calls it
	params  safety.JSON
	group   *int
	path    string // the context
	thought string // id of the thought with the reason

	// The member's mu guards the fields below.
	proposal string          // id of the proposal, if the call had to be proposed
	request  string          // id of the request: the turn's own, or the fulfilment of the proposal
	by       string          // who fulfilled the proposal
	rpcID    json.RawMessage // of the fulfilment
	closed   bool            // somebody rejected the proposal
	shown    json.RawMessage // the arguments that an approver was asked about; nil if nobody was
	unsent   error           // why the request was not made
	replied  chan reply      // has room for the one reply
	decided  chan session.Answer
}

// reply is another participant's answer to a call.
type reply struct {
	result json.RawMessage
	err    error
}

var (
	errHidden = errors.New("the call was not sent: safety would mask a part of its arguments, which everybody in " +
		"the space could read otherwise")
	errMayNotCall  = errors.New("the space allows this participant neither to call tools of others nor to propose it")
	errNotRecorded = errors.New("this call does not belong to a turn")
)

// newCall returns a call that the turn has recorded.
func (t *turn) newCall(b session.ToolCalled) *ownCall {
	c := &ownCall{
		id: b.Call, tool: b.Tool.String(), params: b.Params, group: b.Group,
		replied: make(chan reply, 1), decided: make(chan session.Answer, 1),
	}
	if !slices.Contains(t.Dispatcher.Tools.Names(), c.tool) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if spec, ok := t.peerSpec(c.tool); ok {
			c.target, c.tool = spec.Origin.Server, spec.Origin.Tool
		}
	}
	return c
}

// payload returns the request that the call makes.
func (c *ownCall) payload() object {
	p := object{
		"jsonrpc": "2.0", "id": c.id, "method": "tools/call",
		"params": object{"name": c.tool, "arguments": c.params},
	}
	if c.group != nil {
		p["parallel_group"] = *c.group
	}
	return p
}

// answeredAs returns the id that the answer to a call refers to.
func (m *member) answeredAs(c *ownCall) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.request != "" {
		return c.request
	}
	return c.proposal
}

// request makes the request of a call that runs: to the participant that has the tool, or to
// itself. If the space allows no requests to others, it proposes the call.
func (t *turn) request(c *ownCall, arguments json.RawMessage) {
	kind := "mcp/request"
	switch {
	case c.target == "":
	case !sameJSON(arguments, c.params.Raw()):
		c.unsent = errHidden
		return
	case t.maySend(kind, c.payload()):
	case t.maySend("mcp/proposal", c.payload()):
		kind = "mcp/proposal"
	default:
		c.unsent = errMayNotCall
		return
	}
	if t.send(c, kind, c.payload()) == "" && c.target != "" {
		c.unsent = errNoGateway
	}
}

// send sends the request or the proposal of a call and awaits what others say to it.
func (t *turn) send(c *ownCall, kind string, payload object) (id string) {
	e, err := newEnvelope(kind, payload)
	if err != nil {
		return ""
	}
	t.mu.Lock()
	e.To = []string{c.target}
	if c.target == "" {
		e.To[0] = t.id
	}
	t.awaited[e.ID] = c
	if kind == "mcp/proposal" {
		c.proposal = e.ID
	} else {
		c.request = e.ID
	}
	t.mu.Unlock()
	if t.say(e.inContext(c.path).about(c.thought)) != "" {
		return e.ID
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.awaited, e.ID)
	c.proposal, c.request = "", ""
	return ""
}

// answerOwn says how a call ended, unless another participant has said it.
func (t *turn) answerOwn(c *ownCall, b session.ToolReturned) {
	t.mu.Lock()
	proposal, request, by, rpcID, closed := c.proposal, c.request, c.by, c.rpcID, c.closed
	foreign := c.target != "" && c.unsent == nil && (proposal != "" || request != "")
	if !foreign {
		c.target = "" // a call that was never sent is made and answered by the turn itself
	}
	t.mu.Unlock()
	switch {
	case proposal != "" && request == "":
		if !closed {
			t.tell("mcp/withdraw", c.path, nil, object{"reason": "no longer needed"}, proposal)
		}
		return
	case foreign:
		return
	case request == "":
		if request = t.send(c, "mcp/request", c.payload()); request == "" {
			return
		}
	}
	if rpcID == nil {
		rpcID, _ = safety.Marshal(c.id)
	}
	t.tell("mcp/response", c.path, []string{cmp.Or(by, t.self())}, response(rpcID, b), request)
}

// response returns the answer to a call as MCP has it.
func response(rpcID json.RawMessage, b session.ToolReturned) object {
	p := object{"jsonrpc": "2.0"}
	if len(rpcID) > 0 {
		p["id"] = rpcID
	}
	if b.Outcome != session.Success {
		p["error"] = object{"code": -32000, "message": b.Error.String(), "data": object{"outcome": b.Outcome}}
		return p
	}
	text := string(b.Result.Raw())
	var plain string
	if json.Unmarshal(b.Result.Raw(), &plain) == nil {
		text = plain
	}
	p["result"] = object{"content": []object{{"type": "text", "text": text}}}
	return p
}

// forgetCall no longer awaits anything for a call.
func (m *member) forgetCall(c *ownCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.awaited, c.proposal)
	delete(m.awaited, c.request)
}

// failCall ends the call whose request or proposal has an id.
func (m *member) failCall(id, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.awaited[id]; c != nil {
		decide(c, session.Expired)
		c.finish(reply{err: errors.New(why)})
	}
}

// finish passes on the first reply to a call.
func (c *ownCall) finish(r reply) {
	select {
	case c.replied <- r:
	default:
	}
}

// hearResponse takes the answer of the participant that was asked, and of nobody else.
func (m *member) hearResponse(e envelope) {
	var in struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	e.read(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range e.Correlation {
		if m.listings[id] == e.From {
			delete(m.listings, id)
			m.learnTools(e.From, in.Result)
		}
		c := m.awaited[id]
		switch {
		case c == nil || c.request != id || c.target != e.From:
		case in.Error != nil:
			text, _ := m.layer().Mask(in.Error.Message)
			c.finish(reply{err: errors.New(text.String())})
		default:
			result, err := mcp.RelayedResult(in.Result)
			c.finish(reply{result: result, err: err})
		}
	}
}

// isNull reports whether a JSON text is null.
func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// sameJSON reports whether two JSON texts have the same value.
func sameJSON(a, b json.RawMessage) bool {
	var values [2]any
	for i, raw := range []json.RawMessage{a, b} {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if dec.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
