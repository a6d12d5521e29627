package agent

import (
	"context"
	"fmt"
)

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
