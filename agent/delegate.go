package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/safety"
	"candor/session"
)

// maxDepth is how many agents deep a task may be handed on.
const maxDepth = 3

// Delegate is a tool that gives a task to another agent, which works on it in a
// loop of its own within the same turn. What it does is recorded under its own
// agent id, with a hand-off when it begins and another when it is done.
type Delegate struct {
	Name, Description string
	Agent             *Dispatcher // its model and tools
}

// Spec implements Tool.
func (d Delegate) Spec() Spec {
	return Spec{Name: d.Name, Description: d.Description, MayWait: true, Schema: &jsonschema.Schema{
		Type: "object", Required: []string{"task"},
		Properties: map[string]*jsonschema.Schema{
			"task": {Type: "string", Description: "What the other agent shall do, with all it has to know: it sees nothing else."},
		},
	}}
}

// Run implements Tool. The result is the agent's answer.
func (d Delegate) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct{ Task string }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	parent, call, ok := callOf(ctx)
	if !ok {
		return nil, errors.New("a sub-agent needs a turn to work in")
	}
	child, err := d.hire(parent, in.Task)
	if err != nil {
		return nil, err
	}
	parent.handoff(call, child.agent, in.Task, Usage{})
	answer, err := child.loop(ctx)
	if err != nil {
		child.handoff(call, parent.agent, "It did not finish: "+err.Error(), Usage{})
		return nil, fmt.Errorf("%s did not finish: %w", child.agent, err)
	}
	said := stripThinking(answer.Text)
	child.handoff(call, parent.agent, said, answer.Usage)
	return json.Marshal(said)
}

// hire makes the other agent's run, in the turn of the one that calls it.
func (d Delegate) hire(parent *turn, task string) (*turn, error) {
	rec, ok := parent.rec.(AgentRecorder)
	if !ok {
		return nil, errors.New("what a sub-agent does cannot be recorded here")
	}
	if strings.Count(parent.agent, "/")+1 >= maxDepth {
		return nil, fmt.Errorf("a task may be handed on %d agents deep", maxDepth)
	}
	id := fmt.Sprintf("%s_%d", d.Name, parent.agents.Add(1))
	if parent.agent != "" {
		id = parent.agent + "/" + id
	}
	return &turn{
		Dispatcher: d.Agent, rec: rec.ForAgent(id), agent: id, shared: parent.shared,
		messages: []Message{{Role: RoleUser, Text: task}},
	}, nil
}

// handoff records what one agent gave another.
func (t *turn) handoff(call, to, raw string, used Usage) {
	text, report := t.Safety.Clean(raw)
	if report.Verdict == safety.Blocked {
		t.warnBlocked("handoff", 0, report)
	}
	t.record(session.Handoff{
		Call: call, From: t.agent, To: to, Text: text, Usage: session.Usage(used), Findings: report.Findings,
	})
}

type callKey struct{}

// site is the call that a tool runs for.
type site struct {
	turn *turn
	call string
}

func withCall(ctx context.Context, t *turn, call string) context.Context {
	return context.WithValue(ctx, callKey{}, site{t, call})
}

func callOf(ctx context.Context) (t *turn, call string, ok bool) {
	s, ok := ctx.Value(callKey{}).(site)
	return s.turn, s.call, ok
}
