package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// summaryNote stands behind a text that is its provider's summary of a model's reasoning.
const summaryNote = " (its provider's summary)"

// stopped is the line that says why a model stopped where it was not done, "" if it was.
func (s Style) stopped(why client.Stopped) string { return s.stoppedIn("", why) }

// stoppedIn is stopped for a step, whose label comes first.
func (s Style) stoppedIn(label string, why client.Stopped) string {
	if why.Words == "" {
		return ""
	}
	return s.hang("  ┄ ", yellow, label+"Why it stopped: "+CleanLine(why.Words)+".")
}

// stops are the lines of the steps in which the model was neither done nor called tools. That of the step that answered
// stands with the answer.
func (s Style) stops(t client.Turn) (out string) {
	for _, one := range t.StepStops {
		if one.Answer && one.Agent == "" {
			continue
		}
		label := fmt.Sprintf("Step %d. ", one.Step)
		if one.Agent != "" {
			label = fmt.Sprintf("%s, step %d. ", fit(CleanLine(one.Agent), 30), one.Step)
		}
		out += s.stoppedIn(label, one.Stopped)
	}
	return out
}

// answerStop is the line that says why the answer of a turn is not whole, "" if it is, or if there is none.
func (s Style) answerStop(t client.Turn) string {
	if t.Response == "" {
		return ""
	}
	return s.stopped(t.Stopped)
}

// thought is the line with the summary beside a narrative, "" if there is none.
func (s Style) thought(text string) string {
	if text == "" {
		return ""
	}
	return s.hang("  Thought: ", dim, `"`+CleanLine(text)+`"`+summaryNote)
}

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

// sealedWords says how much reasoning of a step only the provider of its model can read.
//
//	sealed reasoning · 1.2 kB · 310 tokens · only the model's provider can read it
func sealedWords(s client.Sealed) string {
	parts := []string{"sealed reasoning"}
	switch {
	case s.Kind == "signature" && s.Bytes > 0:
		parts = append(parts, "left out, with a signature of "+bytesWords(s.Bytes))
	case s.Kind == "signature":
		parts = append(parts, "left out and signed")
	case s.Bytes > 0:
		parts = append(parts, bytesWords(s.Bytes))
	}
	if s.Tokens > 0 {
		parts = append(parts, plural(s.Tokens, "token"))
	}
	return strings.Join(append(parts, "only the model's provider can read it"), " · ")
}

// bytesWords renders a number of bytes as people read it: 356 bytes, 1.2 kB, 3.4 MB.
func bytesWords(n int) string {
	switch {
	case n < 1000:
		return plural(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

// sealed renders what was sealed of an agent's step as lines of their own, "" for nothing.
func (s Style) sealed(agent string, what *client.Sealed) string {
	if what == nil {
		return ""
	}
	words := sealedWords(*what)
	if agent != "" {
		words = fit(CleanLine(agent), 32) + ": " + words
	}
	return "\n" + s.inkLines("  ", 2, 2, dim, words) + "\n"
}

// sealedAnswer renders what was sealed of the reasoning behind the answer of a turn.
func (s Style) sealedAnswer(t client.Turn) string {
	for _, one := range t.Sealed {
		if one.Answer && one.Agent == "" {
			return strings.TrimLeft(s.sealed("", &one.Sealed), "\n")
		}
	}
	return ""
}
