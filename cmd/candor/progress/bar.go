package progress

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

const (
	// quiet is how long nothing is shown.
	quiet = time.Second
	// every is the time between two lines.
	every = 250 * time.Millisecond
	// recent is how far back the rate looks.
	recent = 5 * time.Second
)

// Bar is a progress line on a terminal. It counts the bytes that are written to it.
type Bar struct {
	what  string
	total int64
	done  atomic.Int64
	stop  chan struct{}
	wg    sync.WaitGroup
}

// Start shows on w, if that is a terminal, a line with the progress in bytes toward total. what names the operation,
// such as scanning, and must be a fixed word. A total of 0 means unknown. The caller calls Done exactly once.
func Start(w io.Writer, what string, total int64) *Bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return &Bar{}
	}
	return start(f, what, total, func() int {
		width, _, _ := term.GetSize(int(f.Fd()))
		return width
	})
}

// start shows the bar on a terminal of the width that a function tells, 0 if it is unknown.
func start(w io.Writer, what string, total int64, width func() int) *Bar {
	b := &Bar{what: what, total: total, stop: make(chan struct{})}
	b.wg.Go(func() { b.draw(w, width) })
	return b
}

// Write counts the bytes of p. It never fails.
func (b *Bar) Write(p []byte) (int, error) {
	b.done.Add(int64(len(p)))
	return len(p), nil
}

// Done erases the line, and returns after the last write to the terminal.
func (b *Bar) Done() {
	if b.stop != nil {
		close(b.stop)
		b.wg.Wait()
	}
}

// sample is how many bytes there were at a time.
type sample struct {
	at   time.Time
	done int64
}

// draw draws the line until the bar is done.
func (b *Bar) draw(w io.Writer, width func() int) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	begun, shown := time.Now(), false
	past := []sample{{at: begun}}
	for {
		select {
		case <-b.stop:
			if shown {
				_, _ = io.WriteString(w, "\r\x1b[K")
			}
			return
		case now := <-tick.C:
			past = append(past, sample{now, b.done.Load()})
			for now.Sub(past[0].at) > recent {
				past = past[1:]
			}
			if now.Sub(begun) >= quiet {
				shown = true
				_, _ = io.WriteString(w, "\r\x1b[K"+b.figures(past, now.Sub(begun)).line(width()))
			}
		}
	}
}

// figures returns what is known of the bar after the samples of the last seconds.
func (b *Bar) figures(past []sample, took time.Duration) figures {
	first, last := past[0], past[len(past)-1]
	f := figures{what: b.what, done: last.done, total: b.total, took: took}
	if passed := last.at.Sub(first.at).Seconds(); passed > 0 {
		f.rate = float64(last.done-first.done) / passed
	}
	return f
}
