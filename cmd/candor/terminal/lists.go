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
	rows := make([]listRow, len(list))
	for i, t := range list {
		rows[i] = threadRow(i+1, t, current, now)
	}
	return s.rows(rows)
}

// List renders everything that a user has: their conversations, the watched agents, the participants of spaces, and
// the jobs. Threads have the numbers that Pick takes.
//
//	Conversations
//	●   1  6f0f2c1e  Why is login slow?      12 turns, now
//
//	Jobs
//	       98fee028  tidy up                completed, 5 min ago
func (s Style) List(threads []client.Thread, jobs []client.Job, active string, now time.Time) string {
	heads := []string{"Conversations", "Watched agents", "Spaces", "Jobs"}
	kinds := make([][]listRow, len(heads))
	for i, t := range threads {
		kind := 0
		switch {
		case t.Attached != nil:
			kind = 1
		case t.Origin != nil:
			kind = 2
		}
		kinds[kind] = append(kinds[kind], threadRow(i+1, t, active, now))
	}
	for _, j := range jobs {
		kinds[3] = append(kinds[3], listRow{
			id: j.ID, title: cmp.Or(CleanLine(j.Title), "(no title)"),
			about: fit(CleanLine(j.State), 16) + ", " + age(now.Sub(j.UpdatedAt)),
		})
	}
	var parts []string
	for i, rows := range kinds {
		if len(rows) > 0 {
			parts = append(parts, s.paint(bold, "  "+heads[i])+"\n"+s.rows(rows))
		}
	}
	if len(parts) == 0 {
		return s.paint(dim, "  ─ There is no conversation and no job yet.") + "\n"
	}
	return strings.Join(parts, "\n")
}

// listRow is a line of a list. A row without a number has no thread.
type listRow struct {
	number           int
	current          bool
	id, title, about string
}

// threadRow returns the line of a thread, given with its number.
func threadRow(number int, t client.Thread, current string, now time.Time) listRow {
	title := cmp.Or(participant(t.Origin), CleanLine(t.Title), "(nothing said yet)")
	return listRow{number, t.ID == current, t.ID, title, aboutThread(t, now)}
}

// rows renders lines in columns. That of titles leaves room for the longest of what stands behind it.
func (s Style) rows(rows []listRow) string {
	titleWidth := 40
	if s.Width > 0 {
		widest := 0
		for _, r := range rows {
			widest = max(widest, cellWidth(r.about))
		}
		titleWidth = max(10, min(60, s.Width-21-widest))
	}
	var out strings.Builder
	for _, r := range rows {
		mark, number := " ", "   "
		if r.current {
			mark = "●"
		}
		if r.number > 0 {
			number = fmt.Sprintf("%3d", r.number)
		}
		lead := fmt.Sprintf("  %s %s  %s  ", s.paint(green, mark), number, s.paint(cyan, shortID(r.id)))
		if s.Width > 0 && s.Width < 72 {
			out.WriteString(lead + fit(r.title, max(8, s.Width-20)) + "\n" +
				s.hang("         ", dim, strings.TrimLeft(r.about, " ")))
			continue
		}
		out.WriteString(lead + pad(fit(r.title, titleWidth), titleWidth) + "  " + s.paint(dim, r.about) + "\n")
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
