package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"candor/agent"
)

// mockModel is a model that takes its steps in their order and then answers.
type mockModel struct {
	steps  []agent.Response
	answer agent.Response
}

// Respond implements agent.Provider. The step that is due follows from the conversation.
func (m mockModel) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	done := 0
	for _, said := range req.Messages {
		if len(said.Calls) > 0 {
			done++
		}
	}
	if done < len(m.steps) {
		return m.steps[done], ctx.Err()
	}
	return m.answer, ctx.Err()
}

// model returns the model that follows the config. What it says comes with its first call.
func (m *mockAgent) model() mockModel {
	var steps []agent.Response
	add := func(tool string, args any) {
		raw, _ := json.Marshal(args) // of JSON and texts
		steps = append(steps, agent.Response{Calls: []agent.Call{{Name: tool, Arguments: raw}}})
	}
	for _, c := range m.Calls {
		add(c.Tool, json.RawMessage(cmp.Or(string(c.Arguments), "{}")))
	}
	if h := m.Handoff; h != nil {
		add(h.name(), map[string]string{"task": h.task()})
	}
	if len(steps) > 0 && m.Reasoning != nil {
		steps[0].Text, steps[0].Usage = m.Reasoning.text(), m.Reasoning.usage()
	}
	return mockModel{steps: steps, answer: agent.Response{Text: "The agent is done."}}
}

// usage returns the tokens of the reasoning.
func (r *mockReasoning) usage() agent.Usage {
	return agent.Usage{Output: r.TokenCount, Reasoning: r.TokenCount}
}

// task returns what the other agent is told.
func (h *mockHandoff) task() string {
	task := cmp.Or(h.Reason, "Go on with the task.")
	if h.Context != nil {
		task += "\n\n" + string(h.Context)
	}
	return task
}

// tools returns a tool for each name that the agent calls.
func (m *mockAgent) tools(d *agent.Dispatcher) ([]agent.Tool, error) {
	byName := map[string]*mockTool{}
	var tools []agent.Tool
	for i, c := range m.Calls {
		t := byName[c.Tool]
		if t == nil {
			t = &mockTool{name: c.Tool, calls: map[string]mockCall{}}
			byName[c.Tool] = t
			tools = append(tools, t)
		}
		t.calls[fmt.Sprintf("call_%d", i+1)] = c
	}
	if h := m.Handoff; h != nil {
		other := mockModel{answer: agent.Response{Text: "The task is done."}}
		tools = append(tools, agent.Delegate{
			Name: h.name(), Description: "Another agent.", Agent: d.With(other, &agent.Toolbox{}),
		})
	}
	return tools, nil
}

// mockTool is a tool whose calls end as the config says.
type mockTool struct {
	name  string
	calls map[string]mockCall // by the ids that the agent's loop gives them
}

// Spec implements agent.Tool.
func (t *mockTool) Spec() agent.Spec {
	return agent.Spec{Name: t.name, Description: "A tool that answers what the workflow says.", ReadOnly: true}
}

// Run implements agent.Tool.
func (t *mockTool) Run(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	c, ok := t.calls[agent.CallOf(ctx)]
	if !ok {
		return nil, errors.New("the workflow does not have this call")
	}
	if c.DurationMS > 0 {
		timer := time.NewTimer(time.Duration(c.DurationMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if c.Error != nil {
		return nil, fmt.Errorf("%s: %s", c.Error.Code, c.Error.Message)
	}
	return slices.Clone(c.Result), nil
}
