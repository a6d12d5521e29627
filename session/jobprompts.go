package session

import (
	"cmp"

	"candor/safety"
)

// Of the fold of a job's log into turns, this file has what begins and ends a turn:
// prompts, answers and the job's end. What happens within a turn is in jobturns.go.

// restart begins the next run. Runs before it may have been dropped.
func (f *jobFold) restart(b JobRestarted) {
	f.run++
	if b.Run > 0 {
		f.run, f.prompt = b.Run, b.Opened.Prompt
	}
	if len(f.turns) == 0 {
		f.before = b.Turns
	}
	f.failure = safety.Text{}
}

// message folds in a message: a prompt or its echo, or an answer.
func (f *jobFold) message(e Event, b JobMessage) {
	switch b.Role {
	case "user":
		f.prompted(e, b)
	case "assistant":
		t := f.work(e)
		f.demoteAnswer(t)
		t.used(b.Usage, b.Spent)
		t.Response, t.State, t.EndedAt, t.Stop = b.Text, Completed, e.At, cmp.Or(b.Stop, t.Stop)
		f.touch(e, b.Findings)
	default:
		f.touch(e, b.Findings)
	}
}

// prompted folds in a user's message that the worker posted. Many workers repeat each
// prompt that they take up; one that waits and has the same words is meant.
func (f *jobFold) prompted(e Event, b JobMessage) {
	f.turn(e)
	for i := f.current; i < len(f.turns); i++ {
		t := &f.turns[i]
		if t.Input == b.Text && len(t.Steps) == 0 && t.Response.Empty() {
			f.current = i
			f.start(e)
			return
		}
	}
	f.addTurn(e, b.Text, b.Findings)
	f.current = len(f.turns) - 1
	f.start(e)
}

// end ends the current turn with the job's result, and those that nobody answered.
func (f *jobFold) end(e Event, b JobEnded) {
	t := f.turn(e)
	f.touch(e, b.Findings)
	switch {
	case !b.Success:
		t.State, t.Error, t.EndedAt = Failed, f.failure, e.At
		t.Stop = cmp.Or(t.Stop, t.lastStop())
	case t.State != Completed:
		t.State, t.EndedAt = Completed, e.At
		if t.Response.Empty() {
			t.Response = b.Message
		}
	}
	f.stop(e)
}

// stop interrupts all turns that have not ended, and cancels the calls whose end nobody
// has posted: nothing can be posted any more.
func (f *jobFold) stop(e Event) {
	for i := range f.turns {
		t := &f.turns[i]
		if !t.State.Ended() {
			t.State, t.EndedAt, t.LastSeq = Interrupted, e.At, e.Seq
		}
		for _, s := range t.Steps {
			for k := range s.Calls {
				if c := &s.Calls[k]; c.Outcome == Pending {
					c.Outcome, c.Untimed = Cancelled, true
				}
			}
		}
	}
}
