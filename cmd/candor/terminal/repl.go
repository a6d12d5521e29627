package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"candor/web/client"
)

// REPL is a conversation with an agent. It sends lines to a thread, shows what the
// agent does as it happens, and after each turn why. Set the exported fields before
// Run and leave them alone afterwards.
//
// One goroutine, loop, owns the conversation. Lines, events and interrupts reach it
// by channels, so no state is shared; requests to the server run in await, which
// lets Ctrl-C through.
type REPL struct {
	Client   *client.Client
	Screen   Screen
	Style    Style
	Greeting []string // lines to print first
	Thread   string   // to continue; with "" the first message begins a new one
	JSON     bool     // print the JSON of each turn and nothing else
	// Sequential takes the next line only when the turn before it has ended. It is for
	// input that nobody types. Approvals that are open when the input ends are denied.
	Sequential bool
	// LiveView shows each call with its reason and its result on lines of its own, and leaves
	// the reasoning out below the answer where these lines have said it all.
	LiveView bool
	// Editor is the program in which a person changes the parameters of a call, with its first
	// arguments; without it they are written into the line.
	Editor []string

	thread        string
	running       map[int]bool // turns of the thread that have not ended
	approvals     []pendingApproval
	asked         bool     // a call waited for an answer while the line was typed
	prompted      string   // the prompt on the screen
	approvalCount int      // approvals asked for since a turn began, to number them
	failed        bool     // a turn failed, was interrupted, or could not be sent
	unfinished    []string // lines so far of a message that a backslash continues
	queued        []string // lines that came while a sequential turn ran
	doomed        string   // the thread that the next line may delete
	inputEnded    bool
	reading       bool // read has been asked for a line
	paper         paper
	disconnected  bool // the connection to the server is lost
	withheld      withheldNote
	dropped       client.DroppedTurns // of the thread, the latest that is known
	droppedAt     string              // when, in words; empty if nobody said
	speech        speech
	board         board
	serverClock   serverClock
	twice         string            // the request that was answered with always, and has to be once more
	drafts        map[string]string // parameters that were written, by the request that still waits

	lines    chan typedLine
	readNext chan struct{} // a token lets read take the next line
	follower follower
	ctx      context.Context // of the conversation; a followed thread outlives a command
}

// typedLine is what one ReadLine returned.
type typedLine struct {
	line string
	err  error
}

var (
	// ErrFailed reports that a turn did not complete or that a command failed.
	ErrFailed = errors.New("not all that was asked could be done")
	errQuit   = errors.New("quit")
)

// Run holds the conversation until the person leaves, input ends or ctx ends; all of
// these return nil. It returns ErrFailed for a sequential conversation in which not
// everything could be done, and other errors for a server that refuses or cannot be
// reached at the start.
//
// All goroutines of Run end with it, but for one that is inside ReadLine: it ends
// with the next line or the end of the input.
func (r *REPL) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer r.follower.stop()
	defer cancel()
	r.ctx, r.running = ctx, map[int]bool{}
	r.lines, r.readNext = make(chan typedLine), make(chan struct{}, 1)
	r.follower.events, r.follower.live = make(chan threadEvent), !r.JSON
	r.speech.whole = !r.Sequential // a person types below it
	r.showPrompt()
	r.Style.Width = r.Screen.Width()
	r.greet()
	if r.Thread != "" {
		if err := r.attach(ctx, r.Thread); err != nil {
			return err
		}
	}
	// Not waited for: ReadLine on a pipe cannot be interrupted, and must not keep a
	// conversation that has ended from returning.
	go r.read(ctx)
	r.requestLine()
	err := r.loop(ctx)
	if errors.Is(err, errQuit) || errors.Is(err, context.Canceled) {
		err = nil
	}
	if err == nil && r.failed && r.Sequential {
		err = ErrFailed
	}
	return err
}

// loop is the only goroutine that changes the conversation.
func (r *REPL) loop(ctx context.Context) error {
	tick := time.NewTicker(time.Second) // what runs says how long it has been running
	defer tick.Stop()
	for {
		var err error
		r.Style.Width = r.Screen.Width() // the window may have changed
		select {
		case <-ctx.Done():
			return ctx.Err()
		case t := <-r.lines:
			err = r.onLine(ctx, t)
		case u := <-r.follower.events:
			err = r.onEvent(ctx, u)
		case <-r.Screen.Interrupts():
			err = r.onInterrupt(ctx)
		case <-tick.C:
		}
		if err != nil {
			return err
		}
		r.showProgress()
		r.showPrompt()
	}
}

// read passes lines on, one for each time that requestLine asks.
func (r *REPL) read(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.readNext:
		}
		line, err := r.Screen.ReadLine()
		select {
		case <-ctx.Done():
			return
		case r.lines <- typedLine{line, err}:
		}
		if err != nil {
			return
		}
	}
}

