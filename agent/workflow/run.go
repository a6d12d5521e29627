package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

// allHaveRun is what a run says when all of its nodes have ended.
const allHaveRun = "All nodes of the workflow have run."

// Runner returns what runs the workflow as a turn, under the rules of d and with these inputs,
// or nil for the workflow whose runs are turns of d's own loop.
func (d *Definition) Runner(dispatcher *agent.Dispatcher, inputs safety.JSON) agent.Runner {
	if len(d.nodes) == 0 {
		return nil
	}
	return runner{d, dispatcher, inputs}
}

// runner runs a workflow once.
type runner struct {
	*Definition
	dispatcher *agent.Dispatcher
	inputs     safety.JSON
}

// Run implements agent.Runner. It records the start and the end of each node. The node in which
// the turn is stopped has no end.
func (r runner) Run(ctx context.Context, rec agent.Recorder) (agent.Response, error) {
	site := &site{dispatcher: r.dispatcher, layer: r.dispatcher.Safety, rec: rec, inputs: r.inputs}
	if k, ok := rec.(agent.SecretKeeper); ok {
		site.layer = site.layer.Remember(k.Seen())
	}
	for _, n := range r.nodes {
		if err := ctx.Err(); err != nil {
			return agent.Response{}, err
		}
		if err := n.run(ctx, site); err != nil {
			return agent.Response{}, fmt.Errorf("node %q: %w", n.id, err)
		}
	}
	return agent.Response{Text: allHaveRun}, nil
}

// run runs the node and records it.
func (n node) run(ctx context.Context, s *site) error {
	if err := s.rec.Record(session.NodeStarted{Node: n.id, Type: n.typeID, Agent: n.agent}); err != nil {
		return err
	}
	outputs, err := n.recovered(ctx, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ended := session.NodeEnded{Node: n.id, Outputs: outputs}
	if err != nil {
		text, report := s.layer.Mask(err.Error())
		ended.Error, ended.Findings = text, report.Findings
	}
	if unrecorded := s.rec.Record(ended); unrecorded != nil {
		return unrecorded
	}
	return err
}

// recovered does the node's work. A panic becomes its error.
func (n node) recovered(ctx context.Context, s *site) (outputs safety.JSON, err error) {
	defer func() {
		if p := recover(); p != nil {
			outputs, err = safety.JSON{}, fmt.Errorf("panic: %v", p)
		}
	}()
	return n.work.run(ctx, s)
}

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
