package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// This file has the lines above the prompt while a person is asked: how to answer each question, and how
// long it still waits. The question itself is printed, and stays; these lines change every second and
// are gone with the answer. Where nothing can be redrawn the question ends with how to answer it,
// and says nothing of the time, which would be wrong a second later.
//
// When a question ends is the server's to say, by its own clock. This one's may differ, so the times of
// the server's events tell by how much; see serverClock.

// redraws reports whether the screen has lines that change in place.
func (r *REPL) redraws() bool {
	_, editor := r.Screen.(*Editor)
	return editor && !r.JSON
}

// serverClock estimates how far the server's clock is ahead, by the times of its events. An
// event arrives later than it was logged, and one that was missed much later, so the one that
// is furthest ahead is the closest. The zero value knows nothing, and takes both clocks for equal.
type serverClock struct {
	ahead time.Duration
	known bool
}

// see takes in the time of an event that arrives now.
func (c *serverClock) see(at, now time.Time) {
	if ahead := at.Sub(now); !at.IsZero() && (!c.known || ahead > c.ahead) {
		c.ahead, c.known = ahead, true
	}
}

// left returns how long it is until a time of the server, at least 0.
func (c serverClock) left(until, now time.Time) time.Duration {
	return max(0, until.Sub(now.Add(c.ahead)))
}

// maxAsked is how many questions are listed above the prompt, the oldest first.
const maxAsked = 4

// openQuestions renders how to answer the questions that wait, and how long each still waits.
func (r *REPL) openQuestions(now time.Time) string {
	var out strings.Builder
	for _, q := range r.approvals[:min(len(r.approvals), maxAsked)] {
		left := ""
		if !q.Expires.IsZero() {
			left = remaining(r.serverClock.left(q.Expires, now)) + " left"
		}
		out.WriteString(r.Style.howToAnswer(q.Approval, r.numberOf(q), left))
	}
	if more := len(r.approvals) - maxAsked; more > 0 {
		out.WriteString(r.Style.hang("    ", dim, fmt.Sprintf("%d more wait", more)))
	}
	return out.String()
}

// remaining renders how long something still lasts, to the second: 4:12.
func remaining(d time.Duration) string {
	s := int((d + time.Second - 1) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// howToAnswer is one line about a question: the keys that answer it, and how long it still
// waits. Where the window is too narrow the least needed keys are left out.
//
//	May it run?  y yes   a always   n no   n WORDS no, and why   v view       4:12 left
func (s Style) howToAnswer(a client.Approval, number int, left string) string {
	asked, choices := choicesOf(a, number)
	asked = "    " + strings.TrimSpace(asked)
	gap := "   "
	cells := func() int {
		return cellWidth(asked+"  "+strings.Join(choices, gap)) + min(1, len(left))*(3+cellWidth(left))
	}
	if s.Width > 0 && cells() > s.Width {
		gap = "  "
	}
	for len(choices) > 2 && s.Width > 0 && cells() > s.Width {
		at := leastNeeded(choices)
		choices = slices.Delete(choices, at, at+1)
	}
	blanks := 3
	if s.Width > 0 {
		blanks = max(1, min(s.Width, 100)-cells()+3)
	}
	line := s.paint(yellow, asked) + "  "
	for i, c := range choices {
		key, what, _ := strings.Cut(c, " ")
		if number > 0 {
			n, rest, _ := strings.Cut(what, " ")
			key, what = key+" "+n, rest
		}
		if i > 0 {
			line += gap
		}
		line += s.paint(bold, key) + " " + s.paint(yellow, what)
	}
	if left != "" {
		line += strings.Repeat(" ", blanks) + s.paint(yellow, left)
	}
	return line + "\n"
}

// leastNeeded returns which of the ways to answer can be left out first: words, then what only
// looks, then edit, then always.
func leastNeeded(choices []string) int {
	for _, part := range []string{"WORDS", " view", " edit", " always"} {
		for i, c := range choices {
			if strings.Contains(c, part) {
				return i
			}
		}
	}
	return len(choices) - 1
}
