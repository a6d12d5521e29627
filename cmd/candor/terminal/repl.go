package terminal

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"candor/web/client"
)

// Screen is where a conversation is shown and its lines come from.
type Screen interface {
	// ReadLine gives the next line a person typed; io.EOF when there are no more.
	ReadLine() (string, error)
	// Print writes text; while a line is being edited, above it.
	Print(text string)
	// Prompt changes what stands before the line.
	Prompt(prompt string)
	// Progress shows how long something takes, until it is called with nothing.
	Progress(text string)
	// Width is how many cells a line has, 0 for any number.
	Width() int
	// Interrupts tells of Ctrl-C.
	Interrupts() <-chan struct{}
}

// REPL is a conversation with an agent: lines go to it, what it does and why is shown.
// The fields are set before Run and then left alone.
type REPL struct {
	Client   *client.Client
	Screen   Screen
	Style    Style
	Greeting []string // lines to begin with
	Thread   string   // to go on with; empty begins one with the first message
	JSON     bool     // print each turn's JSON, and nothing else
	// Sequential takes the next line only when the turn before it has ended, for input
	// that is not typed. A question that nobody is left to answer is denied.
	Sequential bool

	thread        string
	running       map[int]bool // turns of the thread that have not ended
	approvals     []pendingApproval
	approvalCount int  // questions of the turns that run
	failed        bool // a turn failed, was interrupted, or could not be sent
	workingSince  time.Time
	draft         []string // lines that a backslash at their end holds together
	queued        []string // lines that came while a sequential turn ran
	inputEnded    bool     // no more lines come
	reading       bool     // a line was asked for
	lastPrinted   string   // of what was printed, two bytes of it
	disconnected  bool     // the connection to the server is gone

	lines    chan typedLine
	readNext chan struct{} // a token lets the reader take the next line
	follower follower
	ctx      context.Context // of the conversation: what follows its thread outlives a command
}

// typed is what the reader of lines has read.
type typedLine struct {
	line string
	err  error
}

// question is a call that waits, by the number it was shown with.
type pendingApproval struct {
	shownAs int
	client.Approval
}

var (
	// ErrFailed says that a turn did not complete, or a command could not be followed.
	ErrFailed = errors.New("not all that was asked could be done")
	errQuit   = errors.New("quit")
)

// Run holds the conversation until its person leaves or ctx ends. It returns ErrFailed
// for a sequential conversation in which not all could be done. The goroutine that
// reads lines ends with it, unless it is reading: then with what it reads from.
func (r *REPL) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer r.follower.stop()
	defer cancel()
	r.ctx, r.running = ctx, map[int]bool{}
	r.lines, r.readNext = make(chan typedLine), make(chan struct{}, 1)
	r.follower.events = make(chan threadEvent)
	r.Screen.Prompt(defaultPrompt)
	r.Style.Width = r.Screen.Width()
	r.greet()
	if r.Thread != "" {
		if err := r.attach(ctx, r.Thread); err != nil {
			return err
		}
	}
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

func (r *REPL) greet() {
	out := "\n"
	for _, line := range r.Greeting {
		out += r.Style.hang("  ", dim, CleanLine(line))
	}
	if len(r.Greeting) > 0 {
		r.print(out + "\n")
	}
}

// loop is the only goroutine that changes the conversation.
func (r *REPL) loop(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var err error
		r.Style.Width = r.Screen.Width()
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
			r.showProgress()
		}
		if err != nil {
			return err
		}
	}
}

// read gives lines, each once it is asked for.
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

// next asks for another line, if none is on its way.
func (r *REPL) requestLine() {
	if !r.reading {
		r.reading = true
		r.readNext <- struct{}{}
	}
}

// print writes whole lines. Where no prompt stands between them, two empty lines that
// meet are one.
func (r *REPL) print(text string) {
	if r.Sequential && (r.lastPrinted == "" || r.lastPrinted == "\n\n") {
		text = strings.TrimPrefix(text, "\n")
	}
	if text == "" || r.JSON {
		return
	}
	r.lastPrinted += text[max(0, len(text)-2):]
	r.lastPrinted = r.lastPrinted[max(0, len(r.lastPrinted)-2):]
	r.Screen.Print(text)
}

// say prints a line about the conversation. Yellow is for its mark only: on a light
// ground it is hard to read.
func (r *REPL) notice(rendition, mark, text string) {
	words := rendition
	if rendition == yellow {
		words = ""
	}
	r.print(r.Style.hangAt(r.Style.paint(rendition, "  "+mark+" "), 4, words, text))
}

// typed takes a line, or the end of them.
func (r *REPL) onLine(ctx context.Context, t typedLine) error {
	r.reading = false
	if t.err != nil {
		r.inputEnded = true
		if !errors.Is(t.err, io.EOF) && ctx.Err() == nil {
			return t.err
		}
		return r.advance(ctx)
	}
	if r.Sequential && len(r.running) > 0 && !answersApproval(t.line) {
		r.queued = append(r.queued, t.line)
		r.requestLine()
		return nil
	}
	if err := r.handleLine(ctx, t.line); err != nil {
		return err
	}
	return r.advance(ctx)
}

// answer reports whether a line answers a question.
func answersApproval(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word == "/approve" || word == "/deny"
}

// settle decides what comes next: another line, one that waits, or the end.
func (r *REPL) advance(ctx context.Context) error {
	for r.Sequential && len(r.running) == 0 && len(r.queued) > 0 {
		line := r.queued[0]
		r.queued = r.queued[1:]
		if err := r.handleLine(ctx, line); err != nil {
			return err
		}
	}
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

// denyAll answers the questions that nobody is left to answer.
func (r *REPL) denyAll(ctx context.Context) error {
	r.notice(yellow, "─", "Nobody is left to answer, so what waits is denied.")
	for _, q := range slices.Clone(r.approvals) {
		if err := r.report(ctx, r.deny(ctx, []string{strconv.Itoa(q.shownAs)})); err != nil {
			return err
		}
	}
	return nil
}

// line does what a line says.
func (r *REPL) handleLine(ctx context.Context, line string) error {
	if rest, more := strings.CutSuffix(line, `\`); more {
		r.draft = append(r.draft, rest)
		r.Screen.Prompt("… ")
		return nil
	}
	if len(r.draft) > 0 {
		line = strings.Join(append(r.draft, line), "\n")
		r.draft = nil
		r.Screen.Prompt(defaultPrompt)
	}
	line = strings.TrimSpace(line)
	var err error
	switch {
	case line == "":
	case strings.HasPrefix(line, "/"):
		err = r.dispatch(ctx, line)
	default:
		err = r.send(ctx, line)
	}
	return r.report(ctx, err)
}

// explain says what went wrong and goes on, where one can.
func (r *REPL) report(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, errQuit), ctx.Err() != nil, r.JSON:
		return err // among JSON there is no place for words
	case errors.Is(err, context.Canceled):
		r.notice(dim, "─", "Stopped.")
		return nil
	}
	r.failed = true
	r.notice(red, "✗", CleanLine(err.Error()))
	return nil
}
