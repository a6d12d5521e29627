package terminal

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"candor/web/client"
)

// defaultPrompt precedes a line in which the user types a message or a command.
const defaultPrompt = "› "

// follower receives the events of one thread at a time, in a goroutine of its own.
type follower struct {
	events chan threadEvent
	cancel context.CancelFunc
	wg     sync.WaitGroup
	thread string
	live   bool // with the text of running steps
}

// threadEvent is an event of the thread that was followed when it came.
type threadEvent struct {
	thread string
	event  client.Event
	err    error
}

// start follows a thread from an event on, in place of the one before. Events are
// sent to f.events until stop or the end of ctx.
func (f *follower) start(ctx context.Context, c *client.Client, thread, after string) {
	f.stop()
	ctx, f.cancel = context.WithCancel(ctx)
	f.thread = thread
	f.wg.Go(func() {
		for e, err := range c.Events(ctx, client.Stream{Threads: []string{thread}, After: after, Live: f.live}) {
			select {
			case f.events <- threadEvent{thread, e, err}:
			case <-ctx.Done():
				return
			}
		}
	})
}

// stop ends following. No event is sent once it has returned.
func (f *follower) stop() {
	if f.cancel != nil {
		f.cancel()
	}
	f.wg.Wait()
}

// send sends a message to the thread and opens a thread first if there is none.
func (r *REPL) send(ctx context.Context, content string) error {
	return r.await(ctx, "sending", func(ctx context.Context) error {
		if r.thread == "" {
			t, err := r.Client.NewThread(ctx)
			if err != nil {
				return err
			}
			if err := r.enter(ctx, t.ID); err != nil {
				return err
			}
		}
		sent, err := r.Client.Send(ctx, r.thread, content)
		if err != nil {
			return err
		}
		if sent.ThreadID == r.thread {
			r.markRunning(sent.TurnNumber)
		} // else it was said to a participant of a space, and is a turn of the speaker's own thread
		r.print("\n")
		return nil
	})
}

// enter makes a thread the current one. It takes over its open turns and approvals
// and follows it from there, so that nothing is missed or shown twice.
func (r *REPL) enter(ctx context.Context, thread string) error {
	p, err := r.Client.Recent(ctx, thread, 20)
	if err != nil {
		return err
	}
	r.thread = p.ThreadID
	clear(r.running)
	r.approvals = nil
	// The page of history and its cursor are one snapshot: the stream continues exactly
	// behind what the page has.
	r.follower.start(r.ctx, r.Client, p.ThreadID, p.EventID)
	for _, t := range p.Turns {
		if !t.Ended() {
			r.markRunning(t.Number)
		}
	}
	for _, a := range p.Approvals {
		r.addApproval(a)
	}
	r.noticeDropped([]client.DroppedTurns{{ThreadID: p.ThreadID, Turns: p.Dropped}}, time.Time{})
	return nil
}

// attach enters a thread and shows its state.
func (r *REPL) attach(ctx context.Context, thread string) error {
	return r.await(ctx, "fetching", func(ctx context.Context) error {
		if err := r.enter(ctx, thread); err != nil {
			return err
		}
		// The first turn that Turns yields is the latest.
		var last client.Turn
		for t, err := range r.Client.Turns(ctx, r.thread) {
			if err != nil {
				return err
			}
			last = t
			break
		}
		words := "Thread " + strings.TrimSpace(shortID(r.thread)) + ", nothing said yet."
		if last.Number > 0 {
			words = fmt.Sprintf("Thread %s, %s. Last: %s", strings.TrimSpace(shortID(r.thread)),
				plural(last.Number, "turn"),
				truncate(CleanLine(last.UserInput), 80))
		}
		r.notice(dim, "┄", words)
		r.print("\n")
		return nil
	})
}

// markRunning notes that a turn has begun.
func (r *REPL) markRunning(turn int) {
	r.running[turn] = true
}

