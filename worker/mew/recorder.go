package mew

import (
	"encoding/json"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

// recording is what a turn needs of its recorder.
type recording interface {
	agent.Recorder
	agent.AgentRecorder
}

// recorder says what one agent of a turn records in the space. The steps of an agent do not
// overlap.
type recorder struct {
	*turn
	agent string // empty for the lead agent
}

var (
	_ recording           = (*recorder)(nil)
	_ agent.CallAnnouncer = (*recorder)(nil)
	_ agent.SecretKeeper  = (*recorder)(nil)
	_ agent.TextStreamer  = (*recorder)(nil)
	_ agent.Approver      = (*askingRecorder)(nil)
)

// Seen implements agent.SecretKeeper.
func (r *recorder) Seen() *safety.SeenSecrets { return r.seen }

// ForAgent implements agent.AgentRecorder.
func (r *recorder) ForAgent(id string) agent.Recorder { return &recorder{turn: r.turn, agent: id} }

// Record implements agent.Recorder. Its text was cleaned by the agent loop.
func (r *recorder) Record(b session.Body) error {
	r.observe(r.agent, b)
	switch b := b.(type) {
	case session.Narrated:
		r.narrate(b)
	case session.ToolCalled:
		r.recordCall(b)
	case session.ToolReturned:
		r.recordResult(b)
	case session.Handoff:
		r.handOff(b)
	case session.TurnCompleted:
		r.conclude(object{"message": firstSentence(b.Response.String())})
		r.sayAnswer(b.Response.String())
	case session.TurnFailed:
		r.conclude(object{"message": "It failed: " + b.Error.String(), "failed": true})
		r.sayAnswer("I could not answer: " + b.Error.String())
	case session.TurnInterrupted:
		r.breakOff()
	}
	return nil
}

// think says a thought of the agent and returns its id. A turn that was stopped has no more
// thoughts.
func (r *recorder) think(payload object, about ...string) (id string) {
	path := r.path(r.agent)
	if path == "" || r.hasStopped() {
		return ""
	}
	return r.tell("reasoning/thought", path, nil, payload, about...)
}

// narrate says what the model wrote before its calls, or its provider's summary.
func (r *recorder) narrate(b session.Narrated) {
	if !b.Thought.Empty() {
		r.think(object{"message": b.Thought.String(), "source": session.FromSummary})
	}
	if b.Stop != "" {
		defer r.think(object{"message": "Why it stopped: " + b.Stop.Words() + ".", "stop": b.Stop})
	}
	switch {
	case b.Text.Empty() && !b.Blocked: // all of it is sealed, for which a space has no words
	case b.Blocked:
		r.think(object{"message": "Safety withheld this thought.", "withheld": true})
	case b.Source == session.FromSummary:
		r.think(object{"message": b.Text.String(), "source": b.Source})
	default:
		r.think(object{"message": b.Text.String()})
	}
}

// recordCall says why the agent makes a call. The request follows when the call runs.
func (r *recorder) recordCall(b session.ToolCalled) {
	c := r.newCall(b)
	payload := object{"message": b.Rationale.Text.String(), "action": "tool", "actionInput": object{"tool": c.tool}}
	if b.Rationale.Source != session.FromModel {
		payload["source"] = b.Rationale.Source
	}
	if b.Group != nil {
		payload["parallel_group"] = *b.Group
	}
	c.path = r.path(r.agent)
	c.thought = r.think(payload)
	r.lock.Lock()
	defer r.lock.Unlock()
	r.calls[b.Call] = c
}

// call returns a call of the turn, which is nil for an unknown one.
func (t *turn) call(id string) *ownCall {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.calls[id]
}

// CallRuns implements agent.CallAnnouncer. It makes the request: to the participant that has the
// tool, which will answer, or to itself, so that the space sees the call.
func (r *recorder) CallRuns(id string, arguments json.RawMessage) {
	if c := r.call(id); c != nil {
		r.request(c, arguments)
	}
}

// recordResult says how a call ended, unless its answer came from another participant.
func (r *recorder) recordResult(b session.ToolReturned) {
	c := r.call(b.Call)
	if c == nil {
		return
	}
	r.answerOwn(c, b)
	r.lock.Lock()
	delete(r.calls, b.Call)
	r.lock.Unlock()
	r.forgetCall(c)
}

// handOff opens the context of a sub-agent when it gets its task, and concludes it when it
// returns its answer.
func (r *recorder) handOff(b session.Handoff) {
	if b.From == r.agent && b.To != r.agent && r.path(b.To) == "" {
		r.openContext(b)
		return
	}
	path := r.path(r.agent)
	if path == "" {
		return
	}
	payload := object{"message": b.Text.String()}
	if r.hasStopped() {
		payload = object{"message": "Stopped together with its turn.", "cancelled": true}
	}
	r.tell("reasoning/conclusion", path, nil, payload)
}

// openContext starts the reasoning of a sub-agent below that of its caller.
func (r *recorder) openContext(b session.Handoff) {
	parent := r.path(r.agent)
	if parent == "" || r.hasStopped() {
		return
	}
	about := ""
	if c := r.call(b.Call); c != nil {
		about = r.answeredAs(c)
	}
	e, err := newEnvelope("reasoning/start", object{"message": b.Text.String(), "agent": b.To})
	if err != nil {
		return
	}
	if r.open(b.To, parent+"/"+e.ID, e.ID); r.say(e.inContext(parent).about(about)) == "" {
		r.open(b.To, "", "")
	}
}
