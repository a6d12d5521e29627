package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"candor/safety"
	"candor/session"
)

// DefaultMaxSteps is how often the model may speak in a turn.
const DefaultMaxSteps = 50

// Recorder takes what happened, in order: a thread's log, or a job's poster.
type Recorder interface {
	Record(session.Body) error
}

// What a Recorder may be able to do besides. A dispatcher that finds an ability
// missing does without: no approval is given, no sub-agent runs, nothing opaque
// outlives the turn.
type (
	// Approver asks a person whether a call may run.
	Approver interface {
		// Ask puts the question and returns what waits for its answer: until a
		// person answers, it expires, or the context ends. nil means that the call
		// may run unasked. Tool is cleaned.
		Ask(call string, tool, description safety.Text, mode Approval) (wait func(context.Context) session.Answer)
	}
	// AgentRecorder records what another agent does in the same turn.
	AgentRecorder interface {
		ForAgent(agent string) Recorder
	}
	// OpaqueKeeper keeps a step's opaque reasoning for later turns, by the id of
	// the step's first call.
	OpaqueKeeper interface {
		Keep(call string, items []Opaque)
	}
	// FrontEnd runs a turn's own tools where the user sees the turn.
	FrontEnd interface {
		// Hand gives a call away and returns what waits for its result: until the
		// front end answers, it is too late, or the context ends.
		Hand(call string) (wait func(context.Context) (json.RawMessage, error))
	}
)

// Policy decides whether a call may run. An error rejects the call, and its text
// tells the model and the user why. Policies run one after another in the order
// of the calls.
type Policy func(ctx context.Context, tool string, args []byte) error

// Dispatcher runs turns. Its fields are set before the first and not changed; it
// is then safe for concurrent use.
type Dispatcher struct {
	Provider     Provider
	Model        string // what the provider's model is called, for counting
	Tools        *Toolbox
	Safety       *safety.Layer
	Policy       Policy              // nil lets every call run
	MaxSteps     int                 // 0 means DefaultMaxSteps
	MaxTurnBytes int                 // bytes that a turn begun here may hold; 0 means DefaultMaxTurnBytes
	Approval     map[string]Approval // by tool name, instead of the tool's own
	Log          *slog.Logger        // gets no text that a model, tool or user wrote

	unrecorded atomic.Int64
	coverage   coverage
}

// Unrecorded is how many events could not be recorded since the start.
func (d *Dispatcher) Unrecorded() int64 { return d.unrecorded.Load() }

const (
	nudge = "You are close to the limit of tool calls for this turn. " +
		"Answer in the next step with what you have."
	noAnswer = "The model ended its turn without an answer."
)

// ErrTooManySteps ends a turn whose model calls tools even when it is given none.
var ErrTooManySteps = errors.New("the model did not come to an answer")

// Run takes a turn from its first step to its end, which it records in every
// case. messages is the conversation so far, the user's message last; own are tools
// that only this turn has. The error says why a turn failed or was interrupted and
// may hold raw text: log its type, not its words.
func (d *Dispatcher) Run(ctx context.Context, rec Recorder, messages []Message, own ...Tool) error {
	t := &turn{Dispatcher: d, rec: rec, messages: messages, own: own, shared: &shared{}}
	t.limit = int64(cmp.Or(d.MaxTurnBytes, DefaultMaxTurnBytes))
	answer, err := t.loop(ctx)
	switch {
	case ctx.Err() != nil:
		t.record(session.TurnInterrupted{})
		return ctx.Err()
	case err != nil:
		text, report := d.Safety.Mask(err.Error())
		t.record(session.TurnFailed{Error: text, Findings: report.Findings})
		return err
	}
	text, report := d.Safety.Mask(stripThinking(answer.Text))
	if text.Empty() {
		text = safety.Literal(noAnswer)
	}
	t.record(session.TurnCompleted{Response: text, Usage: session.Usage(answer.Usage), Findings: report.Findings})
	return nil
}

// turn is one agent's run in a turn; it belongs to the goroutine that runs it.
type turn struct {
	*Dispatcher
	rec      Recorder
	agent    string // empty is the one the user speaks to
	messages []Message
	own      []Tool // that only this turn has, besides those of the toolbox
	*shared
}

// shared is what all agents of a turn count together.
type shared struct {
	room
	calls  atomic.Int64 // made, for their ids
	groups atomic.Int64 // parallel groups that ran
	agents atomic.Int64 // sub-agents that were started
}

// loop asks the model until it answers in text.
func (t *turn) loop(ctx context.Context) (answer Response, err error) {
	limit := t.MaxSteps
	if limit == 0 {
		limit = DefaultMaxSteps
	}
	for step := 1; step <= limit; step++ {
		tools := t.Tools.set().with(t.own)
		req := Request{Tools: slices.Clone(tools.specs)}
		switch step {
		case limit:
			req.Tools = nil
		case limit - 1:
			t.messages = append(t.messages, Message{Role: RoleSystem, Text: nudge})
		}
		req.Messages = t.messages
		resp, err := t.ask(ctx, req)
		if err != nil {
			return Response{}, fmt.Errorf("the model provider failed: %w", err)
		}
		if len(resp.Calls) == 0 || (step == limit && strings.TrimSpace(resp.Text) != "") {
			return resp, nil
		}
		if step == limit {
			break
		}
		if !t.take(resp.size()) {
			return Response{}, t.tooLarge()
		}
		t.step(ctx, step, resp, tools)
		if ctx.Err() != nil {
			return Response{}, ctx.Err()
		}
	}
	return Response{}, fmt.Errorf("%w in %d steps", ErrTooManySteps, limit)
}

// ask calls the provider; a panic in one is its failure, not ours.
func (t *turn) ask(ctx context.Context, req Request) (resp Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return t.Provider.Respond(ctx, req)
}

// step records what the model said, runs what it asked for, and adds both to the
// conversation.
func (t *turn) step(ctx context.Context, number int, resp Response, tools *toolset) {
	t.narrate(number, resp)
	b := t.newBatch(number, resp, tools)
	if k, ok := t.rec.(OpaqueKeeper); ok && len(resp.Opaque) > 0 {
		k.Keep(b.attempts[0].id, resp.Opaque) // first, so that who sees the call finds it
	}
	b.preflight(ctx)
	b.run(ctx)
	t.record(session.StepEnded{Step: number, Usage: session.Usage(resp.Usage)})
	t.messages = append(t.messages, b.messages(resp)...)
}

// narrate captures the text before the calls, or, where there is none, the
// provider's summary of the step. A blocked one is recorded without its words.
func (t *turn) narrate(step int, resp Response) {
	raw, source := stripThinking(resp.Text), session.FromModel
	if raw == "" {
		raw, source = stripThinking(resp.Summary), session.FromSummary
	}
	if raw == "" {
		return
	}
	text, report := t.Safety.Clean(raw)
	blocked := report.Verdict == safety.Blocked
	if blocked {
		t.warnBlocked("narrative", step, report)
	}
	t.record(session.Narrated{Step: step, Text: text, Source: source, Blocked: blocked, Findings: report.Findings})
}

// record never stops the turn: what cannot be kept is counted and logged.
func (t *turn) record(b session.Body) {
	t.held.Add(eventCost)
	if err := t.rec.Record(b); err != nil {
		t.unrecorded.Add(1)
		t.Log.Warn("event not recorded", "event", fmt.Sprintf("%T", b), "error", err)
	}
}

func (t *turn) warnBlocked(what string, step int, report safety.Report) {
	t.Log.Warn("safety withheld text", "what", what, "step", step, "findings", report.Findings)
}
