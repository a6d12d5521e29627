package session

import (
	"cmp"
	"time"

	"candor/safety"
)

// JobTurns folds a job's events, in the order of its log, into turns: the job's prompt and
// each further one, with all that the workers did about it. It is the only place that
// knows which call an event of a worker is about. The turns of a later run follow those of
// the one before, and begin with the job's prompt again.
//
// A worker need not say which prompt it works on. Its events belong to the oldest prompt
// without an answer. A message of the role assistant is that answer, unless a call follows
// it before the next prompt: then it was the narrative of that call's step.
//
// Calls without a start have a zero StartedAt, and those whose duration nobody measured
// are Untimed. If the reports of the beginning and the end of such a call came apart, Apart has
// the time between them. Every call has a rationale.
func JobTurns(events []Event) []Turn {
	f := jobFold{places: map[string]place{}, closed: map[place]bool{}, latest: map[speaker]int{},
		callers: map[speaker]string{}, within: map[string]string{}}
	for _, e := range events {
		f.apply(e)
	}
	for i := range f.turns {
		finishJobTurn(&f.turns[i])
	}
	return f.turns
}

// jobFold is the state of JobTurns. It owns its turns.
type jobFold struct {
	turns   []Turn
	before  int // turns of runs that were dropped
	current int // index of the turn that the worker is at
	run     int
	prompt  safety.Text        // the job's own
	failure safety.Text        // of the run
	places  map[string]place   // of the calls, by id
	closed  map[place]bool     // steps whose reasons were posted; call is 0
	latest  map[speaker]int    // index of the latest step of each
	callers map[speaker]string // the call within which each works, if one is known
	within  map[string]string  // the first agent that works within a call that has not ended, by the call
}

// speaker is an agent in one of the turns.
type speaker struct {
	turn  int
	agent string
}

// place is the position of a call: its turn, step and index.
type place struct{ turn, step, call int }

// apply folds in one event.
func (f *jobFold) apply(e Event) {
	switch b := e.Body.(type) {
	case JobOpened:
		f.prompt, f.run = b.Prompt, 1
		f.addTurn(e, b.Prompt, b.Findings)
	case JobRestarted:
		f.restart(b)
		f.addTurn(e, f.prompt, nil)
		f.current = len(f.turns) - 1
	case JobPrompted:
		if !b.Text.Empty() {
			f.addTurn(e, b.Text, b.Findings)
		}
	case JobMessage:
		f.message(e, b)
	case JobToolUse:
		f.use(e, b)
	case JobToolResult:
		f.result(e, b)
	case JobReasoned:
		f.reasoned(e, b)
	case JobReported:
		f.failure = failureAfter(f.failure, b)
		f.start(e)
		f.touch(e, b.Findings)
	case JobEnded:
		f.failure = failureAfter(f.failure, b)
		f.end(e, b)
	case JobCancelled:
		f.stop(e)
	}
}

// addTurn adds the turn of a prompt, which waits for a worker.
func (f *jobFold) addTurn(e Event, input safety.Text, found []safety.Finding) {
	f.turns = append(f.turns, Turn{
		Session: e.Session, Job: e.Job, Run: f.run, Number: f.before + len(f.turns) + 1, State: Queued,
		Input: input, CreatedAt: e.At, Findings: found, FirstSeq: e.Seq, LastSeq: e.Seq,
	})
}

// turn returns the current turn. A log without its beginning gets one without a prompt.
func (f *jobFold) turn(e Event) *Turn {
	if len(f.turns) == 0 {
		f.addTurn(e, safety.Text{}, nil)
	}
	return &f.turns[f.current]
}

// touch adds what safety found in an event to the current turn.
func (f *jobFold) touch(e Event, found []safety.Finding) { f.turn(e).touch(e, found) }

// touch adds what safety found in an event.
func (t *Turn) touch(e Event, found []safety.Finding) {
	t.LastSeq, t.Findings = e.Seq, Merge(t.Findings, found)
}

// start begins the current turn, if it waits.
func (f *jobFold) start(e Event) {
	if t := f.turn(e); t.State == Queued {
		t.State, t.StartedAt = Processing, e.At
	}
}

// work returns the turn that the worker is at when it acts: the next one if the current
// one has its answer and another waits, else the current one, which is then open again.
func (f *jobFold) work(e Event) *Turn {
	t := f.turn(e)
	if t.State == Completed && f.current+1 < len(f.turns) {
		f.current++
		t = f.turn(e)
	}
	f.start(e)
	if t.State == Completed {
		t.State, t.EndedAt = Processing, time.Time{}
	}
	return t
}

// demoteAnswer turns the answer of a turn that goes on into the narrative of a step.
func (f *jobFold) demoteAnswer(t *Turn) {
	if t.Response.Empty() {
		return
	}
	at := f.newStep(t, "")
	t.Steps[at].Narrative, t.Steps[at].NarrativeSource, t.Steps[at].Stop = t.Response, FromModel, t.Stop
	t.Response, t.Stop = safety.Text{}, ""
}

