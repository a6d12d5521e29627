package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// DefaultMaxSteps is the default limit of steps in a turn. The loop nudges the model one step
// before the last, and gives it no tools in the last one.
const DefaultMaxSteps = 50

// noAnswer is recorded in place of an answer that is empty without its thoughts.
const noAnswer = "The model ended its turn without an answer."

// ErrTooManySteps ends a turn whose model calls tools even in a step without tools.
var ErrTooManySteps = errors.New("the model did not come to an answer")

// Policy decides whether a call may run. An error rejects the call, and its text tells
// the model and the user why. args does not contain the rationale. Within a step the
// policy is called sequentially, in the order of the calls; turns call it concurrently. It
// learns the tool, its arguments and, from ctx, the user; not the thread. Of a tool that does
// not exist it learns the name.
type Policy func(ctx context.Context, tool Spec, args []byte) error

// Dispatcher runs turns. Its fields must be set before its first turn and not changed
// afterwards; it is then safe for concurrent use.
type Dispatcher struct {
	Provider     Provider
	Model        string // the provider's model, for Coverage and for hand-offs
	Effort       string // of reasoning, which the provider asks of the model, for hand-offs; empty for its default
	Tools        *Toolbox
	Safety       *safety.Layer
	Policy       Policy              // nil allows every call
	MaxSteps     int                 // 0 means DefaultMaxSteps
	MaxTurnBytes int                 // memory budget of a turn; 0 means DefaultMaxTurnBytes
	Approval     func(Spec) Approval // overrides Spec.Approval; nil leaves it
	Confidence   Confidence          // what becomes of calls of which the model is not sure
	Stream       bool                // pass on the model's text while it speaks, to a TextStreamer
	Log          *slog.Logger        // never receives text of a model, tool or user

	// Price returns what an answer of a model cost, in nano-dollars, and whether that is known. Nil means
	// that nobody wants to know.
	Price func(model string, u Usage) (nanos int64, known bool)

	// OnStep, if it is not nil, is called after each step that called tools with what the step cost
	// besides its model, its tools and waiting: cleaning, checking and recording. Turns call it
	// concurrently.
	OnStep func(worked time.Duration)

	unrecorded  atomic.Int64
	coverage    coverageCounter
	schemas     schemaCache
	thinksAloud thinksAloud
}

// Unrecorded returns how many events could not be recorded since the dispatcher was
// made.
func (d *Dispatcher) Unrecorded() int64 { return d.unrecorded.Load() }

// Run runs a turn to its end and records how it ended, in every case. messages is the
// conversation so far and ends with the user's message; own are tools that only this
// turn has. The error says why the turn failed or was interrupted. It may contain raw
// text: log its type, not its words.
func (d *Dispatcher) Run(ctx context.Context, rec Recorder, messages []Message, own ...Tool) error {
	r := d.newRun(ctx, rec, messages, own)
	return r.finish(ctx, r.loop)
}

// finish calls work, which returns the turn's answer, and records how the turn ended.
func (r *agentRun) finish(ctx context.Context, work func(context.Context) (Response, error)) error {
	answer, err := work(ctx)
	e, ok := r.rec.(ender)
	switch {
	case ctx.Err() != nil, ok && !e.ends(ctx):
		r.end(interruption(ctx))
		return ctx.Err()
	case isFull(err):
		r.end(session.TurnFailed{Error: noRoom})
		return err
	case err != nil:
		text, report := r.Safety.Mask(err.Error())
		ended, _ := errors.AsType[stopError](err)
		r.end(session.TurnFailed{Error: text, Stop: ended.why, Findings: report.Findings})
		return err
	}
	text, report := r.Safety.Mask(thinking.Strip(answer.Text))
	if text.Empty() {
		text = safety.Literal(noAnswer)
	}
	r.end(session.TurnCompleted{
		Response: text, Stop: answer.Stop, Usage: session.Usage(answer.Usage), Spent: r.spent(answer),
		Findings: report.Findings,
	})
	return nil
}

// newRun returns the run of a turn's lead agent.
func (d *Dispatcher) newRun(ctx context.Context, rec Recorder, messages []Message, own []Tool) *agentRun {
	totals := &turnTotals{seen: seenBy(rec)}
	r := &agentRun{
		Dispatcher: d, Safety: d.Safety.Remember(totals.seen), rec: rec, messages: messages,
		own: d.bindOwn(ctx, own), turnTotals: totals,
	}
	if t, ok := rec.(ThresholdHolder); ok {
		totals.threshold = t.Threshold()
	}
	r.bindDecide(ctx)
	r.limit = int64(cmp.Or(d.MaxTurnBytes, DefaultMaxTurnBytes))
	if h, ok := rec.(MemoryHolder); ok {
		r.hold = h.Hold
	}
	return r
}

// end records how the turn ended. Where there is no room for it, the turn fails, and says so.
func (r *agentRun) end(b session.Body) {
	if isFull(r.record(b)) {
		_ = r.record(session.TurnFailed{Error: noRoom})
	}
}

// Call makes one call that another agent asks for, outside of any turn. The call passes the same
// checks as a model's: its arguments fit the schema, the policy allows it, a person approves it
// where that is necessary. rec gets its session.ToolCalled and session.ToolReturned, which says
// how it ended. A reason in the arguments becomes the call's rationale.
func (d *Dispatcher) Call(ctx context.Context, rec Recorder, c Call) {
	r := d.newRun(ctx, rec, nil, nil)
	resp := Response{Calls: []Call{c}}
	r.learn(resp)
	b := r.newBatch(1, resp, r.Tools.current())
	b.preflight(ctx)
	b.run(ctx)
}

// Runner works on a turn in place of the dispatcher's own loop, such as on one whose steps are
// the nodes of a workflow.
type Runner interface {
	// Run works until the turn has an answer, and returns it. It records through rec what
	// happens meanwhile, but not the turn's end, which the dispatcher records.
	Run(ctx context.Context, rec Recorder) (Response, error)
}

// RunWith is Run for a turn that by works on. If it panics, the turn fails.
func (d *Dispatcher) RunWith(ctx context.Context, rec Recorder, by Runner) error {
	r := d.newRun(ctx, rec, nil, nil)
	return r.finish(ctx, func(ctx context.Context) (answer Response, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = runnerError{fmt.Errorf("panic: %v", p)}
			}
		}()
		if answer, err = by.Run(ctx, rec); err != nil {
			err = runnerError{err}
		}
		return answer, err
	})
}

// runnerError is why a runner did not come to an answer.
type runnerError struct{ error }

func (e runnerError) Unwrap() error { return e.error }

// With returns a dispatcher with another model and other tools, to which d's rules apply. It
// does not stream, and has the default limit of steps.
func (d *Dispatcher) With(p Provider, tools *Toolbox) *Dispatcher {
	return &Dispatcher{
		Provider: p, Tools: tools, Safety: d.Safety, Policy: d.Policy, Approval: d.Approval,
		Confidence: d.Confidence, MaxTurnBytes: d.MaxTurnBytes, Log: d.Log, Price: d.Price,
	}
}

// Answer runs the loop of an agent within a turn that a Runner works on, and returns what the
// agent answers. The turn goes on. Since calls are numbered from 1, a turn may have one such agent.
func (d *Dispatcher) Answer(ctx context.Context, rec Recorder, messages []Message) (Response, error) {
	return d.newRun(ctx, rec, messages, nil).loop(ctx)
}