// requestLine lets read take another line, unless it is reading one already.
func (r *REPL) requestLine() {
	if !r.reading {
		r.reading, r.asked = true, len(r.approvals) > 0
		r.readNext <- struct{}{}
	}
}

// onLine handles a line, or the end of the input. In a sequential conversation a
// line waits for the running turn, unless it answers an approval.
func (r *REPL) onLine(ctx context.Context, t typedLine) error {
	r.reading = false
	if !r.Sequential {
		r.paper.end = "\n" // the line is on the screen
	}
	if t.err != nil {
		r.inputEnded = true
		if !errors.Is(t.err, io.EOF) && ctx.Err() == nil {
			return t.err
		}
		return r.advance(ctx)
	}
	if r.Sequential && len(r.running) > 0 && !r.answersApproval(t.line) {
		r.queued = append(r.queued, t.line)
		r.requestLine()
		return nil
	}
	if err := r.handleLine(ctx, t.line); err != nil {
		return err
	}
	return r.advance(ctx)
}

// advance decides what comes next: a queued line, another line, or the end of the
// conversation.
func (r *REPL) advance(ctx context.Context) error {
	for r.Sequential && len(r.running) == 0 && len(r.queued) > 0 {
		line := r.queued[0]
		r.queued = r.queued[1:]
		if err := r.handleLine(ctx, line); err != nil {
			return err
		}
	}
	// A sequential conversation reads on while approvals wait, because the next line may
	// answer them.
	switch {
	case !r.inputEnded && (!r.Sequential || len(r.running) == 0 || len(r.approvals) > 0):
		r.requestLine()
	case r.inputEnded && !r.Sequential, r.inputEnded && len(r.running) == 0:
		return errQuit
	case r.inputEnded && len(r.approvals) > 0:
		return r.denyAll(ctx)
	}
	return nil
}

// handleLine runs a command or sends a message. A line that ends in a backslash
// continues on the next one.
func (r *REPL) handleLine(ctx context.Context, line string) error {
	if r.doomed != "" {
		return r.report(ctx, r.answerDelete(ctx, line))
	}
	if rest, more := strings.CutSuffix(line, `\`); more {
		r.unfinished = append(r.unfinished, rest)
		return nil
	}
	if len(r.unfinished) > 0 {
		line = strings.Join(append(r.unfinished, line), "\n")
		r.unfinished = nil
	}
	line = strings.TrimSpace(line)
	if p, ok := parseReply(line); !ok || p.action != "always" {
		r.twice = ""
	}
	var err error
	switch {
	case line == "":
	case strings.HasPrefix(line, "/"):
		err = r.dispatch(ctx, line)
	default:
		var taken bool
		if taken, err = r.answers(ctx, line); !taken {
			err = r.send(ctx, line)
		}
	}
	return r.report(ctx, err)
}

// report shows an error and lets the conversation continue. It returns the errors
// that end it: quitting, a context that ended, and in JSON mode all.
func (r *REPL) report(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, errQuit), ctx.Err() != nil, r.JSON:
		return err // a text among JSON would break its reader
	case errors.Is(err, context.Canceled):
		r.notice(dim, "─", "Stopped.")
		return nil
	}
	r.failed = true
	r.notice(red, "✗", CleanLine(err.Error()))
	return nil
}

// showProgress shows what runs, with its reasons, or how to answer where a person is asked.
func (r *REPL) showProgress() {
	if len(r.approvals) > 0 && r.redraws() {
		r.Screen.Progress(r.openQuestions(time.Now()))
		return
	}
	if len(r.running) == 0 || len(r.approvals) > 0 || r.JSON {
		r.Screen.Progress("")
		return
	}
	r.Screen.Progress(r.board.inPlace(r.Style, time.Now()))
}

// elapsed renders how long something has taken, "" within the first second.
func (r *REPL) elapsed(what string, since time.Time) string {
	d := time.Since(since).Round(time.Second)
	if d < time.Second {
		return ""
	}
	return r.Style.paint(dim, fmt.Sprintf("  ⋯ %s, %s", what, clock(d))) + "\n"
}

// requestTimeout bounds how long a person waits for an answer of the server.
const requestTimeout = time.Minute

// await runs do, which may take a while, and shows how long it takes. Ctrl-C cancels
// its context; so does requestTimeout. It returns when do has returned.
func (r *REPL) await(ctx context.Context, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	done := make(chan error, 1) // buffered, so that do never blocks on it
	start, tick := time.Now(), time.NewTicker(time.Second)
	defer tick.Stop()
	go func() { done <- do(ctx) }()
	shown := false
	for {
		select {
		case err := <-done:
			if shown {
				r.Screen.Progress("")
			}
			return err
		case <-r.Screen.Interrupts():
			cancel() // do returns soon, and with it this
		case <-tick.C:
			shown = true
			r.Screen.Progress(r.elapsed(what, start))
		}
	}
}
