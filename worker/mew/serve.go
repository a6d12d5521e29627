package mew

import (
	"encoding/json"

	"candor/agent"
	"candor/safety"
)

const (
	maxServed      = 4         // calls of others that run at once
	maxListedBytes = 128 << 10 // of the tools that are listed for others
)

// Codes of JSON-RPC.
const (
	noSuchMethod = -32601
	refusedCall  = -32000
)

// hearCall acts on a message about tools.
func (m *member) hearCall(e envelope) {
	switch e.Kind {
	case "mcp/response":
		m.hearResponse(e)
	case "mcp/reject":
		m.hearReject(e)
	case "mcp/request":
		if !m.isNew(e) {
			return
		}
		problem, ok := m.fulfil(e)
		switch {
		case problem != "" && m.isToMe(e):
			m.refuse(e, refusedCall, problem)
		case !ok && m.isToMe(e):
			m.serve(e)
		}
	case "mcp/proposal":
		if m.isToMe(e) && m.isNew(e) {
			m.consider(e)
		}
	}
}

// rpc is the payload of a request.
type rpc struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
	}
}

// respond answers a request of another participant, in the request's context.
func (m *member) respond(e envelope, payload object) {
	answer, err := newEnvelope("mcp/response", payload)
	if err != nil {
		return
	}
	answer.To, answer.Context = []string{e.From}, e.Context
	m.say(answer.about(e.ID))
}

// refuse answers a request with an error.
func (m *member) refuse(e envelope, code int, why string) {
	var in rpc
	e.read(&in)
	payload := object{"jsonrpc": "2.0", "error": object{"code": code, "message": why}}
	if len(in.ID) > 0 {
		payload["id"] = in.ID
	}
	m.respond(e, payload)
}

// serve answers a request that is addressed to the participant.
func (m *member) serve(e envelope) {
	var in rpc
	e.read(&in)
	switch in.Method {
	case "tools/list":
		m.respondWith(e, in, object{"tools": m.listTools()})
	case "ping":
		m.respondWith(e, in, object{})
	case "tools/call":
		if !m.spawn(func() {
			s := &service{}
			m.callFor(s, in)
			m.respond(e, response(in.ID, s.returned))
		}) {
			m.refuse(e, refusedCall, "the participant is paused, or busy with other calls; try again later")
		}
	default:
		m.refuse(e, noSuchMethod, "this participant knows tools/list and tools/call")
	}
}

// respondWith answers a request with a result.
func (m *member) respondWith(e envelope, in rpc, result object) {
	payload := object{"jsonrpc": "2.0", "result": result}
	if len(in.ID) > 0 {
		payload["id"] = in.ID
	}
	m.respond(e, payload)
}

// listTools returns the tools that others may call: those that no person has to approve and
// that hand no tasks on.
func (m *member) listTools() []object {
	tools, size := []object{}, 0
	for _, spec := range m.Dispatcher.Tools.Specs() {
		if !m.serves(spec) {
			continue
		}
		schema, err := safety.Marshal(spec.Schema)
		if size += len(schema) + len(spec.Description); err != nil || size > maxListedBytes {
			continue
		}
		tools = append(tools, object{
			"name": spec.Name, "description": spec.Description, "inputSchema": schema,
			"annotations": object{"readOnlyHint": spec.ReadOnly},
		})
	}
	return tools
}

// serves reports whether others may call a tool.
func (m *member) serves(spec agent.Spec) bool {
	mode := spec.Approval
	if m.Dispatcher.Approval != nil {
		mode = m.Dispatcher.Approval(spec)
	}
	return mode == agent.ApprovalNever && !spec.MayWait && !spec.FrontEnd
}

// spawn runs a call of another participant on a goroutine of its own, which run awaits. It
// returns false if the participant is paused or runs too many already.
func (m *member) spawn(call func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.paused || m.serving >= maxServed || m.ctx.Err() != nil {
		return false
	}
	m.serving++
	m.serv.Go(func() {
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.serving--
		}()
		call()
	})
	return true
}
