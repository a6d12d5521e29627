package agui

import (
	"slices"
	"time"

	"candor/session"
)

// View says how one client sees a thread.
type View struct {
	Thread          string // the client's name for it
	Version1        bool   // the client speaks 1.0, else 0.x
	Reasoning       Level
	UserMessages    bool          // include the user's messages
	Observed        bool          // the thread has the turns of somebody else's agent, side by side
	Model           string        // named in usage; may be empty
	ApprovalTimeout time.Duration // how long an approval stays open; 0 means unknown

	// EncryptedReasoning returns what the client has to send back for the provider, for
	// the first call of a step or, if call is empty, for the step that answered; "" if there
	// is nothing. It may be nil.
	EncryptedReasoning func(turn int, call string) string
}

// Projector turns the events of a thread's log into AG-UI events. Its output depends
// only on the events it was given, not on when. It is not safe for concurrent use.
//
// It guarantees that runs do not overlap, that a rationale comes before its call and a call
// before its result, and that everything it opens is closed before the run ends. Ids are
// derived from the log, so two projections of the same events are equal. It leaves out
// events about the thread and about messages that wait behind the turn, and the reasoning
// above the client's level. It also leaves out what others say within the turns of an
// observed thread. Of those, which are open side by side, a run ends where another turn's
// event comes.
type Projector struct {
	View
	log       []Event // the output for the current event
	turn      session.Turn
	run       string               // the id of the open run, "" if none is open
	at        time.Time            // of the current event
	runs      map[int]int          // begun in the current turn; of an observed thread in every turn
	steps     []session.Step       // open, oldest first
	subagents []string             // open, oldest first
	since     map[string]time.Time // when each agent began its current step
	usage     usage
	answered  map[string]bool // calls that this client answered: true with a result, false with an approval
	sightings map[int]*sightedTurn
}

// NewProjector returns a projector with no run open.
func NewProjector(v View) *Projector {
	return &Projector{
		View: v, runs: map[int]int{}, since: map[string]time.Time{}, answered: map[string]bool{},
		sightings: map[int]*sightedTurn{},
	}
}

// Open reports whether a run is open.
func (p *Projector) Open() bool { return p.run != "" }

// Begin opens a run before its first event. about is an event of the turn that the run
// shows.
func (p *Projector) Begin(run, parent string, about session.Event) []Event {
	p.log, p.at, p.turn = nil, about.At, session.Turn{Number: about.Turn}
	p.begin(run, parent, about)
	return p.log
}

// Expect records that this client answered a call, with a result or with an approval.
// The run stays open until the answer has taken effect, and the client is not sent the
// result that it gave.
func (p *Projector) Expect(call string, result bool) { p.answered[call] = result }

// Project returns the AG-UI events for an event of the thread, in order. t is the turn
// that e led to. It opens a run if none is open, and closes it with the turn or when the
// turn waits for the front end.
func (p *Projector) Project(t session.Turn, e session.Event) []Event {
	p.log = nil
	if e.Turn == 0 || p.leftOut(t, e) {
		return nil // about the thread, or nothing that a run shows
	}
	if p.Open() && p.turn.Number != e.Turn {
		if !p.Observed {
			return nil // about a message queued behind this turn
		}
		p.finish(&Outcome{Type: "success"}) // its next event opens another run
	}
	if e.Turn != p.turn.Number && !p.Observed {
		clear(p.runs)
	}
	p.turn, p.at = t, e.At
	if !p.Open() {
		p.runs[e.Turn]++
		p.begin(runID(e.Turn, p.runs[e.Turn]), "", e)
	}
	if b, ok := e.Body.(session.Sighted); ok {
		p.sighted(t, e, b)
	} else {
		p.body(t, e)
	}
	switch {
	case p.Open() && t.State.Ended(): // what comes late has a run of its own
		p.finish(&Outcome{Type: "success"})
	case p.Open():
		p.pause(t)
	}
	return p.log
}

