package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// maxDepth is how many sub-agents may be nested in each other.
const maxDepth = 3

// Delegate is a tool that gives a task to another agent. The sub-agent runs a loop of
// its own within its caller's turn and shares that turn's memory budget. Its events
// carry its agent id, with a session.Handoff when it begins and another when it ends.
type Delegate struct {
	Name, Description string
	Title             string      // what people call the agent; empty for Name
	Agent             *Dispatcher // the sub-agent's model and tools
}

// Spec implements Tool.
func (d Delegate) Spec() Spec {
	const description = "What the other agent shall do, with all it has to know: it sees nothing else."
	return Spec{Name: d.Name, Description: d.Description, MayWait: true, Schema: &jsonschema.Schema{
		Type: "object", Required: []string{"task"},
		Properties: map[string]*jsonschema.Schema{"task": {Type: "string", Description: description}},
	}}
}

// Run implements Tool. The result is the sub-agent's answer, as a JSON string. Run
// fails outside of a turn, where the recorder cannot record sub-agents, and when
// sub-agents are nested too deeply.
func (d Delegate) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct{ Task string }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	site, ok := ctx.Value(callSiteKey{}).(callSite)
	if !ok {
		return nil, errors.New("a sub-agent needs a turn to work in")
	}
	parent := site.run
	child, err := d.newRun(parent, in.Task)
	if err != nil {
		return nil, err
	}
	child.bindDecide(ctx)
	parent.handoff(session.Handoff{Call: site.call, To: child.agent, Who: d.profile(parent.Safety)}, in.Task, nil)
	answer, err := child.loop(ctx)
	if err != nil {
		child.handoff(session.Handoff{Call: site.call, To: parent.agent}, "It did not finish: "+err.Error(), nil)
		return nil, fmt.Errorf("%s did not finish: %w", child.agent, err)
	}
	said := thinking.Strip(answer.Text)
	child.handoff(session.Handoff{Call: site.call, To: parent.agent}, said, &answer)
	return json.Marshal(said)
}

// newRun returns the sub-agent's run within the turn of its caller.
func (d Delegate) newRun(parent *agentRun, task string) (*agentRun, error) {
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
	return &agentRun{
		Dispatcher: d.Agent, Safety: d.Agent.Safety.Remember(parent.seen), rec: rec.ForAgent(id), agent: id,
		turnTotals: parent.turnTotals, messages: []Message{{Role: RoleUser, Text: task}},
	}, nil
}

// handoff records what this agent passes to another: a task, or the answer to one, whose tokens count.
func (r *agentRun) handoff(passed session.Handoff, raw string, answer *Response) {
	text, report := r.Safety.Clean(raw)
	r.warnChanged("handoff", 0, report)
	passed.From, passed.Text, passed.Findings = r.agent, text, report.Findings
	if answer != nil {
		passed.Usage, passed.Spent = session.Usage(answer.Usage), r.spent(*answer)
	}
	r.record(passed)
}

type callSiteKey struct{}

// callSite identifies the call for which a tool runs.
type callSite struct {
	run   *agentRun
	call  string
	reply Reply // to the question about the call
}

// CallOf returns the id of the call for which a tool runs, as its turn recorded it. It is empty
// outside of a turn.
func CallOf(ctx context.Context) string {
	site, _ := ctx.Value(callSiteKey{}).(callSite)
	return site.call
}

// SafetyOf returns a layer with the memory of the turn that ctx belongs to, for a tool that
// keeps texts itself. Outside of a turn it returns the layer as it is.
func SafetyOf(ctx context.Context, layer *safety.Layer) *safety.Layer {
	if site, ok := ctx.Value(callSiteKey{}).(callSite); ok {
		return layer.Remember(site.run.seen)
	}
	return layer
}

// maxProfile is how many bytes of a name, a model or an effort a hand-off has.
const maxProfile = 128

// profile says who the agent of d is, cleaned: names come from files of others, too.
func (d Delegate) profile(layer *safety.Layer) session.Profile {
	clean := func(raw string) safety.Text {
		text, _ := layer.Limit(maxProfile).Mask(raw)
		return text
	}
	return session.Profile{
		Name: clean(cmp.Or(d.Title, d.Name)), Model: clean(d.Agent.Model), Effort: clean(d.Agent.Effort),
	}
}
