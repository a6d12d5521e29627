package agent

import (
	"cmp"
	"context"
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

// Interrupt stops a thread's running turn together with its tools, and drops the
// messages that wait; each of them becomes an interrupted turn. It returns the running
// turn without waiting for its end; if that is just being recorded, the first of the messages that waited. An empty
// threadID means the active thread. It fails with session.ErrNoThread or session.ErrNotRunning.
func (c *Chat) Interrupt(ctx context.Context, user, threadID string) (session.Ref, error) {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Ref{}, err
	}
	if threadID == "" {
		threadID = s.Active()
	}
	if _, err := s.Thread(threadID); err != nil {
		return session.Ref{}, err
	}
	ref, err := c.interruptHere(threadID)
	if err == nil {
		_, _ = c.interruptElsewhere(ctx, s, threadID, nil)
		return ref, nil
	}
	return c.interruptElsewhere(ctx, s, threadID, err)
}

// interruptHere is Interrupt for the turns that this process runs.
func (c *Chat) interruptHere(threadID string) (session.Ref, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.runners[threadID]
	if !ok {
		return session.Ref{}, fmt.Errorf("thread %s: %w", threadID, session.ErrNotRunning)
	}
	for _, p := range r.waiting {
		p.dropped = true
	}
	switch {
	case !r.ending:
		r.cancel()
		return r.current, nil
	case len(r.waiting) > 0:
		return r.waiting[0].event.Ref, nil
	}
	return session.Ref{}, fmt.Errorf("thread %s: %w", threadID, session.ErrNotRunning)
}

// Cancel stops exactly one turn of a user, together with its tools. A turn that waits becomes an
// interrupted one when its time comes; the others of its thread go on. Cancel returns without
// waiting for the end. It fails with session.ErrNoThread, ErrNoTurn or ErrDropped, with
// session.ErrTurnEnded, and with session.ErrNotRunning for a turn that no agent of ours works on.
func (c *Chat) Cancel(ctx context.Context, user string, ref session.Ref) error {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return err
	}
	err = c.cancelHere(s, ref)
	if errors.Is(err, session.ErrNotRunning) {
		return c.sendTo(ctx, ref, turnCommand{Drop: true}, err)
	}
	return err
}

// cancelHere is Cancel for a turn that this process runs.
func (c *Chat) cancelHere(s *session.Session, ref session.Ref) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := s.Turn(ref.Thread, ref.Turn)
	switch {
	case err != nil:
		return err
	case t.State.Ended():
		return fmt.Errorf("turn %d: %w", ref.Turn, session.ErrTurnEnded)
	}
	if r, ok := c.runners[ref.Thread]; ok && r.drop(ref.Turn) {
		return nil
	}
	return fmt.Errorf("turn %d: %w", ref.Turn, session.ErrNotRunning)
}

// ends decides that the running turn ends as it is about to, unless it was stopped. From then on nobody can stop it,
// however long the log takes to record its end: a stop that was acknowledged is one that holds.
func (c *Chat) ends(ctx context.Context, ref session.Ref) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	if r, ok := c.runners[ref.Thread]; ok && r.current == ref {
		r.ending = true
	}
	return true
}

// drop stops the thread's turn with a number, which waits or runs. It reports whether there is
// one that can be stopped. The caller holds the chat's lock. Of two with one number the turn that waits is meant: the
// thread of the other was deleted right after its end.
func (r *runner) drop(turn int) bool {
	for _, p := range r.waiting {
		if p.event.Turn == turn {
			p.dropped = true
			return true
		}
	}
	if r.current.Turn == turn && !r.ending {
		r.cancel()
		return true
	}
	return false
}

// stopGrace is how long a tool may take to return once its turn has been stopped. A tool
// that takes longer, because it ignores its context or waits for the system, is left
// behind: an interrupt and the end of the process do not wait for it.
const stopGrace = 3 * time.Second

// errLeftBehind is wrapped by the error of a call whose tool did not stop in time.
var errLeftBehind = errors.New("the tool did not stop in time and was left behind")

// runTool runs a tool and returns its result, or stopGrace after the end of ctx an error
// that wraps errLeftBehind. The tool then ends in its own time, and its result is dropped.
// A panic becomes an error and affects no other call.
func runTool(ctx context.Context, t Tool, args json.RawMessage) (json.RawMessage, error) {
	var (
		result json.RawMessage
		err    error
		ended  = make(chan struct{})
	)
	go func() {
		defer close(ended)
		result, err = runRecovered(ctx, t, args)
	}()
	select {
	case <-ended:
		return result, err
	case <-ctx.Done():
	}
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-ended:
		return result, err
	case <-grace.C:
		return nil, fmt.Errorf("%w: %w", errLeftBehind, ctx.Err())
	}
}

// runRecovered runs a tool and returns an error for a panic.
func runRecovered(ctx context.Context, t Tool, args json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("the tool panicked: %v", p)
		}
	}()
	return t.Run(ctx, args)
}
