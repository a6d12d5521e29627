package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"candor/agent"
	"candor/safety"
)

// approvalGate asks a person, and fails if they refuse.
type approvalGate struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

func (g *approvalGate) check() error {
	if g.Title == "" || g.Description == "" {
		return errors.New("it needs a title and a description, which the person reads")
	}
	return nil
}

// run makes a call of the gate's one tool, which a person always has to approve.
func (g *approvalGate) run(ctx context.Context, s *site) (safety.JSON, error) {
	box := &agent.Toolbox{}
	if err := box.Replace(gateTool{g}); err != nil {
		return safety.JSON{}, err
	}
	call := agent.Call{Name: gateTool{}.Spec().Name, Arguments: json.RawMessage(`{}`)}
	d := s.dispatcher.With(mockModel{steps: []agent.Response{{Calls: []agent.Call{call}}}}, box)
	d.Approval = func(agent.Spec) agent.Approval { return agent.ApprovalAlways }
	said, err := d.Answer(ctx, s.rec, []agent.Message{{Role: agent.RoleUser, Text: "Run the node."}})
	switch {
	case err != nil:
		return safety.JSON{}, err
	case said.Text == accepted:
		out, _ := s.layer.CleanJSON(json.RawMessage(accepted))
		return out, nil
	case strings.Contains(said.Text, agent.ErrDenied.Error()):
		return safety.JSON{}, errors.New("a person rejected it")
	}
	return safety.JSON{}, errors.New("nobody accepted it: " + said.Text)
}

// accepted is the outputs of a gate that a person opened.
const accepted = `{"action":"accept"}`

// gateTool is the tool of a gate. It touches nothing.
type gateTool struct{ *approvalGate }

// Spec implements agent.Tool.
func (g gateTool) Spec() agent.Spec {
	spec := agent.Spec{Name: "approval", ReadOnly: true, Approval: agent.ApprovalAlways}
	if g.approvalGate != nil {
		spec.Description = g.Title + ": " + g.Description
	}
	return spec
}

// Run implements agent.Tool.
func (gateTool) Run(context.Context, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(accepted), nil
}
