package worker

import (
	"cmp"
	"fmt"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

// recorder translates what one agent of a turn records into the job's events. The steps
// of one agent do not overlap, so the fields that collect a step belong to the
// goroutine that runs it.
type recorder struct {
	*journal
	agent     string // empty for the lead agent
	narrative session.Narrated
	callIDs   []string // the step's calls, in the order of decisions
	decisions []Decision
}

var (
	_ agent.Recorder      = (*recorder)(nil)
	_ agent.AgentRecorder = (*recorder)(nil)
	_ agent.SecretKeeper  = (*recorder)(nil)
)

// Seen implements agent.SecretKeeper.
func (r *recorder) Seen() *safety.SeenSecrets { return r.seen }

// ForAgent implements agent.AgentRecorder.
func (r *recorder) ForAgent(id string) agent.Recorder {
	return &recorder{journal: r.journal, agent: id}
}

// Record implements agent.Recorder. Its text was cleaned by the agent loop; the server
// cleans it again.
func (r *recorder) Record(b session.Body) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch b := b.(type) {
	case session.Narrated:
		if b.Answer {
			return r.recordAnswer(b)
		}
		r.narrative = b
	case session.ToolCalled:
		return r.recordCall(b)
	case session.ToolReturned:
		return r.recordResult(b)
	case session.StepEnded:
		r.used.add(b.Usage, b.Spent)
		e := Reasoning(r.narrative.Text.String(), r.decisions...)
		e.Agent, e.NarrativeSource, e.NarrativeBlocked = r.agent, r.narrative.Source, r.narrative.Blocked
		e.Caller = r.callers[r.agent]
		e.Thought, e.ThoughtBlocked = r.narrative.Thought.String(), r.narrative.ThoughtBlocked
		e.Stop, e.Sealed, e.Usage = r.narrative.Stop, sealedOf(r.narrative.Sealed), r.used.take()
		r.narrative, r.callIDs, r.decisions = session.Narrated{}, nil, nil
		return r.write(e)
	case session.Handoff:
		r.used.add(b.Usage, b.Spent)
		if r.callers[b.To] == "" && b.To != "" {
			r.callers[b.To] = r.jobCallID(b.Call)
		}
		const lead = "the job's agent"
		to := b.Who.Words(cmp.Or(b.To, lead))
		return r.write(Status("handoff", fmt.Sprintf("%s → %s: %s", cmp.Or(b.From, lead), to, b.Text)))
	case session.TurnCompleted:
		r.used.add(b.Usage, b.Spent)
		e := Message("assistant", b.Response.String())
		e.Stop, e.Usage = b.Stop, r.used.take()
		return r.write(e)
	case session.TurnFailed:
		r.failure = b.Error.String()
		return r.write(Status("failed", r.failure))
	case session.TurnInterrupted:
		return r.write(Status("interrupted", "The worker was stopped before the turn ended."))
	}
	return nil
}

// recordAnswer posts the reasoning of a step that answers.
func (r *recorder) recordAnswer(b session.Narrated) error {
	e := AnswerReasoning(b.Text.String())
	e.Agent, e.NarrativeSource, e.NarrativeBlocked = r.agent, b.Source, b.Blocked
	e.Caller = r.callers[r.agent]
	e.Stop, e.Sealed = b.Stop, sealedOf(b.Sealed)
	return r.write(e)
}

// recordCall posts a call with its reason. A step's first call carries its narrative,
// so that both survive a kill.
func (r *recorder) recordCall(b session.ToolCalled) error {
	d := Decision{
		ToolName: b.Tool.String(), CallID: r.jobCallID(b.Call), Outcome: session.Pending,
		Reason: Reason{
			Rationale: b.Rationale.Text.String(), Source: b.Rationale.Source, Blocked: b.Rationale.Blocked,
		},
	}
	if b.Group != nil {
		d.Group = new(*b.Group + r.groups)
	}
	e := ToolUse(d.CallID, d.ToolName, b.Params.Raw())
	e.Agent, e.Reason, e.TextBefore = r.agent, d.Reason, b.Before.String()
	e.Caller = r.callers[r.agent]
	if len(r.callIDs) == 0 {
		e.Narrative, e.NarrativeSource = r.narrative.Text.String(), r.narrative.Source
		e.NarrativeBlocked, e.Thought = r.narrative.Blocked, r.narrative.Thought.String()
		e.ThoughtBlocked = r.narrative.ThoughtBlocked
	}
	r.callIDs, r.decisions = append(r.callIDs, b.Call), append(r.decisions, d)
	return r.write(e)
}

// recordResult posts how a call ended and keeps its outcome for the step's reasoning.
func (r *recorder) recordResult(b session.ToolReturned) error {
	tool := ""
	for i, id := range r.callIDs {
		if id == b.Call {
			tool, r.decisions[i].Outcome = r.decisions[i].ToolName, b.Outcome
		}
	}
	e := ToolResult(r.jobCallID(b.Call), tool, b.Outcome, b.Result.Raw(), b.Error.String(), b.Took)
	e.Agent = r.agent
	return r.write(e)
}
