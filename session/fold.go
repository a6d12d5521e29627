package session

import (
	"iter"
	"slices"
	"sync"
	"time"

	"candor/safety"
)

// Apply returns the turn that results from folding e into t. Every turn is built by
// Apply alone, event by event in log order.
//
// Apply copies what it changes, so t and all earlier snapshots keep their contents.
// An event that does not fit the turn, such as a result for an unknown call or a
// second end, changes nothing but LastSeq. The event has to be one of t's thread and
// turn; the first one sets them.
func (t Turn) Apply(e Event) Turn {
	t.LastSeq = e.Seq
	switch b := e.Body.(type) {
	case TurnQueued:
		t = t.begin(e, Queued, b.Message, b.Input, b.Findings)
		t.Workflow = b.Workflow
	case TurnStarted:
		t = t.start(e, b)
	case Narrated:
		t.Steps, t.Findings = t.narrate(e, b), Merge(t.Findings, b.Findings)
	case ToolCalled:
		t.Steps, t.Findings = t.call(e, b), Merge(t.Findings, b.Findings)
	case ToolReturned:
		t = t.endCall(b)
	case StepWaits:
		t.Steps = t.editStep(e.Agent, b.Step, func(s *Step) { s.Waits = true })
	case StepEnded:
		t.Steps = t.editStep(e.Agent, b.Step, func(s *Step) { s.Ended, s.Usage = true, b.Usage })
		t.Usage, t.Spent = t.Usage.plus(b.Usage), t.Spent.plus(b.Spent)
	case ApprovalAsked:
		t.Steps = t.editCall(b.Call, func(c *Call) { c.Approval = b.open(e.At) })
		t = t.remember(b.Call)
	case ApprovalAnswered:
		t = t.answerApproval(e, b)
	case Handoff:
		t.Handoffs = append(slices.Clip(t.Handoffs), HandoffAt{b, e.At})
		t.Findings, t.Usage = Merge(t.Findings, b.Findings), t.Usage.plus(b.Usage)
		t.Spent = t.Spent.plus(b.Spent)
	case TurnCompleted:
		t.Usage, t.Spent, t.AnswerUsage = t.Usage.plus(b.Usage), t.Spent.plus(b.Spent), b.Usage
		t.Conclusion, t.Stop = b.Conclusion, b.Stop
		t = t.answered(b.Response, b.Findings).end(e, Completed)
	case TurnFailed:
		t.Error, t.Stop, t.Findings = b.Error, b.Stop, Merge(t.Findings, b.Findings)
		t = t.end(e, Failed)
	case TurnInterrupted:
		t = t.interrupt(e, b)
	default:
		t = t.applyRare(e)
	}
	return t
}

// applyRare folds the events that few turns have.
func (t Turn) applyRare(e Event) Turn {
	switch b := e.Body.(type) {
	case NodeStarted, NodeEnded:
		return t.applyWorkflow(e)
	case DecisionRated:
		return t.rate(e, b)
	}
	return t.applyObserved(e)
}

// start begins the turn's work. A second start of an observed turn tells who asked for it.
func (t Turn) start(e Event, b TurnStarted) Turn {
	if t.State != Queued && !t.CreatedAt.IsZero() {
		return t.applyObserved(e)
	}
	t = t.begin(e, Processing, b.Message, b.Input, b.Findings)
	t.StartedAt, t.Asked, t.Workflow = e.At, b.Asked, b.Workflow
	return t
}

// begin sets the turn's state, and its identity and input if e is its first event. A
// queued turn passes through here twice: its TurnStarted repeats the message.
func (t Turn) begin(e Event, s State, message string, in safety.Text, f []safety.Finding) Turn {
	if t.CreatedAt.IsZero() {
		t.Session, t.Thread, t.Number = e.Session, e.Thread, e.Turn
		t.CreatedAt, t.FirstSeq = e.At, e.Seq
		t.Message, t.Input, t.Findings = message, in, Merge(f)
	}
	t.State = s
	return t
}

// end sets the final state. The first end of a turn wins.
func (t Turn) end(e Event, s State) Turn {
	if !t.State.Ended() {
		t.State, t.EndedAt = s, e.At
	}
	return t
}

// interrupt ends the turn. The time in which its process was dead is no part of it.
func (t Turn) interrupt(e Event, b TurnInterrupted) Turn {
	if !t.State.Ended() && !b.Heard.IsZero() {
		e.At = b.Heard
	}
	t.Restarted = t.Restarted || !t.State.Ended() && b.Restart
	return t.end(e, Interrupted)
}

// narrate returns the steps with the narrative of one of them set.
func (t Turn) narrate(e Event, b Narrated) []Step {
	return t.editStep(e.Agent, b.Step, func(s *Step) {
		s.Narrative, s.NarrativeSource, s.NarrativeBlocked = b.Text, b.Source, b.Blocked
		s.Thought, s.ThoughtBlocked, s.Stop = b.Thought, b.ThoughtBlocked, b.Stop
		s.Answer, s.Sealed = b.Answer, b.Sealed
	})
}

