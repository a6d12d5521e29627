package terminal

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"candor/web/client"
)

// Threads renders a list of conversations with their numbers, the current one
// marked. now is what the ages are relative to.
//
//	●   1  6f0f2c1e  Why is login slow?      12 turns, now
//	    2  9b1d77aa  (nothing said yet)       0 turns, 5 min ago
func (s Style) Threads(list []client.Thread, current string, now time.Time) string {
	if len(list) == 0 {
		return s.paint(dim, "  ─ There is no conversation yet. Say something to begin one.") + "\n"
	}
	// The column of titles leaves room for the longest of what stands behind it.
	titleWidth := 40
	if s.Width > 0 {
		widest := 0
		for _, t := range list {
			widest = max(widest, cellWidth(aboutThread(t, now)))
		}
		titleWidth = max(10, min(60, s.Width-21-widest))
	}
	var out strings.Builder
	for i, t := range list {
		mark := " "
		if t.ID == current {
			mark = "●"
		}
		title := cmp.Or(participant(t.Origin), CleanLine(t.Title), "(nothing said yet)")
		about := aboutThread(t, now)
		lead := fmt.Sprintf("  %s %3d  %s  ", s.paint(green, mark), i+1, s.paint(cyan, shortID(t.ID)))
		if s.Width > 0 && s.Width < 72 {
			out.WriteString(lead + fit(title, max(8, s.Width-20)) + "\n" +
				s.hang("         ", dim, strings.TrimLeft(about, " ")))
			continue
		}
		out.WriteString(lead + pad(fit(title, titleWidth), titleWidth) + "  " + s.paint(dim, about) + "\n")
	}
	return out.String()
}

// aboutThread says how many turns a thread has, when it was used, and whether it runs. The
// turns are aligned to the right.
func aboutThread(t client.Thread, now time.Time) string {
	about := fmt.Sprintf("%9s", plural(t.TurnCount, "turn")) + ", " + age(now.Sub(t.Used()))
	if t.State == "processing" {
		about += ", running"
	}
	return about
}

// shortID returns the first eight characters of an id, padded: enough to tell ids
// apart by eye.
func shortID(id string) string { return pad(strings.TrimSuffix(truncate(CleanLine(id), 8), "…"), 8) }

// age says how long ago something was, in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

// hit is a place in a turn that a search found.
type hit struct{ where, text string }

// hits returns the places of a turn in which all words occur, in any case. The name
// of the place, such as a tool's, counts as part of its text.
func hits(t client.Turn, words []string) []hit {
	var found []hit
	try := func(where, text string) {
		lower := strings.ToLower(where + " " + text)
		for _, w := range words {
			if !strings.Contains(lower, strings.ToLower(w)) {
				return
			}
		}
		found = append(found, hit{where, text})
	}
	try("said", t.UserInput)
	if a := t.Asked; a != nil {
		try("asked by "+CleanLine(a.By), a.Reason)
	}
	if r := t.Reasoning; r != nil {
		if len(r.Narratives) == 0 {
			try("narrative", r.Narrative)
		}
		for _, n := range r.Narratives {
			try("narrative", n.Narrative)
		}
		for _, d := range r.Decisions {
			text := quotedReason(d) + " " + Params(d.Parameters)
			if d.Said != "" {
				text += " " + inQuotes(d.Said)
			}
			try(toolName(d), text)
		}
	}
	for _, n := range t.Notes {
		try(CleanLine(n.From), n.Text)
	}
	try("conclusion", t.Conclusion)
	try("answer", t.Response)
	return found
}

// Hits renders what a search found in a turn: a line for each place, cut around the
// first of the words. words must not be empty.
//
//	turn 2  said              Why is LOGIN slow?
//	turn 2  notes_search      "somebody may have met this before" …
func (s Style) Hits(t client.Turn, words []string) string {
	var out strings.Builder
	for _, h := range hits(t, words) {
		where := fmt.Sprintf("  turn %d  ", t.Number)
		room := 120
		if s.Width > 0 {
			room = max(20, s.Width-cellWidth(where)-18)
		}
		text := excerpt(CleanLine(h.text), words[0], room)
		out.WriteString(s.paint(dim, where) + s.paint(cyan, pad(fit(h.where, 16), 16)) +
			"  " + s.highlight(text, words) + "\n")
	}
	return out.String()
}

// excerpt returns the part of a text around a word, in a number of cells.
func excerpt(text, word string, cells int) string {
	at := strings.Index(strings.ToLower(text), strings.ToLower(word))
	if cellWidth(text) <= cells || at < 0 || at > len(text) {
		return fit(text, cells)
	}
	from := strings.LastIndexByte(text[:max(0, at-cells/3)], ' ') + 1
	if from > 0 {
		return fit("…"+text[from:], cells)
	}
	return fit(text, cells)
}

// highlight sets the words in bold wherever they occur in a text. It leaves alone a
// text whose lower case has another length, as offsets would not fit.
func (s Style) highlight(text string, words []string) string {
	if !s.Color {
		return text
	}
	var out strings.Builder
	original, lower := text, strings.ToLower(text)
	if len(lower) != len(text) {
		return text
	}
	for len(text) > 0 {
		at, length := -1, 0
		for _, w := range words {
			if i := strings.Index(lower, strings.ToLower(w)); i >= 0 && (at < 0 || i < at) {
				at, length = i, len(w)
			}
		}
		if at < 0 || at+length > len(text) {
			break
		}
		out.WriteString(text[:at] + s.paint(bold, text[at:at+length]))
		text, lower = text[at+length:], lower[at+length:]
	}
	out.WriteString(text)
	if !utf8.ValidString(out.String()) {
		return original
	}
	return out.String()
}