// onEvent shows an event and updates the conversation. Events of a thread that was
// left are ignored.
func (r *REPL) onEvent(ctx context.Context, u threadEvent) error {
	if u.thread != r.thread {
		return nil
	}
	if client.Is(u.err, "no_thread") {
		// A server that keeps nothing on disk was restarted, or the session expired.
		r.thread, r.approvals = "", nil
		clear(r.running)
		return r.report(ctx, usage("The server has this conversation no more. What you say next begins another."))
	}
	if u.err != nil {
		return u.err
	}
	e := u.event
	r.serverClock.see(e.At, time.Now())
	r.write(r.eventLines(e, time.Now()))
	r.print(r.withheld.lines(r.Style, e))
	switch e.Type {
	case client.Lost, client.Connected:
		r.connection(e)
	case "thinking":
		if e.MessageID != "" { // not a narrative, which may come after an observed turn's end
			r.markRunning(e.TurnNumber)
		}
	case "approval_needed":
		r.addApproval(e.Approval())
		return r.advance(ctx)
	case "approval_answered":
		r.removeApproval(e.RequestID)
	case "resync":
		return r.report(ctx, r.resync(ctx))
	case "dropped":
		r.noticeDropped(e.Threads, e.At)
	case "response", "error":
		return r.finish(ctx, e)
	case "status":
		if e.State == "interrupted" || e.State == "completed" {
			return r.finish(ctx, e)
		}
	}
	return nil
}

// eventLines returns what an event adds to the screen under the view that was chosen. The
// other view forgets nothing meanwhile.
func (r *REPL) eventLines(e client.Event, now time.Time) string {
	if r.LiveView {
		return r.board.lines(Live{r.Style}, e, now)
	}
	r.board.see(r.Style, e, now)
	return r.speech.lines(Live{r.Style}, e)
}

// connection says once that the server cannot be reached, and once that it can.
func (r *REPL) connection(e client.Event) {
	switch lost := e.Type == client.Lost; {
	case lost && !r.disconnected:
		r.notice(yellow, "┄", "The connection is lost; trying again until it is back.")
	case !lost && r.disconnected:
		r.notice(green, "┄", "Connected again; nothing was missed.")
	}
	r.disconnected = e.Type == client.Lost
}

// finish shows the reasoning of a turn that has ended, and lets the next line come.
func (r *REPL) finish(ctx context.Context, e client.Event) error {
	r.failed = r.failed || e.Type == "error" || e.State == "interrupted"
	err := r.await(ctx, "fetching the reasons", func(ctx context.Context) error {
		t, found, err := r.Client.Turn(ctx, r.thread, e.TurnNumber)
		if err != nil || !found {
			return err
		}
		if r.JSON {
			r.Screen.Print(SafeJSON(t.Raw) + "\n")
			return nil
		}
		if !comesLate(t, e) {
			r.print(r.ending(t))
		}
		r.print("\n")
		return nil
	})
	// The turn has ended even if its reasons could not be fetched.
	delete(r.running, e.TurnNumber)
	if len(r.running) == 0 {
		r.approvalCount = 0
	}
	if err := r.report(ctx, err); err != nil {
		return err
	}
	if r.Sequential {
		return r.advance(ctx)
	}
	return nil
}

// ending renders what follows the answer of a turn: why its tools were called, or under the
// live view, whose lines have said that, what the turn took.
func (r *REPL) ending(t client.Turn) string {
	text := r.board.ending(r.Style, t, r.LiveView)
	if text == "" {
		return ""
	}
	return "\n" + text
}

// resync enters the thread anew when the server no longer has the events in between.
func (r *REPL) resync(ctx context.Context) error {
	r.notice(yellow, "┄", "The server no longer has all that happened; fetching what there is.")
	return r.await(ctx, "fetching", func(ctx context.Context) error { return r.enter(ctx, r.thread) })
}

// onInterrupt stops the turn that runs. When nothing runs it ends a sequential
// conversation, and tells a person how to leave.
func (r *REPL) onInterrupt(ctx context.Context) error {
	switch {
	case len(r.running) == 0 && r.Sequential:
		r.failed = true
		return errQuit
	case len(r.running) == 0:
		r.unfinished, r.doomed = nil, ""
		r.notice(dim, "─", "Nothing runs. Ctrl-D or /quit leaves.")
		return nil
	}
	err := r.await(ctx, "stopping", func(ctx context.Context) error { return r.Client.Interrupt(ctx, r.thread) })
	if client.Is(err, "not_running") {
		err = nil // the turn ended by itself
	}
	return r.report(ctx, err)
}
