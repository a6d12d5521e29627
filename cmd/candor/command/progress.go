package command

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows on a terminal how long an operation takes, from its second second on.
// Anything but a terminal gets nothing. done erases the line and returns when nothing
// more is written, so that the caller may write next.
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
