package terminal

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"candor/web/client"
)

// Signs around a match. They take no cells, and no cleaned text has them.
const (
	matchOpens  = "\x01"
	matchCloses = "\x02"
)

// Bold alone is what tools have in lists of calls, and underlining alone is faint in some terminals. Neither is a
// color, so both can be seen on any background.

// emphasis is the rendition of what matched: bold and underlined.
const emphasis = "1;4"

// Finding renders the answers to searches.
type Finding struct {
	Style
	Now  time.Time               // what ages are relative to
	From int                     // how many hits came before those of the answer
	Open func(client.Hit) string // the command that shows a hit
}

// Hits renders what a search found: a line that says how much and what was looked for, then for each hit the
// tool with the reason beside it, the object and the result, and where it is with the command that shows it.
// What matched is bold and underlined.
//
//	6 of 1,243 · looked for delete, file · near: remove, rm
//	  delete_file   Nothing references it since the rates moved to the service.
//	                config/legacy_rates.yaml → deleted, 2.1 kB
//	                Fix the invoice test, turn 4, step 5 · 2 h ago · candor reasoning 7c9e6679 4 call_1
func (f Finding) Hits(found client.Found) string {
	var out strings.Builder
	out.WriteString(f.foundLine(found))
	for _, h := range found.Hits {
		out.WriteString(f.hitLines(h))
	}
	if last := f.From + len(found.Hits); len(found.Hits) > 0 && last < found.Total {
		more := fmt.Sprintf("Hits %s to %s of %s; the next begin with --offset %d.", count(f.From+1), count(last),
			count(found.Total), last)
		out.WriteString(f.inkLines("  ", 2, 2, dim, more))
	}
	return out.String()
}

// foundLine says how much was found of how much, and what was looked for.
func (f Finding) foundLine(found client.Found) string {
	all := found.Searched.Decisions + found.Searched.Texts
	parts := []string{count(found.Total) + " of " + count(max(all, found.Total))}
	if words := foreignList(found.Looked); words != "" {
		parts = append(parts, "looked for "+words)
	}
	if words := foreignList(found.Near); words != "" {
		parts = append(parts, "near: "+words)
	}
	// Without these a reader would take the first hit for the answer, or a short list for all there is.
	if found.Partial {
		parts = append(parts, "none has all words")
	}
	if found.Truncated {
		parts = append(parts, "in the latest turns")
	}
	if found.Behind {
		parts = append(parts, stillIndexed)
	}
	return f.inkLines("  ", 2, 2, dim, strings.Join(parts, " · "))
}

// stillIndexed says that what was found is not all there is yet.
const stillIndexed = "search is behind: older turns are still being indexed"

// foreignList joins words that came from a server.
func foreignList(words []string) string {
	var clean []string
	for _, w := range words {
		clean = append(clean, fit(CleanLine(w), 32))
	}
	return strings.Join(clean, ", ")
}

// hitLines renders one hit: its first line like that of a call in a turn, so that a reader of one can read the
// other, then what the call was about, a text that is shown nowhere else, and the place.
func (f Finding) hitLines(h client.Hit) string {
	column, sign, ink := f.column(), " ", dim
	if h.Outcome == "error" || h.Outcome == "rejected" {
		sign, ink = "✗", red
	}
	name, nameInk := matched(h.Name), bold
	// What is no call has no tool. The kind of its text stands there instead, in the ink of text.
	if h.CallID == "" {
		name, nameInk = cmp.Or(fieldWords[h.Field], fit(CleanLine(h.Field), 20)), ownInk
	}
	if width := cellWidth(unmarked(name)); f.Width > 0 && width > max(8, f.Width-6) {
		name = fit(unmarked(name), max(8, f.Width-6))
	}
	// As in the lines of calls: behind a name that takes too much of the line, the reason has its own lines.
	painted, _ := f.marked(nameInk, name, false)
	label, cells := "  "+f.paint(ink, sign)+" "+painted, 4+cellWidth(unmarked(name))
	why, whyInk := hitReason(h)
	gap := max(2, column-cells)
	var out strings.Builder
	if f.Width > 0 && cells+gap > max(column, f.Width*2/5) {
		out.WriteString(label + "\n" + f.markedLines(strings.Repeat(" ", column), column, column, whyInk, why))
	} else {
		out.WriteString(f.markedLines(label+strings.Repeat(" ", gap), cells+gap, column, whyInk, why))
	}
	indent := strings.Repeat(" ", column)
	below := func(ink, text string) {
		if text != "" {
			out.WriteString(f.markedLines(indent, column, column, ink, text))
		}
	}
	// The text with the match is shown unless one of the lines above is that text.
	if h.CallID != "" {
		f.did(h, ink, below)
		if !shownAnyway[h.Field] {
			below(dim, cmp.Or(fieldWords[h.Field], fit(CleanLine(h.Field), 20))+": "+matched(h.Snippet))
		}
	}
	below(dim, f.place(h))
	return out.String()
}

// did adds the object and the result of a call: on one line if they fit, else one below the other.
func (f Finding) did(h client.Hit, resultInk string, below func(ink, text string)) {
	object, result := matched(h.Object), redacted(truncate(CleanLine(h.Line), maxParams))
	if result != "" {
		result = "→ " + result
	}
	one := strings.TrimSpace(object + " " + result)
	// The result of a call that went wrong has another ink, and lines of its own.
	if resultInk == dim && (f.Width == 0 || cellWidth(unmarked(one)) <= f.room()-f.column()) {
		below(dim, one)
		return
	}
	below(dim, object)
	below(resultInk, result)
}