// call returns the steps with a new pending call at the end of its step. An observed call that
// was announced before it was made has a second such event, which completes the first.
func (t Turn) call(e Event, b ToolCalled) []Step {
	if _, known := t.Call(b.Call); known {
		return t.editCall(b.Call, func(c *Call) {
			c.To, c.Params, c.Group, c.Findings = b.To, b.Params, b.Group, Merge(c.Findings, b.Findings)
		})
	}
	return t.editStep(e.Agent, b.Step, func(s *Step) {
		// Clip makes append copy, so that two snapshots never share a tail.
		s.Calls = append(slices.Clip(s.Calls), Call{
			ID: b.Call, Agent: e.Agent, Step: b.Step, Tool: b.Tool, To: b.To, Rationale: b.Rationale, Params: b.Params,
			Before: b.Before,
			Group:  b.Group, FrontEnd: b.FrontEnd, Decides: b.Decides, Transport: b.Transport, Confidence: b.Confidence,
			Outcome: Pending, StartedAt: e.At, Findings: Merge(b.Findings),
		})
	})
}

// endCall records the result of a pending call. The first result of a call wins, except that
// one may still come that nobody had seen when an observed turn ended.
func (t Turn) endCall(b ToolReturned) Turn {
	c, ok := t.Call(b.Call)
	if !ok || (c.Outcome != Pending && c.Outcome != Unknown) {
		return t
	}
	t.Steps = t.editCall(b.Call, func(c *Call) {
		c.Outcome, c.Result, c.Error, c.Took = b.Outcome, b.Result, b.Error, b.Took
		c.Untimed = b.Outcome == Unknown
		c.Findings = Merge(c.Findings, b.Findings)
	})
	t.Findings = Merge(t.Findings, b.Findings)
	return t
}

// open returns the request that was made at a time.
func (b ApprovalAsked) open(at time.Time) *Approval {
	a := &Approval{
		Request: b.Request, Description: b.Description, Shown: b.Shown, Hidden: b.Hidden,
		AllowAlways: b.AllowAlways, Grant: b.Grant, AskedAt: at, LowConfidence: b.LowConfidence,
		Editable: b.Editable,
	}
	if b.Within > 0 {
		a.Expires = at.Add(b.Within)
	}
	return a
}

// answerApproval records the answer to an open question. The first answer wins.
func (t Turn) answerApproval(e Event, b ApprovalAnswered) Turn {
	c, ok := t.Call(b.Call)
	if !ok || c.Approval == nil || c.Approval.Answer != "" {
		return t
	}
	done := *c.Approval
	done.Answer, done.Value = b.Answer, b.Value
	done.AnsweredAt, done.Edited, done.EditedBy = e.At, b.Edited, b.EditedBy
	t.Steps = t.editCall(b.Call, func(c *Call) {
		if c.Approval = &done; c.Sighted != nil {
			*c = c.denied()
		}
	})
	t.Findings = Merge(t.Findings, b.Findings)
	return t.remember(b.Call)
}

// editStep returns a copy of the steps in which edit has changed the agent's step
// with the given number. A missing step is added at the end.
func (t Turn) editStep(agent string, number int, edit func(*Step)) []Step {
	steps := slices.Clone(t.Steps)
	at := slices.IndexFunc(steps, func(s Step) bool { return s.Agent == agent && s.Number == number })
	if at < 0 {
		steps = append(steps, Step{Agent: agent, Number: number, Late: t.State.Ended()})
		at = len(steps) - 1
	}
	edit(&steps[at])
	return steps
}

// Call returns the call with the given id, or with one that it had before its file named it, and whether there is one.
func (t Turn) Call(id string) (Call, bool) {
	id = t.calledNow(id)
	for c := range t.Calls() {
		if c.ID == id {
			return c, true
		}
	}
	return Call{}, false
}

// editCall returns a copy of the steps in which edit has changed the call with the
// given id. Only that call's step and its list of calls are copied. If there is no
// such call, the steps are returned as they are.
func (t Turn) editCall(id string, edit func(*Call)) []Step {
	id = t.calledNow(id)
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

// folding is a turn while events are folded into it. What an attached agent's turn says depends on all of its facts, of
// which there may be thousands: its steps are made when somebody asks for the turn, once, and not with each fact.
// A folding is a value, and the functions on it are safe for concurrent use.
type folding struct {
	head  Turn        // without findings, steps, hand-offs and usage if whole is set
	whole func() Turn // makes the turn; nil if head is all of it
}

// apply returns the folding that results from folding e into f.
func (f folding) apply(e Event) folding {
	b, sights := e.Body.(Sighted)
	if !sights {
		return folding{head: f.turn().Apply(e)}
	}
	f.head.LastSeq = e.Seq
	head := f.head.sight(e, b)
	return folding{head: head, whole: sync.OnceValue(head.project)}
}

// turn returns the whole turn.
func (f folding) turn() Turn {
	if f.whole == nil {
		return f.head
	}
	return f.whole()
}

// asked yields the calls about which a person is asked. It makes no steps for turns of whose calls nobody ever said
// anything.
func (f folding) asked() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		if f.whole != nil && len(f.head.said) == 0 {
			return
		}
		for c := range f.turn().Calls() {
			if c.waits() && !yield(c) {
				return
			}
		}
	}
}

// asks reports whether a person is asked about a call of the turn.
func (f folding) asks() bool {
	for range f.asked() {
		return true
	}
	return false
}

// ended reports whether the turn has ended.
func (f folding) ended() bool { return f.head.State.Ended() }

// turnsOf returns the whole turns.
func turnsOf(all []folding) []Turn {
	turns := make([]Turn, len(all))
	for i, f := range all {
		turns[i] = f.turn()
	}
	return turns
}
