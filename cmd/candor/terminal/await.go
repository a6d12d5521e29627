package terminal

import (
	"context"
	"fmt"
	"time"
)

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
