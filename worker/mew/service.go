package mew

import (
	"encoding/json"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

// notServed is the error of a call that others may not make.
var notServed = safety.Literal("This participant has no such tool for others: there is none of this name, or a " +
	"person has to approve its calls.")

// service is a call that runs for another participant, and its recorder.
type service struct {
	begins   func() // called when the call has passed all checks; may be nil
	began    bool
	returned session.ToolReturned
	seen     *safety.SeenSecrets
}

var (
	_ agent.Recorder      = (*service)(nil)
	_ agent.CallAnnouncer = (*service)(nil)
	_ agent.SecretKeeper  = (*service)(nil)
)

// Seen implements agent.SecretKeeper.
func (s *service) Seen() *safety.SeenSecrets { return s.seen }

// Record implements agent.Recorder.
func (s *service) Record(b session.Body) error {
	if r, ok := b.(session.ToolReturned); ok {
		s.returned = r
	}
	return nil
}

// CallRuns implements agent.CallAnnouncer.
func (s *service) CallRuns(string, json.RawMessage) {
	if s.began = true; s.begins != nil {
		s.begins()
	}
}

// callFor makes a call for another participant, with all checks of the agent's own.
func (m *member) callFor(s *service, in rpc) {
	if _, ok := m.served(in.Params.Name); !ok {
		s.returned = session.ToolReturned{Outcome: session.Rejected, Error: notServed}
		return
	}
	s.seen = m.seen
	ctx := agent.WithUser(m.ctx, m.user())
	m.Dispatcher.Call(ctx, s, agent.Call{Name: in.Params.Name, Arguments: in.Params.Arguments})
}

// served returns the tool of a name if others may call it.
func (m *member) served(name string) (agent.Spec, bool) {
	for _, spec := range m.Dispatcher.Tools.Specs() {
		if spec.Name == name {
			return spec, m.serves(spec)
		}
	}
	return agent.Spec{}, false
}

// consider fulfils a proposal of another participant, or rejects it. Whoever only may propose is
// not trusted to call, so without a person only calls that change nothing are made.
func (m *member) consider(e envelope) {
	var in rpc
	e.read(&in)
	spec, ok := m.served(in.Params.Name)
	switch {
	case in.Method != "tools/call":
		m.reject(e, "unsupported", "This participant fulfils tools/call only.")
	case !ok:
		m.reject(e, "policy", notServed.String())
	case !spec.ReadOnly:
		m.reject(e, "policy", "The tool can change something, so a participant that may send requests has to call it.")
	case !m.maySend("mcp/request", object{"method": in.Method, "params": object{"name": in.Params.Name}}):
		m.reject(e, "policy", "The space does not allow this participant to fulfil proposals.")
	case !m.spawn(func() { m.runProposal(e, in) }):
		m.reject(e, "busy", "This participant is paused, or busy with other calls.")
	}
}

// reject answers a proposal that is not fulfilled.
func (m *member) reject(e envelope, reason, message string) {
	r, err := newEnvelope("mcp/reject", object{"reason": reason, "message": message})
	if err != nil {
		return
	}
	r.To, r.Context = []string{e.From}, e.Context
	m.say(r.about(e.ID))
}

// runProposal makes a call that another participant proposed: its own request to itself fulfils
// the proposal, as soon as the call has passed all checks.
func (m *member) runProposal(e envelope, in rpc) {
	request := ""
	s := &service{begins: func() {
		payload := object{"jsonrpc": "2.0", "id": "fulfilment", "method": "tools/call",
			"params": object{"name": in.Params.Name, "arguments": m.shownArguments(in)}}
		r, err := newEnvelope("mcp/request", payload)
		if err != nil {
			return
		}
		r.To, r.Context = []string{m.self()}, e.Context
		request = m.say(r.about(e.ID))
	}}
	m.callFor(s, in)
	if !s.began {
		m.reject(e, "policy", s.returned.Error.String())
		return
	}
	answer, err := newEnvelope("mcp/response", response(json.RawMessage(`"fulfilment"`), s.returned))
	if err != nil {
		return
	}
	answer.To, answer.Context = []string{e.From}, e.Context
	m.say(answer.about(request))
}

// shownArguments returns the arguments of a proposal, cleaned.
func (m *member) shownArguments(in rpc) safety.JSON {
	cleaned, _ := m.layer().CleanJSON(in.Params.Arguments)
	return cleaned
}

// self returns the participant's id.
func (m *member) self() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.id
}

// user returns on whose behalf tools run: of the space as a whole, whose participants share what
// tools remember.
func (m *member) user() string { return "space " + m.Space }
