package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// turnCount counts what the line at the foot of a running turn says.
type turnCount struct {
	step         int
	batch        bool // a call of the step has begun
	begun, ended int
	failed       int
	cost         string    // so far, if prices are known
	since        time.Time // of what happened last in the turn
}

// see counts an event.
func (t *turnCount) see(e client.Event, now time.Time) {
	switch e.Type {
	case "thinking", "status":
		// The event that begins a turn names its message, and so does that of a turn that waits.
		if e.MessageID != "" && e.State != "queued" {
			*t = turnCount{step: 1}
		}
		t.since = now
	case "reasoning_update":
		// It comes after each step that called tools, also after those of sub-agents.
		if e.Agent == "" && t.batch {
			t.step, t.batch = t.step+1, false
		}
		t.cost = fit(CleanLine(e.Cost), 16)
		t.since = now
	case "tool_started":
		t.begun++
		t.batch = t.batch || e.Agent == ""
		t.since = now
	case "tool_completed":
		t.ended++
		if e.Outcome != "success" && e.Outcome != unknown {
			t.failed++
		}
	}
}

// foot renders the line at the foot of a running turn: which step it is in, what runs and
// for how long, and how many calls have ended. What does not fit is left out, the least
// telling first.
//
//	⋯ step 5 · run_tests ./... · 12 s · 20 of 21 calls, 1 failed
func (b *board) foot(s Style, now time.Time) string {
	running, object := b.running()
	t := b.turn
	if running == "" {
		running = "the model is thinking"
	}
	step, took := fmt.Sprintf("step %d", max(1, t.step)), clockSince(t.since, now)
	long, short, failed := "", "", ""
	if t.begun > 0 {
		long = fmt.Sprintf("%d of %s", t.ended, plural(t.begun, "call"))
		short = fmt.Sprintf("%d/%d", t.ended, t.begun)
	}
	if t.failed > 0 {
		failed = fmt.Sprintf("%d failed", t.failed)
	}
	// From the longest form to the shortest: first the object goes, then words, then counts.
	for _, parts := range [][]string{
		{step, strings.TrimSpace(running + " " + object), took, long, failed, t.cost},
		{step, running, took, long, failed, t.cost}, {step, running, took, long, failed},
		{step, running, took, short, failed}, {step, fit(running, 20), took, failed}, {step, took},
	} {
		if line, cells := s.footLine(parts, failed); s.Width == 0 || cells <= s.Width {
			return line
		}
	}
	return s.paint(dim, "⋯") + "\n"
}

// footLine renders the parts of a foot that are not empty, and returns the cells it takes.
func (s Style) footLine(parts []string, failed string) (line string, cells int) {
	bare := "  ⋯"
	line = s.paint(dim, bare)
	for i, p := range parts {
		ink, before := dim, " · "
		switch {
		case p == "":
			continue
		case i == 0:
			ink, before = bold, " "
		case p == failed:
			ink = red
		}
		bare += before + p
		line += s.paint(dim, before) + s.paint(ink, p)
	}
	return line + "\n", cellWidth(bare)
}

// running names the tool that runs, or how many calls do, and what a single one is about.
func (b *board) running() (tool, object string) {
	n := 0
	for _, c := range b.calls {
		if !c.ended {
			if n++; n == 1 {
				v := c.view()
				tool, object = fit(v.tool, 32), fit(v.object, 40)
			}
		}
	}
	if n > 1 {
		return plural(n, "call"), ""
	}
	return tool, object
}

// sums is the line that sums up a turn that has ended: its calls and how many of them did not
// go well, how long it took, its tokens, and what they cost. It is empty for a turn without calls.
//
//	21 calls · 1 failed, 1 rejected · 58 s · 22,310 tokens · $0.14
func (s Style) sums(t client.Turn) string {
	if len(t.Calls) == 0 {
		return ""
	}
	parts := []string{plural(len(t.Calls), "call"), outcomes(t)}
	failed := parts[1]
	if t.StartedAt != nil && t.CompletedAt != nil {
		parts = append(parts, tookMS(t.CompletedAt.Sub(*t.StartedAt).Milliseconds()))
	}
	if t.Usage != nil {
		parts = append(parts, plural(t.Usage.Input+t.Usage.Output, "token"), fit(CleanLine(t.Usage.Cost), 16))
	}
	line, separator := "  ", ""
	for _, p := range parts {
		ink := dim
		if p == failed {
			ink = red
		}
		if p != "" {
			line, separator = line+s.paint(dim, separator)+s.paint(ink, p), " · "
		}
	}
	return line + "\n"
}

// outcomes counts the calls of a turn that did not go well: 1 failed, 2 rejected.
func outcomes(t client.Turn) string {
	if t.Reasoning == nil {
		return ""
	}
	counts := map[string]int{}
	for _, d := range t.Reasoning.Decisions {
		counts[d.Outcome]++
	}
	var words []string
	for _, o := range []struct{ ended, word string }{{"error", "failed"}, {"rejected", "rejected"}} {
		if n := counts[o.ended]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, o.word))
		}
	}
	return strings.Join(words, ", ")
}

// inPlace renders what is redrawn in place while turns run: each call that runs, with its
// reason and for how long it has run, what the model writes, and the foot.
func (b *board) inPlace(s Style, now time.Time) string {
	var out strings.Builder
	for _, unit := range b.units() {
		runs := slices.IndexFunc(unit, func(c *boardCall) bool { return !c.ended })
		if runs < 0 || unit[0].asked {
			continue // it is about to be printed, or the question shows it
		}
		views := make([]callView, len(unit))
		for i, c := range unit {
			views[i] = c.view()
		}
		v := views[0]
		if len(views) > 1 {
			v = folded(views, "")
		}
		v.sign, v.ink, v.result = "○", dim, ""
		if v.object != "" {
			v.took = clockSince(unit[runs].started, now)
		}
		out.WriteString(s.callLines(v))
	}
	out.WriteString(b.draft.lines(s))
	if out.Len() > 0 {
		out.WriteString("\n")
	}
	return out.String() + b.foot(s, now)
}