// body projects what happened, apart from the run that shows it.
func (p *Projector) body(t session.Turn, e session.Event) {
	switch b := e.Body.(type) {
	case session.TurnStarted:
		p.since[""] = e.At
		if p.UserMessages && !b.Input.Empty() {
			p.text(b.Message, "user", b.Input.String())
		}
	case session.Narrated:
		p.step(e.Agent, b.Step)
		p.narrated(e, b)
	case session.ToolCalled:
		p.step(e.Agent, b.Step)
		p.called(t, e, b)
	case session.StepWaits:
		p.forward(t, e.Agent, b.Step)
	case session.ApprovalAnswered:
		p.approved(t, b)
	case session.ToolReturned:
		p.returned(t, b)
	case session.Handoff:
		p.usage.add(b.Usage, false)
		p.handoff(e, b)
	case session.StepEnded:
		p.usage.add(b.Usage, e.Agent == "")
		p.since[e.Agent] = e.At
		p.endStep(e.Agent, b.Step)
	case session.TurnCompleted:
		p.usage.add(b.Usage, true)
		p.answerReasoning(t)
		p.concluded(e, b)
		p.finish(&Outcome{Type: "success"})
	case session.Answered:
		p.text(responseID(e.Turn), "assistant", b.Response.String())
	case session.TurnFailed:
		p.fail("turn_failed", b.Error.String())
	case session.TurnInterrupted:
		p.cancel()
	}
}

func (p *Projector) add(e Event) { p.log = append(p.log, e) }

// of returns the head of an event that belongs to an agent.
func (p *Projector) of(agent string, t Type) Head {
	h := newHead(t, p.at)
	if p.Version1 {
		h.Subagent = subagentID(p.turn.Number, agent)
	}
	return h
}

// begin opens a run.
func (p *Projector) begin(run, parent string, about session.Event) {
	p.run, p.usage = run, usage{}
	r := &Run{Head: newHead(RunStarted, p.at), ThreadID: p.Thread, RunID: run, ParentRunID: parent}
	r.Metadata = Metadata{metaRun: runMeta{about.Session, about.Thread, about.Turn}}
	if p.Version1 {
		r.ProtocolVersion = protocolVersion
	}
	p.add(r)
}

// runMeta identifies a run's turn in our terms.
type runMeta struct {
	Session string `json:"session_id"`
	Thread  string `json:"thread_id"`
	Turn    int    `json:"turn_number"`
}

// step opens a step, and the sub-agent it belongs to, unless they are open.
func (p *Projector) step(agent string, number int) {
	p.subagent(agent, nil)
	if !slices.ContainsFunc(p.steps, isStep(agent, number)) {
		p.steps = append(p.steps, session.Step{Agent: agent, Number: number})
		p.add(&Step{p.of(agent, StepStarted), stepName(agent, number)})
	}
}

func isStep(agent string, number int) func(session.Step) bool {
	return func(s session.Step) bool { return s.Agent == agent && s.Number == number }
}

// endStep closes a step if it is open.
func (p *Projector) endStep(agent string, number int) {
	at := slices.IndexFunc(p.steps, isStep(agent, number))
	if at < 0 {
		return
	}
	p.steps = slices.Delete(p.steps, at, at+1)
	p.add(&Step{p.of(agent, StepFinished), stepName(agent, number)})
}

// text shows a complete text message.
func (p *Projector) text(id, role, words string) {
	p.add(&Start{newHead(TextStart, p.at), id, role})
	p.add(&Content{newHead(TextContent, p.at), id, words})
	p.add(&Mark{newHead(TextEnd, p.at), id})
}

// leftOut reports whether no run shows an event: of a message that waits behind the turn, and
// of an observed turn what others say within it, and a second event about what is shown already:
// who asked for the turn, or a call that was proposed before it was made. What is heard of the turn of
// another program's agent after its end is in the history. What the user thinks of a decision is for
// the user's own pages.
func (p *Projector) leftOut(t session.Turn, e session.Event) bool {
	switch b := e.Body.(type) {
	case session.TurnQueued, session.Noted, session.DecisionRated:
		return true
	case session.Sighted:
		was := p.sightings[e.Turn]
		return was != nil && was.over
	case session.TurnStarted:
		return !t.StartedAt.Equal(e.At)
	case session.ToolCalled:
		c, _ := t.Call(b.Call)
		return !c.StartedAt.Equal(e.At)
	}
	return false
}

