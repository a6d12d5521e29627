package workflow

import (
	"context"
	"fmt"

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
