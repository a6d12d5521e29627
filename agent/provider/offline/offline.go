package offline

import (
	"context"
	"fmt"

	"candor/agent"
)

// Model is the offline model. The zero value is ready, and safe for concurrent
// use.
type Model struct{}

var _ agent.Provider = Model{}

// New returns the offline model.
func New() Model { return Model{} }

// Respond calls the tools of the step that is due or, when none is, answers from
// what the calls since the user's last message returned. It fails only when ctx
// has ended.
func (Model) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	if err := ctx.Err(); err != nil {
		return agent.Response{}, fmt.Errorf("the offline model was stopped: %w", err)
	}
	t := read(req.Messages)
	if len(req.Tools) == 0 {
		return agent.Response{Text: t.withoutTools()}, nil
	}
	p := makePlan(t.text, req.Tools)
	next := p.next(t)
	if len(next.actions) == 0 {
		return agent.Response{Text: p.answer(t, next)}, nil
	}
	return agent.Response{Text: next.narrative(), Calls: next.calls(t)}, nil
}