// concluded shows the answer that ends a turn. An observed one may have a conclusion instead,
// which is reasoning, and neither.
func (p *Projector) concluded(e session.Event, b session.TurnCompleted) {
	if !b.Conclusion.Empty() && p.Reasoning != Hidden {
		p.reason("", conclusionID(e.Turn), b.Conclusion.String(), reasoningMeta{About: "conclusion"})
	}
	if !b.Response.Empty() || !p.Observed {
		p.text(responseID(e.Turn), "assistant", b.Response.String())
	}
}

// sightedTurn is what was shown of a turn of another program's agent. Channels tell its facts in any order, and more
// than once; a client is shown each once, as it was known then, and the history has how the turn is now.
type sightedTurn struct {
	narrated map[string]bool // by the id of the message
	calls    map[string]bool // true once the result was shown, too
	over     bool
}

// sighted shows what a channel saw, as far as nothing of it was shown before.
func (p *Projector) sighted(t session.Turn, e session.Event, b session.Sighted) {
	was := p.sightings[t.Number]
	if was == nil {
		was = &sightedTurn{narrated: map[string]bool{}, calls: map[string]bool{}}
		p.sightings[t.Number] = was
	}
	if t.FirstSeq == e.Seq && p.UserMessages && !t.Input.Empty() {
		p.text(t.Message, "user", t.Input.String())
	}
	for _, s := range b.Sightings {
		if c, ok := t.Call(s.Call); ok {
			p.sightedCall(t, e, c, was)
		}
	}
	if !t.State.Ended() {
		return
	}
	// What is heard of the turn from now on is left out, so that no more of it is kept.
	for _, s := range t.Steps {
		p.sightedStep(e, s, was)
	}
	*was = sightedTurn{over: true}
	switch t.State {
	case session.Failed:
		p.fail("turn_failed", t.Error.String())
	case session.Interrupted:
		p.cancel()
	default:
		p.concluded(e, session.TurnCompleted{Response: t.Response})
	}
}

// sightedCall shows a call after the narrative of its step, and its result once there is one.
func (p *Projector) sightedCall(t session.Turn, e session.Event, c session.Call, was *sightedTurn) {
	ended, known := was.calls[c.ID]
	if !known {
		at := slices.IndexFunc(t.Steps, isStep(c.Agent, c.Step))
		if at >= 0 {
			p.sightedStep(e, t.Steps[at], was)
		}
		e.Agent = c.Agent
		p.step(c.Agent, c.Step)
		p.called(t, e, session.ToolCalled{Step: c.Step, Call: c.ID, Rationale: c.Rationale})
		was.calls[c.ID] = false
	}
	if ended || c.Outcome == session.Pending {
		return
	}
	// The turn may have ended with the same event: the result is no late one.
	t.State = session.Processing
	p.returned(t, session.ToolReturned{
		Call: c.ID, Outcome: c.Outcome, Result: c.Result, Error: c.Error, Took: c.Took,
	})
	was.calls[c.ID] = true
}

// sightedStep shows the narrative of a step, once there is one.
func (p *Projector) sightedStep(e session.Event, s session.Step, was *sightedTurn) {
	id := narrativeID(e.Turn, s.Agent, s.Number)
	if was.narrated[id] || s.Narrative.Empty() && !s.Sealed.Known() && s.Stop == "" {
		return
	}
	was.narrated[id] = true
	e.Agent = s.Agent
	p.step(s.Agent, s.Number)
	p.narrated(e, session.Narrated{
		Step: s.Number, Text: s.Narrative, Source: s.NarrativeSource, Blocked: s.NarrativeBlocked, Sealed: s.Sealed,
		Thought: s.Thought, Stop: s.Stop,
	})
}
