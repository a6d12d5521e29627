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
	"candor/agent/tool"
	"candor/session/pause"
)

// mockModel is a model that takes its steps in their order and then answers: with its last
// result, if there is one.
type mockModel struct {
	steps  []agent.Response
	answer string
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
	if last := req.Messages[len(req.Messages)-1]; last.Role == agent.RoleTool {
		return agent.Response{Text: last.Text}, ctx.Err()
	}
	return agent.Response{Text: m.answer}, ctx.Err()
}

// model returns the model that follows the config. What it says comes with its first call.
func (m *mockAgent) model() mockModel {
	var steps []agent.Response
	add := func(name string, args any) {
		raw, _ := json.Marshal(args) // of JSON and texts
		steps = append(steps, agent.Response{Calls: []agent.Call{{Name: name, Arguments: raw}}})
	}
	for _, c := range m.Calls {
		add(c.Tool, json.RawMessage(cmp.Or(string(c.Arguments), "{}")))
	}
	if h := m.Handoff; h != nil {
		add(h.name(), map[string]string{"task": h.task()})
	}
	if d := m.decision(); d != nil {
		add(decide, d.arguments())
	}
	if len(steps) > 0 && m.Reasoning != nil {
		steps[0].Text, steps[0].Usage = m.Reasoning.text(), m.Reasoning.usage()
	}
	return mockModel{steps: steps}
}

// usage returns the tokens of the reasoning.
func (r *mockReasoning) usage() agent.Usage {
	return agent.Usage{Output: r.TokenCount, Reasoning: r.TokenCount}
}

// arguments returns those of the call that makes the decision.
func (d *mockDecision) arguments() map[string]any {
	args := map[string]any{"decision": d.Decision}
	if d.Confidence != nil {
		args["confidence"] = *d.Confidence
	}
	if d.Reasoning != "" {
		args["rationale"] = d.Reasoning
	}
	return args
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
func (m *mockAgent) tools(d *agent.Dispatcher) []agent.Tool {
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
		other := mockModel{answer: "The task is done."}
		tools = append(tools, agent.Delegate{
			Name: h.name(), Description: "Another agent.", Agent: d.With(other, &agent.Toolbox{}),
		})
	}
	if m.decision() != nil {
		tools = append(tools, tool.Decide())
	}
	return tools
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
		if err := pause.For(ctx, time.Duration(c.DurationMS)*time.Millisecond); err != nil {
			return nil, err
		}
	}
	if c.Error != nil {
		return nil, fmt.Errorf("%s: %s", c.Error.Code, c.Error.Message)
	}
	return slices.Clone(c.Result), nil
}
