package terminal

import (
	"fmt"
	"slices"
	"time"

	"candor/web/client"
)

// olderDropped says how many parts of a thread or a job the server has dropped.
func olderDropped(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 older %s was dropped from memory.", what)
	}
	return fmt.Sprintf("%d older %ss were dropped from memory.", n, what)
}

// noticeDropped says how many turns the server has dropped of the current thread, if any, and when if that is known.
func (r *REPL) noticeDropped(all []client.DroppedTurns, at time.Time) {
	for _, d := range all {
		if d.ThreadID == r.thread && d.Turns > 0 {
			r.dropped, r.droppedAt = d, ""
			if !at.IsZero() {
				r.droppedAt = " at " + at.Local().Format(time.TimeOnly)
			}
			r.notice(yellow, "┄", olderDropped(d.Turns, "turn"))
		}
	}
}

// showDropped says what the server dropped of the threads and jobs that are followed.
func (t *Tail) showDropped(e client.Event) {
	all := len(t.Threads) == 0 && len(t.Jobs) == 0
	for _, d := range e.Threads {
		if all || slices.Contains(t.Threads, d.ThreadID) {
			t.printDropped("Thread " + shortID(d.ThreadID) + ": " + olderDropped(d.Turns, "turn"))
		}
	}
	for _, d := range e.Jobs {
		if !all && !slices.Contains(t.Jobs, d.JobID) {
			continue
		}
		line := olderDropped(d.Runs, "run")
		if d.Whole {
			line = "It had ended, and was dropped from memory."
		}
		t.printDropped("Job " + shortID(d.JobID) + ": " + line)
	}
}

func (t *Tail) printDropped(line string) {
	t.print(t.Style.paint(yellow, "  ┄ ") + CleanLine(line) + "\n")
}