// A person asked something, an agent said something: these are words for what the API names by its members.

// fieldWords names the texts that a hit is from as people speak of them.
var fieldWords = map[string]string{
	"user_input": "asked", "narrative": "said", "thought": "thought", "stop": "stopped",
	"response": "answer", "prompt": "prompt", "parameters": "parameters",
	"asked_by": "asked by", "asked_reason": "why it asked", "to": "run by", "title": "job",
	"approval_value": "a person said", "decision": "decided", "feedback": "your note",
}

// shownAnyway are the fields of a call that each of its hits shows.
var shownAnyway = map[string]bool{"tool_name": true, "object": true, "rationale": true, "outcome_line": true}

// The fallback sentence is ours; where it stands for a reason, the hit says that there is none.

// hitReason returns the text beside the name of a hit, and its rendition.
func hitReason(h client.Hit) (text, ink string) {
	switch why := matched(h.Reason); {
	case h.CallID == "":
		return matched(h.Snippet), ownInk
	case h.Source == "fallback", why == "":
		return "no reason given", dim
	default:
		return why, ownInk
	}
}

// place says where and when a hit is, and how to see it. The command breaks at no space.
func (f Finding) place(h client.Hit) string {
	where := fit(CleanLine(cmp.Or(h.Participant, h.Title)), 48)
	switch {
	case h.JobID != "":
		where = "job " + cmp.Or(where, "without a title")
	case h.TurnNumber > 0:
		where = strings.TrimPrefix(fmt.Sprintf("%s, turn %d", where, h.TurnNumber), ", ")
	}
	if h.Step > 0 {
		where += fmt.Sprintf(", step %d", h.Step)
	}
	parts := []string{where, age(f.Now.Sub(h.At))}
	if h.IsNear {
		parts = append(parts, "near")
	}
	// The command is one word to the wrapping of lines, so that it can be copied by a double click or a line.
	if f.Open != nil {
		parts = append(parts, strings.ReplaceAll(CleanLine(f.Open(h)), " ", "\u00a0"))
	}
	return strings.Join(parts, " · ")
}

// matched joins the parts of a text, cleaned and with signs around what matched.
func matched(parts []client.Part) string {
	var out strings.Builder
	// Each part is cleaned for itself, so that no sequence comes together where two parts meet, and no text can
	// have the signs, which are added afterwards.
	for _, p := range parts {
		text := cleaner{line: true}.clean(p.Text)
		if p.Match && text != "" {
			text = matchOpens + text + matchCloses
		}
		out.WriteString(text)
	}
	return redacted(strings.Join(strings.Fields(out.String()), " "))
}

// unmarked returns a text without the signs of matches.
func unmarked(text string) string {
	return strings.NewReplacer(matchOpens, "", matchCloses, "").Replace(text)
}

// markedLines is inkLines for a text with the signs of matches.
func (s Style) markedLines(label string, cells, column int, ink, text string) string {
	first, rest := 0, 0
	if s.Width > 0 {
		first, rest = max(2, s.room()-cells), max(2, s.room()-column)
	}
	var out strings.Builder
	open := false
	for _, line := range wrapUnder(text, first, rest) {
		line, open = s.marked(ink, line, open)
		out.WriteString(label + line + "\n")
		label = strings.Repeat(" ", column)
	}
	return out.String()
}

// marked paints a line, and its matches bold and underlined. open says that the line begins within a match;
// goesOn says the same of the next line.
func (s Style) marked(ink, line string, open bool) (painted string, goesOn bool) {
	var out strings.Builder
	for line != "" {
		// Outside of a match the line is painted up to the next sign that opens one, within it up to its end.
		until := matchOpens
		if open {
			until = matchCloses
		}
		text, rest, found := strings.Cut(line, until)
		if open {
			out.WriteString(s.paint(emphasis, strings.ReplaceAll(text, "\u00a0", " ")))
		} else if text != "" {
			out.WriteString(s.redact(ink, text))
		}
		if !found {
			break
		}
		open, line = !open, rest
	}
	return out.String(), open
}

// A search that nobody has begun yet shows what there is: how much, and by which facets it can be cut down.

// maxValues is how many values of a facet are listed.
const maxValues = 12

// Choices renders what there is to search for: how many decisions, and the values of each facet with how many hits
// each has. The names of the facets are those of the flags that choose a value.
//
//	36 decisions in 2 places
//	  tool          read_file 9 · bash 6
//	  outcome       success 33 · error 2
func (f Finding) Choices(found client.Found, facets []string) string {
	n := found.Searched
	if n.Decisions+n.Texts == 0 && !found.Behind {
		return f.inkLines("  ", 2, 2, dim, "─ There is nothing to search yet: no agent has called a tool.")
	}
	var out strings.Builder
	line := plural(n.Decisions, "decision") + " in " + plural(n.Places, "place")
	if found.Behind {
		line += " · " + stillIndexed
	}
	out.WriteString(f.inkLines("  ", 2, 2, dim, line))
	for _, name := range facets {
		var values []string
		for i, item := range found.Facets[name] {
			if i == maxValues {
				values = append(values, fmt.Sprintf("%d\u00a0more", len(found.Facets[name])-i))
				break
			}
			text := fit(CleanLine(item.Value), 40) + " " + count(item.Count)
			values = append(values, strings.ReplaceAll(text, " ", "\u00a0"))
		}
		if len(values) > 0 {
			label := "    " + pad(name, 13) + " "
			out.WriteString(f.inkLines(f.paint(dim, label), 18, f.column(), ownInk, strings.Join(values, " · ")))
		}
	}
	return out.String()
}
