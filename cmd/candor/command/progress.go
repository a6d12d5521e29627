package command

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows on a terminal how long an operation has taken, once it has taken more
// than a second: a line that flashed up for less would only be noise. It redraws the
// line every second. If w is not a terminal nothing is written, so that logs and pipes
// stay free of control sequences. The caller calls done exactly once; it erases the line
// and returns after the last write, so that the caller may write next.
func progress(w io.Writer, what string) (done func()) {
	if _, tty := terminalOf(w); !tty {
		return func() {}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		start, tick := time.Now(), time.NewTicker(time.Second)
		defer tick.Stop()
		for shown := false; ; shown = true {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case <-tick.C:
				fmt.Fprintf(w, "\r\x1b[K  ⋯ %s, %s", what, time.Since(start).Round(time.Second))
			}
		}
	})
	return func() {
		close(stop)
		wg.Wait()
	}
}
