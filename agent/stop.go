package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/safety/thinking"
	"candor/session"
)

// Stop says why a model stopped where it was neither done nor called tools.
type Stop = session.Stop

// StopOf returns the stop that a provider names for an answer with so many calls. An answer that ends to call
// tools and calls none has one of its own.
func StopOf(word string, calls int) Stop {
	if calls == 0 && session.CallsTools(word) {
		return session.StopNoCall
	}
	return session.StopOf(word)
}

// maxMistakes is after how many steps in a row a turn ends whose model makes no call that can run: its answers are
// cut off before they are whole, or have their calls as text.
const maxMistakes = 3

// errWritten refuses a call that a model wrote as text.
var errWritten = errors.New("this call was written as text instead of being made, so it was not run; " +
	"make it as a tool call, and write none into the text")

// cutOff returns the error of a call of an answer that is not whole, which may lack more than one can see.
func cutOff(why Stop) error {
	err := fmt.Errorf("this call was not run: the answer with it is not whole (%s)", why.Words())
	if why.NoAnswer() {
		return err // the model will not be asked again
	}
	return fmt.Errorf("%w; make the call again, with less in one answer", err)
}

// stopError is the error of a turn that ended because of how its model stopped.
type stopError struct{ why Stop }

// Error implements error.
func (e stopError) Error() string {
	if e.why == "" {
		return "the model wrote its calls as text again and again, and none of them was made"
	}
	return "there is no answer: " + e.why.Words()
}

// mistaken counts a step with calls, and returns an error if the turn ends with it.
func (r *agentRun) mistaken(resp Response) error {
	written := true
	for _, c := range resp.Calls {
		written = written && c.written
	}
	switch {
	case resp.Stop.NoAnswer():
		return stopError{resp.Stop}
	case !written && !resp.Stop.CutOff():
		r.mistakes = 0
		return nil
	}
	if r.mistakes++; r.mistakes < maxMistakes {
		return nil
	}
	return stopError{resp.Stop}
}

// unanswered records a step that neither called tools nor answered. If the provider only paused, the turn goes on
// where the model was; else it ends with the error.
func (r *agentRun) unanswered(number int, resp Response) error {
	if !r.reserve(resp.size()) {
		return r.exceeded()
	}
	r.recordNarrative(number, resp)
	r.record(session.StepEnded{Step: number, Usage: session.Usage(resp.Usage), Spent: r.spent(resp)})
	if resp.Stop != session.StopPaused {
		return stopError{resp.Stop}
	}
	// The provider refuses a last message that ends with a space.
	said := Message{Role: RoleAssistant, Text: strings.TrimRight(resp.Text, " \t\r\n"), Opaque: resp.Opaque}
	r.messages = append(r.messages, said)
	return nil
}

// unreadable is the name of a call that a model wrote as text and that nobody can read.
const unreadable = "unreadable_call"

// written returns a response with the calls that its model wrote as text among its calls, none of which will run.
// One that the model made as well is only dropped from the text.
func (s *toolset) written(resp Response) Response {
	known := func(name string) bool { _, ok := s.resolve(name); return ok }
	rest, calls := thinking.Calls(resp.Text, known)
	if resp.Thoughts != "" {
		_, thought := thinking.Calls(resp.Thoughts, known)
		calls = append(calls, slices.DeleteFunc(thought, func(c thinking.Call) bool { return !known(c.Name) })...)
	}
	resp.Text, resp.Thoughts, resp.Calls = rest, "", slices.Clip(resp.Calls)
	made := len(resp.Calls)
	for _, c := range calls {
		same := func(other Call) bool {
			tool, _ := s.resolve(other.Name)
			again, ok := s.resolve(c.Name)
			return ok && tool.spec.Name == again.spec.Name
		}
		if !slices.ContainsFunc(resp.Calls[:made], same) {
			resp.Calls = append(resp.Calls, Call{
				Name: cmp.Or(c.Name, unreadable), Arguments: json.RawMessage(c.Arguments), written: true,
			})
		}
	}
	return resp
}

// settleEvery is how often the end of a turn is tried to be recorded while the storage takes nothing.
const settleEvery = time.Second

// settle sees to it that a turn has an end: one whose end the storage did not keep fails as soon as it keeps
// anything again. Until then the thread's next messages wait, which could not be recorded either. It
// gives up when the chat is stopped; whoever opens the session next interrupts the turn.
func (c *Chat) settle(p *pending, rec chatRecorder) {
	for {
		t, err := p.session.Turn(p.event.Thread, p.event.Turn)
		if err != nil || t.State.Ended() || t.FirstSeq != p.event.Seq {
			return // it has ended, or its thread was deleted, and another may have begun under its name
		}
		err = rec.Record(session.TurnFailed{Error: notKept})
		if !errors.Is(err, session.ErrStorage) {
			return
		}
		again := time.NewTimer(settleEvery)
		select {
		case <-again.C:
		case <-c.ctx.Done():
			again.Stop()
			return
		}
	}
}
