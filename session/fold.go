package session

import (
	"slices"

	"candor/safety"
)

// Apply is the only way a turn changes: it returns the turn with the event
// folded in. It copies what it changes, so t itself and every earlier snapshot
// stay as they are. An event that does not fit (a result for an unknown call, a
// second end) leaves the turn unchanged but for LastSeq.
func (t Turn) Apply(e Event) Turn {
	t.LastSeq = e.Seq
	switch b := e.Body.(type) {
	case TurnQueued:
		t = t.begin(e, Queued, b.Message, b.Input, b.Findings)
	case TurnStarted:
		t = t.begin(e, Processing, b.Message, b.Input, b.Findings)
		t.StartedAt = e.At
	case Narrated:
		t.Steps, t.Findings = t.narrate(e, b), Merge(t.Findings, b.Findings)
	case ToolCalled:
		t.Steps, t.Findings = t.call(e, b), Merge(t.Findings, b.Findings)
	case ToolReturned:
		t = t.settle(b)
	case StepWaits:
		t.Steps = t.editStep(e.Agent, b.Step, func(s *Step) { s.Waits = true })
	case StepEnded:
		t.Steps = t.editStep(e.Agent, b.Step, func(s *Step) { s.Ended = true })
		t.Usage = t.Usage.plus(b.Usage)
	case ApprovalAsked:
		t.Steps = t.editCall(b.Call, func(c *Call) {
			c.Approval = &Approval{Request: b.Request, Description: b.Description, AllowAlways: b.AllowAlways, AskedAt: e.At}
		})
	case ApprovalAnswered:
		t.Steps = t.editCall(b.Call, func(c *Call) { c.Approval = c.Approval.answered(b.Answer) })
	case Handoff:
		t.Handoffs = append(slices.Clip(t.Handoffs), HandoffAt{b, e.At})
		t.Findings, t.Usage = Merge(t.Findings, b.Findings), t.Usage.plus(b.Usage)
	case TurnCompleted:
		t.Usage = t.Usage.plus(b.Usage)
		t.Response, t.Findings = b.Response, Merge(t.Findings, b.Findings)
		t = t.end(e, Completed)
	case TurnFailed:
		t.Error, t.Findings = b.Error, Merge(t.Findings, b.Findings)
		t = t.end(e, Failed)
	case TurnInterrupted:
		t = t.end(e, Interrupted)
	}
	return t
}

func (t Turn) begin(e Event, s State, message string, in safety.Text, f []safety.Finding) Turn {
	if t.CreatedAt.IsZero() {
		t.Session, t.Thread, t.Number = e.Session, e.Thread, e.Turn
		t.CreatedAt, t.FirstSeq = e.At, e.Seq
		t.Message, t.Input, t.Findings = message, in, Merge(f)
	}
	t.State = s
	return t
}

func (t Turn) end(e Event, s State) Turn {
	if !t.State.Ended() {
		t.State, t.EndedAt = s, e.At
	}
	return t
}

func (t Turn) narrate(e Event, b Narrated) []Step {
	return t.editStep(e.Agent, b.Step, func(s *Step) {
		s.Narrative, s.NarrativeSource, s.NarrativeBlocked = b.Text, b.Source, b.Blocked
	})
}

func (t Turn) call(e Event, b ToolCalled) []Step {
	return t.editStep(e.Agent, b.Step, func(s *Step) {
		// A clipped append copies: an older snapshot keeps its own tail.
		s.Calls = append(slices.Clip(s.Calls), Call{
			ID: b.Call, Agent: e.Agent, Step: b.Step, Tool: b.Tool, Rationale: b.Rationale, Params: b.Params,
			Group: b.Group, FrontEnd: b.FrontEnd, Outcome: Pending, StartedAt: e.At, Findings: Merge(b.Findings),
		})
	})
}

// settle takes a call's result; the first one stands.
func (t Turn) settle(b ToolReturned) Turn {
	c, ok := t.Call(b.Call)
	if !ok || c.Outcome != Pending {
		return t
	}
	t.Steps = t.editCall(b.Call, func(c *Call) {
		c.Outcome, c.Result, c.Error, c.Took = b.Outcome, b.Result, b.Error, b.Took
		c.Findings = Merge(c.Findings, b.Findings)
	})
	t.Findings = Merge(t.Findings, b.Findings)
	return t
}

// answered is a copy with the answer; the first one stands.
func (a *Approval) answered(with Answer) *Approval {
	if a == nil || a.Answer != "" {
		return a
	}
	done := *a
	done.Answer = with
	return &done
}

// editStep copies the steps and lets edit change the one of that agent with that
// number, which it adds at the end when there is none.
func (t Turn) editStep(agent string, number int, edit func(*Step)) []Step {
	steps := slices.Clone(t.Steps)
	at := slices.IndexFunc(steps, func(s Step) bool { return s.Agent == agent && s.Number == number })
	if at < 0 {
		steps = append(steps, Step{Agent: agent, Number: number})
		at = len(steps) - 1
	}
	edit(&steps[at])
	return steps
}

// editCall copies the steps and the calls on the way to one, and lets edit change
// it. Without such a call the steps stay as they are.
func (t Turn) editCall(id string, edit func(*Call)) []Step {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		at := slices.IndexFunc(t.Steps[i].Calls, func(c Call) bool { return c.ID == id })
		if at < 0 {
			continue
		}
		steps := slices.Clone(t.Steps)
		steps[i].Calls = slices.Clone(steps[i].Calls)
		edit(&steps[i].Calls[at])
		return steps
	}
	return t.Steps
}
