package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/agent"
)

// Script is a script that was read: an agent.Provider and the tools that go
// with it. It never changes and is safe for concurrent use.
type Script struct {
	steps  []step
	tools  []agent.Tool
	denied []string
	agents map[string]*Script
}

var _ agent.Provider = (*Script)(nil)

// Tools are the script's own tools, sorted by name. They take any object.
func (s *Script) Tools() []agent.Tool { return slices.Clone(s.tools) }

// Denied are the names of the tools that a policy is to reject.
func (s *Script) Denied() []string { return slices.Clone(s.denied) }

// Agents are the scripts of other agents, by the name of the tool that hands them
// a task.
func (s *Script) Agents() map[string]*Script { return maps.Clone(s.agents) }

// Respond is the step that is due: as many are past as the assistant called
// tools since the user last spoke. After the last one it answers that the script
// has ended. When no tools are offered, a step that calls some answers with its
// narrative instead.
func (s *Script) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	due := past(req.Messages)
	if due >= len(s.steps) {
		return agent.Response{Text: fmt.Sprintf("The script has ended after its %d steps.", len(s.steps))}, ctx.Err()
	}
	st := s.steps[due]
	if err := wait(ctx, st.DelayMS); err != nil {
		return agent.Response{}, fmt.Errorf("step %d of the script: %w", due+1, err)
	}
	switch {
	case st.Error != nil:
		return agent.Response{}, errors.New(*st.Error)
	case st.Text != nil:
		return agent.Response{Text: *st.Text}, nil
	case len(req.Tools) == 0:
		return agent.Response{Text: st.withheld()}, nil
	}
	return agent.Response{Text: st.Narrative, Calls: st.calls()}, nil
}

func past(messages []agent.Message) (steps int) {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Role == agent.RoleUser:
			return steps
		case m.Role == agent.RoleAssistant && len(m.Calls) > 0:
			steps++
		}
	}
	return steps
}

func (s step) withheld() string {
	if strings.TrimSpace(s.Narrative) != "" {
		return s.Narrative
	}
	return fmt.Sprintf("The script calls %s here, but no tools are offered.", s.Calls[0].Name)
}

func (s step) calls() []agent.Call {
	out := make([]agent.Call, len(s.Calls))
	for i, c := range s.Calls {
		out[i] = agent.Call{ID: c.ID, Name: c.Name, Arguments: slices.Clone(c.Arguments), Reasoning: c.Rationale}
	}
	return out
}

// scripted is a tool that does as the script says.
type scripted struct {
	name string
	does outcome
}

func (t *scripted) Spec() agent.Spec {
	return agent.Spec{
		Name:        t.name,
		Description: "A scripted tool: it takes anything and answers what the script says.",
		Schema:      &jsonschema.Schema{Type: "object"},
		Approval:    t.does.mode,
	}
}

func (t *scripted) Run(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	if err := wait(ctx, t.does.DelayMS); err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	switch {
	case t.does.Panic != nil:
		panic(*t.does.Panic)
	case t.does.Error != nil:
		return nil, errors.New(*t.does.Error)
	}
	return slices.Clone(t.does.Result), nil
}

// wait is a delay that ends early, with an error, when ctx does.
func wait(ctx context.Context, ms int64) error {
	if ms == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
