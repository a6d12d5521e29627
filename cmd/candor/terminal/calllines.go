package terminal

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"candor/web/client"
)

const (
	// measure is the widest line of reasons, in cells: longer ones are hard to read.
	measure = 100
	// narrow is the width below which lines have no columns.
	narrow = 72
	// reasonColumn is the cell at which reasons begin where there are columns.
	reasonColumn = 18
	// ownInk is the terminal's own color.
	ownInk = ""
	// slanted is the rendition of a plan: what an agent says that is no reason of a call.
	slanted = "3"
)

// callView is what the lines of one call show, or of several calls of one tool that are
// folded into one.
type callView struct {
	sign, ink string // ink renders the sign and the result of a call that did not go well
	tool      string
	times     int // how many calls are folded; 0 and 1 mean one
	why       string
	whyInk    string
	object    string // what the call is about
	result    string
	took      string
}

// viewOf returns what is to be shown of a call that has ended, or is known to wait.
func viewOf(d client.Decision, c client.Call) callView {
	v := callView{sign: "✓", ink: dim, tool: toolName(d), object: objectOf(d, c), result: resultOf(d, c)}
	v.why, v.whyInk = reasonOf(d)
	if d.Edited != nil {
		v.why += "  " + changedNote
	}
	switch d.Outcome {
	case "success":
	case "error", "rejected":
		v.sign, v.ink = "✗", red
	case "pending", "":
		v.sign, v.result = "○", ""
	default: // cancelled, or its result was not seen
		v.sign = "─"
	}
	switch {
	case c.DurationMS != nil:
		v.took = tookMS(*c.DurationMS)
	case c.ApartMS > 0: // nobody measured it
		v.took = "~" + tookMS(c.ApartMS)
	}
	return v
}

// reasonOf returns the reason of a call and its rendition. Where the model gave none it
// says so, dim, because these are nobody's words.
func reasonOf(d client.Decision) (why, ink string) {
	switch {
	case d.Blocked:
		return "reason withheld: it could not be made safe", dim
	case d.Source == "fallback", d.Rationale == "":
		return "no reason given", dim
	}
	why = redacted(CleanLine(d.Rationale))
	if d.Source == "thought" {
		why += "  " + thoughtNote
	}
	if d.Inferred {
		why += "  " + inferredNote
	}
	return why, ownInk
}

// objectOf returns what a call is about, "" if that is not known.
func objectOf(d client.Decision, c client.Call) string {
	switch {
	case d.Decides:
		return inQuotes(cmp.Or(d.Said, d.Decided))
	case c.Object != "":
		return redacted(truncate(CleanLine(c.Object), maxParams))
	}
	if d.Parameters == nil {
		return ""
	}
	if params := Params(d.Parameters); params != "{}" {
		return redacted(params)
	}
	return ""
}

// resultOf says in a few words what a call returned, or why it did not go well.
func resultOf(d client.Decision, c client.Call) string {
	switch {
	case c.Line != "":
		return redacted(truncate(CleanLine(c.Line), maxParams))
	case d.Outcome == "error" || d.Outcome == "rejected" && d.Approval == "":
		return redacted(fit(cmp.Or(CleanLine(c.Error), d.Outcome), 160))
	case d.Outcome != "success" || d.Decides:
		return outcome(d, c)
	case c.Shape != nil && c.Shape.ExitCode != nil && *c.Shape.ExitCode != 0:
		return fmt.Sprintf("exit %d, %s", *c.Shape.ExitCode, plural(chars(c.Shape), "character"))
	case c.Shape != nil && c.Shape.Items != nil && c.Shape.Of != "":
		return count(*c.Shape.Items) + " " + itemNoun(c.Shape.Of, *c.Shape.Items)
	case c.Preview != "":
		return redacted(fit(resultLine(c.Preview, nil), 60))
	case c.Shape != nil:
		return plural(c.Shape.Bytes, "byte")
	}
	return ""
}

// tookMS renders a duration of so many milliseconds: under 1 ms, 54 ms, 12.4 s, 4:12.
func tookMS(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < 0:
		return ""
	case ms == 0:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return clock(d)
}

