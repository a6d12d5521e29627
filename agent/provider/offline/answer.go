package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"candor/agent"
)

// Bounds of what the answer shows of one result.
const (
	maxItems = 10 // of a list
	maxLines = 12 // of a text
)

// turn is the part of the conversation that belongs to the running turn.
type turn struct {
	number  int    // how many messages the user has sent
	message string // the last of them
	steps   int    // how many steps were made since
	calls   []callResult
}

// callResult is a call of this turn and what it returned, "" for nothing yet.
type callResult struct {
	agent.Call
	result string
}

// authorLine is the line that names the author of a message in a space that several share.
var authorLine = regexp.MustCompile(`^From [^\n]{1,256}:\n`)

// readTurn reads a conversation from the last user message on.
func readTurn(messages []agent.Message) turn {
	var t turn
	for _, m := range messages {
		switch {
		case m.Role == agent.RoleUser:
			t = turn{number: t.number + 1, message: authorLine.ReplaceAllString(m.Text, "")}
		case m.Role == agent.RoleAssistant && len(m.Calls) > 0:
			t.steps++
			for _, c := range m.Calls {
				t.calls = append(t.calls, callResult{Call: c})
			}
		case m.Role == agent.RoleTool:
			i := slices.IndexFunc(t.calls, func(c callResult) bool { return c.ID == m.CallID })
			if i >= 0 {
				t.calls[i].result = m.Text
			}
		}
	}
	return t
}

// reports returns a paragraph for each call of the turn, then the notes.
func (t turn) reports(notes ...string) string {
	var out []string
	for _, c := range t.calls {
		out = append(out, c.report())
	}
	return strings.Join(append(out, notes...), "\n\n")
}

// withoutTools is the answer when no tools are offered: to a turn that reached its
// limit of steps, or in a program that has none.
func (t turn) withoutTools() string {
	if t.steps == 0 {
		return "I am Candor's offline model. I have no tools to work with right now, and without them I cannot look " +
			"anything up."
	}
	return t.reports("I stop here, since no more tools are offered.")
}

// answer combines the results of the turn's calls with notes on the requests that were
// not carried out. Without calls it describes this model and its abilities.
func (p plan) answer(t turn) string {
	if t.steps > 0 {
		return t.reports(p.notes...)
	}
	can := "I can use:"
	for _, tool := range p.tools.profiles {
		can += "\n- " + tool.Name
		if about := purpose(tool.Description); about != "" {
			can += ": " + about
		}
	}
	return t.reports(append(p.notes,
		"I am Candor's offline model: no language model, only rules that match your words to tools. "+can,
		"Say what you want done in the words of these descriptions and put exact text in quotes. “And” joins requests "+
			"that can run at once, “then” one that has to wait.")...)
}

// report renders a call and its result: file_read (path “go.mod”): size 8: …
func (c callResult) report() string {
	title := c.Name
	var given []string
	args, _ := parse(string(c.Arguments)).(object)
	for _, m := range args {
		if s, ok := m.value.(string); ok && m.name != rationaleProperty {
			given = append(given, m.label()+" “"+shorten(s)+"”")
		} else if n, ok := m.value.(json.Number); ok {
			given = append(given, m.label()+" "+n.String())
		}
	}
	if len(given) > 0 {
		title += " (" + strings.Join(given, ", ") + ")"
	}
	text := strings.TrimSpace(c.result)
	if text == "" {
		return title + " gave no result."
	}
	if _, why, ok := strings.Cut(text, "failed: "); ok && strings.HasPrefix(text, "Tool '") {
		return title + " failed: " + excerpt(why)
	}
	switch v := parse(text).(type) {
	case object:
		return title + ":" + v.render(title)
	case []any:
		return title + ":" + object{{"results", v}}.render(title)
	case string:
		return title + ": " + excerpt(v)
	}
	return title + ": " + excerpt(text)
}

// render puts a result in words. The lengths of lists and short values appear in a
// row, the items and longer texts on lines below. Strings that the title quotes
// are left out.
func (o object) render(title string) string {
	var counts, row, below []string
	for _, m := range o {
		switch v := m.value.(type) {
		case []any:
			counts = append(counts, m.count(len(v)))
			for _, item := range v[:min(len(v), maxItems)] {
				below = append(below, "- "+line(item))
			}
		case string:
			if len(v) > maxShown || strings.Contains(v, "\n") {
				below = append(below, excerpt(v))
			} else if v != "" && !strings.Contains(title, "“"+v+"”") {
				row = append(row, m.label()+" "+v)
			}
		case nil:
		default:
			row = append(row, m.label()+" "+line(v))
		}
	}
	text := " " + strings.Join(append(counts, row...), ", ")
	switch {
	case len(below) == 0 && text == " ":
		return " done."
	case len(below) == 0:
		return text + "."
	case text == " ":
		return "\n" + strings.Join(below, "\n")
	}
	return text + ":\n" + strings.Join(below, "\n")
}

// line renders a value on one line. In an object, strings appear without their names,
// and other members with them.
func line(v any) string {
	switch v := v.(type) {
	case []any:
		return fmt.Sprintf("(%d items)", len(v))
	case object:
		var out []string
		for _, m := range v {
			text := line(m.value)
			if _, ok := m.value.(string); !ok {
				text = m.label() + " " + text
			}
			out = append(out, text)
		}
		return strings.Join(out, ", ")
	}
	return shorten(fmt.Sprint(v))
}

// excerpt returns the first lines of a text, long ones cut between words, and says
// how many are left out.
func excerpt(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n "), "\n")
	left := len(lines) - maxLines
	if left > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… (%d more)", left))
	}
	for i, l := range lines {
		if len(l) > 2*maxShown {
			lines[i] = shorten(l)
		}
	}
	return strings.Join(lines, "\n")
}

// label is a member's name in words: files searched.
func (m member) label() string { return strings.Join(nameParts(m.name), " ") }

// count says how long a list is, by its name: 3 matches, no notes, 1 match.
func (m member) count(n int) string {
	name := m.label()
	switch {
	case n == 0:
		return "no " + name
	case n == 1 && strings.HasSuffix(name, "ches"):
		return "1 " + strings.TrimSuffix(name, "es")
	case n == 1:
		return "1 " + strings.TrimSuffix(name, "s")
	case n > maxItems:
		return fmt.Sprintf("%d %s (the first %d are below)", n, name, maxItems)
	}
	return fmt.Sprintf("%d %s", n, name)
}

// parse reads JSON into values with objects that keep their order, which a map
// would lose. It returns nil for null and for anything that is not JSON.
func parse(s string) any {
	if !json.Valid([]byte(s)) {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	return next(dec)
}

// next reads one value of JSON that is known to be valid, so no error can occur.
func next(dec *json.Decoder) any {
	t, _ := dec.Token()
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			list = append(list, next(dec))
		}
		_, _ = dec.Token()
		return list
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			name, _ := dec.Token()
			o = append(o, member{fmt.Sprint(name), next(dec)})
		}
		_, _ = dec.Token()
		return o
	}
	return t
}
