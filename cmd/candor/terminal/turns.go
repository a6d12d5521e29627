package terminal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// turns renders a list of turns, given with the newest first, in the order in which they were:
// of each its number, how it ended, its message and how long it took, and below that its calls.
//
//	3 ✓ Bump decimal to 1.4 if it changes nothing                   41 s
//	    run_tests ./... → FAIL · bash go get decimal@v1.4.0
//
// The signs are those of calls: a tick, a cross in red, a bar for a turn that was stopped, and ?
// in yellow for one that waits for an answer.
//
// waiting are the ids of the calls that wait for a person, in turns that have not ended.
func (s Style) turns(list []client.Turn, waiting []string, now time.Time) (parts []pagePart) {
	if len(list) == 0 {
		return []pagePart{{s.paint(dim, "  ─ Nothing has been said in this thread yet.") + "\n", false}}
	}
	if len(list) == maxListed && list[maxListed-1].Number > 1 {
		parts = append(parts, pagePart{s.hang("  ┄ ", dim, "Earlier turns are not listed; /why N shows each."),
			false})
	}
	for _, t := range slices.Backward(list) {
		parts = append(parts, pagePart{s.turnLines(t, waiting, now), t.State == "failed" || outcomes(t) != ""})
	}
	return parts
}

// turnLines renders a turn in a list.
func (s Style) turnLines(t client.Turn, waiting []string, now time.Time) string {
	calls := calledOf(t, waiting)
	sign, ink := turnSign(t)
	if len(calls) > 0 && calls[0].ink == yellow {
		sign, ink = "?", yellow
	}
	took := ""
	switch {
	case t.StartedAt == nil:
	case t.CompletedAt != nil:
		took = tookMS(t.CompletedAt.Sub(*t.StartedAt).Milliseconds())
	default:
		took = clock(now.Sub(*t.StartedAt))
	}
	lead := fmt.Sprintf("%4d ", t.Number)
	input := redacted(truncate(CleanLine(t.UserInput), maxParams))
	if input == "" {
		input = "(nothing was said)"
	}
	if s.Width > 0 {
		input = fit(input, max(8, s.room()-len(lead)-2-2-tookCells(took)))
	}
	line := s.paint(dim, lead) + s.paint(ink, sign) + " " + s.redact(bold, input)
	return line + s.atRight(took, s.room()-len(lead)-2-cellWidth(input)) + "\n" + s.calledLine(t, calls)
}

// turnSign returns the sign of how a turn ended, and its rendition.
func turnSign(t client.Turn) (sign, ink string) {
	switch {
	case t.State == "completed":
		return "✓", dim
	case t.State == "failed":
		return "✗", red
	case t.State == "interrupted":
		return "─", yellow
	case t.State == "queued":
		return "┄", dim
	}
	return "○", dim
}

// A list of turns is for finding one, so it tells what a reader remembers of a turn: that
// something failed, which file was changed, and only then what was read.

// calledLine renders the calls of a turn in one line: those that failed, then those that changed
// something, then those that read. A turn without calls has none; one that failed says why.
func (s Style) calledLine(t client.Turn, calls []inked) string {
	const margin = 7
	if t.State == "failed" && t.Error != "" {
		calls = slices.Concat([]inked{{red, redacted(fit(CleanLine(t.Error), 80))}}, calls)
	}
	if len(calls) == 0 {
		return ""
	}
	line, used := strings.Repeat(" ", margin), margin
	// The line is filled until it is full; the last text that does not fit is cut.
	for i, c := range calls {
		text := c.text
		if i > 0 {
			text, line, used = c.text, line+s.paint(dim, " · "), used+3
		}
		room := s.room() - used
		if more := i < len(calls)-1; s.Width > 0 && cellWidth(text)+map[bool]int{true: 4}[more] > room {
			line += s.redact(c.ink, fit(text, max(1, room)))
			break
		}
		line, used = line+s.redact(c.ink, text), used+cellWidth(text)
	}
	return line + "\n"
}

// changing matches the names of tools that change something, as far as a name tells.
var changing = regexp.MustCompile(`(?i)(^|[_/.-])(write|edit|patch|apply|delete|remove|rm|create|open|move|rename|` +
	`push|commit|post|put|insert|update|set|send|merge|deploy)([_/.-]|$)`)

// calledOf returns the calls of a turn, the most telling first: one that waits for a person is
// the first of all.
func calledOf(t client.Turn, waiting []string) (all []inked) {
	if t.Reasoning == nil {
		return nil
	}
	var asks, failed, changed, others []inked
	for e := range entries(t) {
		v := viewOf(e.Decision, e.call)
		text := strings.TrimSpace(fit(v.tool, 32) + " " + fit(v.object, 60))
		switch {
		case !t.Ended() && slices.Contains(waiting, e.CallID) && v.sign == "○":
			asks = append(asks, inked{yellow, text + " → may it run?"})
		case v.ink == red:
			failed = append(failed, inked{red, text + " → " + fit(v.result, 60)})
		case changing.MatchString(CleanLine(e.ToolName)):
			changed = append(changed, inked{dim, text})
		default:
			others = append(others, inked{dim, text})
		}
	}
	return slices.Concat(asks, failed, changed, others)
}
