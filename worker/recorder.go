package worker

import (
	"cmp"
	"fmt"
	"sync"

	"candor/agent"
	"candor/session"
)

// journal turns what a turn records into events of the job. Its recorders, one for
// each agent, share it.
type journal struct {
	poster *poster

	mu     sync.Mutex
	past   past           // all events of the run
	calls  int            // the job's number of the call made last
	label  map[string]int // the turn's calls, in the job's numbers
	groups int            // parallel groups that the log has of this turn already
	failed string         // why the turn did
}

// write posts an event and remembers it. The caller holds mu.
func (j *journal) write(e Event) error {
	j.past.add(e)
	return j.poster.add(e)
}

// say posts an event that no turn recorded.
func (j *journal) say(e Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(e)
}

// call is the name under which a call of the turn is posted. A dispatcher numbers
// anew in each turn, a job goes on. The caller holds mu.
func (j *journal) call(id string) string {
	n, ok := j.label[id]
	if !ok {
		j.calls++
		n = j.calls
		j.label[id] = n
	}
	return callName(n)
}

func callName(n int) string { return fmt.Sprintf("call_%d", n) }

// recorder records one agent's part of a turn. Steps of one agent do not overlap,
// so what it gathers of a step belongs to the goroutine that runs it.
type recorder struct {
	*journal
	narrative session.Narrated
	calls     []string // the step's, in the order of decisions
	decisions []Decision
}

var (
	_ agent.Recorder      = (*recorder)(nil)
	_ agent.AgentRecorder = (*recorder)(nil)
)

// ForAgent implements agent.AgentRecorder. Hand-offs say in the log which agent acts.
func (r *recorder) ForAgent(string) agent.Recorder { return &recorder{journal: r.journal} }

// Record implements agent.Recorder. What a body says of itself goes to the job's
// log, cleaned as it comes.
func (r *recorder) Record(b session.Body) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch b := b.(type) {
	case session.Narrated:
		r.narrative = b
	case session.ToolCalled:
		return r.called(b)
	case session.ToolReturned:
		return r.returned(b)
	case session.StepEnded:
		e := Reasoning(r.narrative.Text.String(), r.decisions...)
		e.NarrativeBlocked = r.narrative.Blocked
		r.narrative, r.calls, r.decisions = session.Narrated{}, nil, nil
		return r.write(e)
	case session.Handoff:
		const user = "the job's agent"
		return r.write(Status("handoff", fmt.Sprintf("%s → %s: %s", cmp.Or(b.From, user), cmp.Or(b.To, user), b.Text)))
	case session.TurnCompleted:
		return r.write(Message("assistant", b.Response.String()))
	case session.TurnFailed:
		r.failed = b.Error.String()
		return r.write(Status("failed", r.failed))
	case session.TurnInterrupted:
		return r.write(Status("interrupted", "The worker was stopped before the turn ended."))
	}
	return nil
}

func (r *recorder) called(b session.ToolCalled) error {
	d := Decision{ToolName: b.Tool.String(), Outcome: session.Pending, Reason: Reason{
		Rationale: b.Rationale.Text.String(), Source: b.Rationale.Source, Blocked: b.Rationale.Blocked,
	}}
	if b.Group != nil {
		d.Group = new(*b.Group + r.groups)
	}
	e := ToolUse(r.call(b.Call), d.ToolName, b.Params.Raw())
	e.Reason = d.Reason
	if len(r.calls) == 0 {
		e.Narrative, e.NarrativeBlocked = r.narrative.Text.String(), r.narrative.Blocked
	}
	r.calls, r.decisions = append(r.calls, b.Call), append(r.decisions, d)
	return r.write(e)
}

func (r *recorder) returned(b session.ToolReturned) error {
	tool := ""
	for i, c := range r.calls {
		if c == b.Call {
			tool, r.decisions[i].Outcome = r.decisions[i].ToolName, b.Outcome
		}
	}
	e := ToolResult(r.call(b.Call), tool, b.Outcome, b.Result.Raw(), b.Error.String(), b.Took)
	return r.write(e)
}