// newStep adds a step of an agent to the current turn, t, and returns its index.
func (f *jobFold) newStep(t *Turn, agent string) int {
	who, number := speaker{f.current, agent}, 1
	if at, ok := f.latest[who]; ok {
		number = t.Steps[at].Number + 1
	}
	t.Steps = append(t.Steps, Step{Agent: agent, Number: number})
	f.latest[who] = len(t.Steps) - 1
	return len(t.Steps) - 1
}

// openStep returns the index of the agent's latest step if calls can still join it, else
// that of a new one. A step is over once its reasons were posted, or when a call brings
// another narrative.
func (f *jobFold) openStep(t *Turn, agent string, narrative safety.Text) int {
	at, ok := f.latest[speaker{f.current, agent}]
	if !ok || f.closed[place{turn: f.current, step: at}] {
		return f.newStep(t, agent)
	}
	said := t.Steps[at].Narrative
	if !narrative.Empty() && !said.Empty() && said != narrative {
		return f.newStep(t, agent)
	}
	return at
}

// setNarrative sets a step's narrative, unless the event has none.
func setNarrative(s *Step, text safety.Text, source Source, blocked bool) {
	if !text.Empty() {
		s.Narrative, s.NarrativeSource = text, cmp.Or(source, FromModel)
	}
	s.NarrativeBlocked = s.NarrativeBlocked || blocked
}

// addCall adds a call to a step of the current turn and returns it.
func (f *jobFold) addCall(t *Turn, step int, c Call) *Call {
	s := &t.Steps[step]
	c.Agent, c.Step, c.Outcome = s.Agent, s.Number, Pending
	s.Calls = append(s.Calls, c)
	f.places[c.ID] = place{f.current, step, len(s.Calls) - 1}
	return &s.Calls[len(s.Calls)-1]
}

// call returns the call with an id, nil if there is none.
func (f *jobFold) call(id string) *Call {
	p, ok := f.places[id]
	if !ok || id == "" {
		return nil
	}
	return &f.turns[p.turn].Steps[p.step].Calls[p.call]
}

// use folds in the beginning of a call, which a decision may have announced.
func (f *jobFold) use(e Event, b JobToolUse) {
	c := f.call(b.Call)
	if c == nil {
		t := f.work(e)
		f.demoteAnswer(t)
		step := f.openStep(t, b.Agent.String(), b.Narrative)
		c = f.addCall(t, step, Call{ID: b.Call, Tool: b.Tool})
	}
	f.calledBy(e, b.Agent, b.Caller)
	c.Tool = b.Tool // which a result that came first may not have named
	at := f.places[b.Call]
	setNarrative(&f.turns[at.turn].Steps[at.step], b.Narrative, b.NarrativeSource, b.NarrativeBlocked)
	f.turns[at.turn].Steps[at.step].setThought(b.Thought, false)
	c.Before = cmp.Or(b.Before, c.Before)
	c.Params, c.StartedAt, c.ReasonInferred = b.Input, e.At, c.ReasonInferred || b.Inferred
	explain(c, b.Rationale, b.Group)
	c.Findings = Merge(c.Findings, b.Findings)
	f.turns[at.turn].touch(e, b.Findings)
}

// result folds in the end of a call. One that ends no call has a call of its own.
func (f *jobFold) result(e Event, b JobToolResult) {
	c := f.call(b.Call)
	if c == nil {
		t := f.work(e)
		f.demoteAnswer(t)
		c = f.addCall(t, f.openStep(t, b.Agent.String(), safety.Text{}), Call{ID: b.Call, Tool: b.Tool})
	}
	c.Outcome, c.Result, c.Error, c.ResultInferred = b.Outcome, b.Output, b.Error, b.Inferred
	c.Took, c.Untimed, c.Apart = 0, b.Took == nil, 0
	switch {
	case b.Took != nil:
		c.Took = *b.Took
	case b.Outcome != Rejected:
		c.Apart = timeApart(c.StartedAt, e.At)
	}
	c.Findings = Merge(c.Findings, b.Findings)
	f.turns[f.places[b.Call].turn].touch(e, b.Findings)
	f.handBack(c, e.At)
}

// minApart is how far apart two reports have to be for the time between them to say something:
// those of one post, and of posts one after another, are hardly apart at all.
const minApart = 5 * time.Millisecond

// timeApart returns the time between the reports of a call's beginning and end, 0 if they came together
// or nobody reported the beginning. It is no duration: the reports travel, and a worker may have
// posted them late.
func timeApart(began, ended time.Time) time.Duration {
	if between := ended.Sub(began); !began.IsZero() && between >= minApart {
		return between
	}
	return 0
}

// finishJobTurn gives each call of a turn a reason, and marks the steps that have ended.
func finishJobTurn(t *Turn) {
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Ended = true
		for k := range s.Calls {
			c := &s.Calls[k]
			if c.Rationale.Text.Empty() {
				c.Rationale = Fallback()
			}
			s.Ended = s.Ended && c.Outcome != Pending
		}
	}
}
