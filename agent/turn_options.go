package agent

import (
	"context"
	"errors"

	"candor/session"
)

// ErrThreshold means that a turn's threshold is not a number from 0 to 1.
var ErrThreshold = errors.New("a threshold of confidence is a number from 0 to 1")

// TurnOptions are the optional parts of a turn. Only Workflow is stored.
type TurnOptions struct {
	Tools     []FrontEndTool   // tools that only this turn has
	Context   []Message        // messages the model sees just before the user's
	Runner    Runner           // works on the turn instead of the dispatcher's loop, unless nil
	Workflow  session.Workflow // set if the turn is the run of a workflow
	Message   string           // id of the message, as [session.Session.MessageID] makes them; "" for the next one
	Threshold *float64         // of the turn's confidence, from 0 to 1; nil leaves it to the dispatcher
}

// check reports a threshold that no confidence can be compared with.
func (o TurnOptions) check() error {
	if o.Threshold != nil && !isConfidence(*o.Threshold) {
		return ErrThreshold
	}
	return nil
}

// run runs the turn to its end.
func (o TurnOptions) run(ctx context.Context, d *Dispatcher, rec Recorder, messages []Message) error {
	if o.Runner != nil {
		return d.RunWith(ctx, rec, o.Runner)
	}
	return d.Run(ctx, rec, messages, o.tools()...)
}

func (o TurnOptions) tools() []Tool {
	tools := make([]Tool, len(o.Tools))
	for i, t := range o.Tools {
		tools[i] = t
	}
	return tools
}