// clock renders a time in whole seconds: 12 s, 4:12, 1:02:03.
func clock(d time.Duration) string {
	s := int(max(0, d) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// callLines renders a call: the sign and the tool with the reason beside it, and below it
// the object, the result and how long it took. Every line keeps to the width.
//
//	✓ grep          If no code reads the rate config, it can go.
//	                legacy_rates → 3 matches in 2 files                54 ms
func (s Style) callLines(v callView) string {
	name := v.tool
	if v.times > 1 {
		name += fmt.Sprintf(" ×%d", v.times)
	}
	column := s.column()
	name = s.shorten(name, 4)
	label := "  " + s.paint(v.ink, v.sign) + " " + s.paint(bold, name)
	cells := 4 + cellWidth(name)
	if v.why == "" {
		return label + "\n" + s.resultLines(v, column)
	}
	// Behind a long name the reason begins later, and behind a very long one on its own line.
	gap := max(2, column-cells)
	if s.Width > 0 && cells+gap > max(column, s.Width*2/5) {
		return label + "\n" + s.inkLines(strings.Repeat(" ", column), column, column, v.whyInk, v.why) +
			s.resultLines(v, column)
	}
	return s.inkLines(label+strings.Repeat(" ", gap), cells+gap, column, v.whyInk, v.why) + s.resultLines(v, column)
}

// column is the cell at which the lines below the name of a tool begin.
func (s Style) column() int {
	if s.Width > 0 && s.Width < narrow {
		return 4
	}
	return reasonColumn
}

// room is the number of cells of a line of reasons, 0 for no limit.
func (s Style) room() int { return min(s.Width, measure) }

// resultLines renders the object, the result and the time of a call: on one line if they
// fit, else the object above.
func (s Style) resultLines(v callView, column int) string {
	indent, result := strings.Repeat(" ", column), v.result
	if result != "" {
		result = "→ " + result
	}
	one := strings.TrimSpace(v.object + " " + result)
	if one+v.took == "" {
		return ""
	}
	// The result of a call that went wrong is as loud as its sign; any other is dim.
	resultInk := dim
	if v.ink == red || v.ink == yellow {
		resultInk = v.ink
	}
	room := s.room() - column
	if s.Width == 0 || cellWidth(one)+2+tookCells(v.took) <= room {
		line := s.redact(dim, v.object)
		if v.object != "" && result != "" {
			line += " "
		}
		line += s.redact(resultInk, result)
		return indent + line + s.atRight(v.took, room-cellWidth(one)) + "\n"
	}
	out := ""
	if v.object != "" {
		out = s.inkLines(indent, column, column, dim, v.object)
	}
	// A result that takes several lines has the time at the end of its first.
	lines := wrap(result, max(2, room-tookCells(v.took)-2))
	for i, line := range lines {
		out += indent + s.redact(resultInk, line)
		if i == 0 {
			out += s.atRight(v.took, room-cellWidth(line))
		}
		out += "\n"
	}
	return out
}

// tookCells returns the room that a time takes at the end of a line. A short time takes as much
// as any, so that the lines of calls do not depend on how long they took.
func tookCells(took string) int {
	if took == "" {
		return 0
	}
	return max(cellWidth("under 1 ms"), cellWidth(took))
}

// atRight renders a time at the end of a line that has so many cells left.
func (s Style) atRight(took string, left int) string {
	if took == "" {
		return ""
	}
	return strings.Repeat(" ", max(2, left-cellWidth(took))) + s.paint(dim, took)
}

// inkLines writes text behind a label that takes a number of cells, and its further lines
// at a column.
func (s Style) inkLines(label string, cells, column int, ink, text string) string {
	first, rest := 0, 0
	if s.Width > 0 {
		first, rest = max(2, s.room()-cells), max(2, s.room()-column)
	}
	var out strings.Builder
	for _, line := range wrapUnder(text, first, rest) {
		out.WriteString(label + s.redact(ink, line) + "\n")
		label = strings.Repeat(" ", column)
	}
	return out.String()
}

// redacted writes the marks of masked text as people read them, and so that no line breaks
// within one: [REDACTED:api-key] becomes [redacted: api-key].
func redacted(clean string) string {
	return strings.ReplaceAll(clean, "[REDACTED:", "[redacted:\u00a0")
}

// redact paints a line, and what was masked in it yellow. Spaces that do not break become
// common ones.
func (s Style) redact(ink, line string) string {
	line = strings.ReplaceAll(line, "\u00a0", " ")
	if !s.Color {
		return line
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "[redacted: ")
		name, after, ends := strings.Cut(rest, "]")
		if !found || !ends {
			out.WriteString(s.paint(ink, line))
			return out.String()
		}
		out.WriteString(s.paint(ink, before) + s.paint(yellow, "[redacted: "+name+"]"))
		line = after
	}
}

// plan renders what an agent said before its calls, between empty lines.
func (s Style) plan(text string) string {
	if text = redacted(CleanLine(text)); text == "" {
		return ""
	}
	return "\n" + s.inkLines("  ", 2, 2, slanted, text) + "\n"
}

// clockSince renders how long ago something was, which is no time at all if nobody knows when it was.
func clockSince(at, now time.Time) string {
	if at.IsZero() {
		at = now
	}
	return clock(now.Sub(at))
}
