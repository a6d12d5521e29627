package agui

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"candor/session"
)

// View is what one client is shown, and how.
type View struct {
	Thread    string // as the client names it
	Version1  bool   // it speaks 1.0; else 0.x
	Reasoning Level
	Words     bool          // restate what the user said
	Model     string        // for usage; may be empty
	Patience  time.Duration // how long a question stays open; 0 means nobody knows

	// Sealed is what a client has to bring back with a step of ours, by the step's
	// first call; "" when there is nothing. It may be nil.
	Sealed func(turn int, call string) string
}

// Projector turns a thread's log into runs. It is a pure function of the events it
// was given. It is not safe for concurrent use.
type Projector struct {
	View
	log       []Event // what the event at hand has become so far
	turn      session.Turn
	run       string // "" while none is open
	at        time.Time
	runs      int                  // begun in the turn
	steps     []session.Step       // open, oldest first
	subagents []string             // open, oldest first
	since     map[string]time.Time // when an agent began to think
	usage     usage
	answered  map[string]bool // calls that this client has answered; whether with a result
}

// NewProjector returns a projector with no run open.
func NewProjector(v View) *Projector {
	return &Projector{View: v, since: map[string]time.Time{}, answered: map[string]bool{}}
}

// Open reports whether a run is open.
func (p *Projector) Open() bool { return p.run != "" }

// Begin opens a run before its first event. about says which of our turns it shows.
func (p *Projector) Begin(run, parent string, about session.Event) []Event {
	p.log, p.at, p.turn = nil, about.At, session.Turn{Number: about.Turn}
	p.begin(run, parent, about)
	return p.log
}

// Expect says that this client has answered a call, by its result or by whether it
// may run. The run goes on until that has taken effect, and the client is not told a
// result that it has given.
func (p *Projector) Expect(call string, result bool) { p.answered[call] = result }

// Project gives the AG-UI events of an event of the thread, in order. t is the turn
// with the event folded in.
func (p *Projector) Project(t session.Turn, e session.Event) []Event {
	p.log = nil
	if e.Turn == 0 || p.Open() && p.turn.Number != e.Turn {
		return nil // about the thread; or a message that waits behind this turn
	}
	if _, waits := e.Body.(session.TurnQueued); waits {
		return nil
	}
	if e.Turn != p.turn.Number {
		p.runs = 0
	}
	p.turn, p.at = t, e.At
	if !p.Open() {
		p.runs++
		p.begin(runID(e.Turn, p.runs), "", e)
	}
	p.body(t, e)
	if p.Open() {
		p.pause(t)
	}
	return p.log
}

func (p *Projector) body(t session.Turn, e session.Event) {
	switch b := e.Body.(type) {
	case session.TurnStarted:
		p.since[""] = e.At
		if p.Words {
			p.text(b.Message, "user", b.Input.String())
		}
	case session.Narrated:
		p.step(e.Agent, b.Step)
		p.narrated(e, b)
	case session.ToolCalled:
		p.step(e.Agent, b.Step)
		p.called(e, b)
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
		p.text(responseID(e.Turn), "assistant", b.Response.String())
		p.finish(&Outcome{Type: "success"})
	case session.TurnFailed:
		p.fail("turn_failed", b.Error.String())
	case session.TurnInterrupted:
		p.cancel()
	}
}

func (p *Projector) add(e Event) { p.log = append(p.log, e) }

// of is the head of an event of an agent's.
func (p *Projector) of(agent string, t Type) Head {
	h := head(t, p.at)
	if p.Version1 {
		h.Subagent = subagentID(p.turn.Number, agent)
	}
	return h
}

func (p *Projector) begin(run, parent string, about session.Event) {
	p.run, p.usage = run, usage{}
	r := &Run{Head: head(RunStarted, p.at), ThreadID: p.Thread, RunID: run, ParentRunID: parent}
	r.Metadata = Metadata{metaRun: runMeta{about.Session, about.Thread, about.Turn}}
	if p.Version1 {
		r.ProtocolVersion = protocolVersion
	}
	p.add(r)
}

// runMeta is what a run is in our terms.
type runMeta struct {
	Session string `json:"session_id"`
	Thread  string `json:"thread_id"`
	Turn    int    `json:"turn_number"`
}

// step opens the step that an event belongs to, unless it is open.
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

func (p *Projector) endStep(agent string, number int) {
	at := slices.IndexFunc(p.steps, isStep(agent, number))
	if at < 0 {
		return
	}
	p.steps = slices.Delete(p.steps, at, at+1)
	p.add(&Step{p.of(agent, StepFinished), stepName(agent, number)})
}

func (p *Projector) text(id, role, words string) {
	p.add(&Start{head(TextStart, p.at), id, role})
	p.add(&Content{head(TextContent, p.at), id, words})
	p.add(&Mark{head(TextEnd, p.at), id})
}

// called shows a call, its reason first.
func (p *Projector) called(e session.Event, b session.ToolCalled) {
	if p.Reasoning == Full {
		p.reason(e.Agent, reasonID(e.Turn, b.Call), b.Rationale.Text.String(), reasoningMeta{
			About: "rationale", Source: b.Rationale.Source, Blocked: b.Rationale.Blocked, Step: b.Step, Call: b.Call,
		})
	}
	id := callID(e.Turn, b.Call)
	start := &Call{p.of(e.Agent, ToolStart), id, b.Tool.String()}
	start.Metadata = Metadata{metaCall: callMeta{b.Call, b.Step, b.Group, e.Agent}}
	p.add(start)
	p.add(&Args{p.of(e.Agent, ToolArgs), id, string(b.Params.Raw())})
	p.add(&Call{Head: p.of(e.Agent, ToolEnd), ToolCallID: id})
	if p.Sealed == nil || e.Agent != "" {
		return
	}
	if sealed := p.Sealed(e.Turn, b.Call); sealed != "" {
		p.add(&Encrypted{p.of(e.Agent, EncryptedValue), "tool-call", id, sealed})
	}
}

// callMeta is what AG-UI cannot say of a call.
type callMeta struct {
	Call  string `json:"call_id"`
	Step  int    `json:"step"`
	Group *int   `json:"parallel_group,omitempty"`
	Agent string `json:"agent,omitempty"`
}

// resultMeta is what AG-UI cannot say of a result.
type resultMeta struct {
	Outcome    session.Outcome `json:"outcome"`
	DurationMS int64           `json:"duration_ms"`
}

func (p *Projector) returned(t session.Turn, b session.ToolReturned) {
	c, ok := t.Call(b.Call)
	if !ok || c.FrontEnd && p.answered[b.Call] {
		return // the client has the result: it gave it
	}
	p.step(c.Agent, c.Step) // which an earlier run may have begun
	r := &Result{p.of(c.Agent, ToolResult), resultID(t.Number, b.Call), callID(t.Number, b.Call), content(b), "tool"}
	r.Metadata = Metadata{metaResult: resultMeta{b.Outcome, b.Took.Milliseconds()}}
	p.add(r)
}

// content is a result as text: a string without its quotes, all else as JSON.
func content(b session.ToolReturned) string {
	if b.Outcome != session.Success {
		return b.Error.String()
	}
	var s string
	if raw := b.Result.Raw(); json.Unmarshal(raw, &s) != nil || strings.TrimSpace(string(raw)) == "null" {
		return string(raw)
	}
	return s
}
