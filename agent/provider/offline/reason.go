package offline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/agent"
)

// calls are the actions as a model would write them: the reason first in the
// arguments where the tool has a place for it.
func (d due) calls(t turn) []agent.Call {
	out := make([]agent.Call, len(d.actions))
	for i, a := range d.actions {
		c := agent.Call{
			ID:   fmt.Sprintf("offline_%d_%d_%d", t.number, len(t.steps)+1, i+1),
			Name: a.tool.Name,
		}
		if args := a.args; a.tool.asksReason() {
			c.Arguments = object(append([]member{{rationaleProperty, a.reason()}}, args...))
		} else {
			c.Arguments, c.Reasoning = object(args), a.reason()
		}
		out[i] = c
	}
	return out
}

// reason says what led to a call: the user's words, the tool's own description,
// where an argument came from, and what the call is expected to give. It is all
// that decided.
func (a action) reason() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The request says “%s”", shorten(a.text))
	if about := purpose(a.tool.Description); about != "" {
		fmt.Fprintf(&b, "; %s fits, being described as “%s”", a.tool.Name, about)
	} else {
		fmt.Fprintf(&b, "; the name %s fits these words", a.tool.Name)
	}
	if len(a.borrowed) > 0 {
		fmt.Fprintf(&b, ", and its %s is what %s found", join(a.borrowed, "and"), a.lender)
	}
	fmt.Fprintf(&b, ". I expect %s.", a.expectation())
	return b.String()
}

// expectation is what a call should give, by what its tool is for.
func (a action) expectation() string {
	about := func(r role) string {
		for _, m := range a.args {
			if s, ok := m.value.(string); ok && roleOf(m.name) == r {
				return "“" + shorten(s) + "”"
			}
		}
		return ""
	}
	query, path := about(roleQuery), about(rolePath)
	for _, part := range a.tool.name {
		is := meanings[part]
		switch {
		case is[cFind] && query != "":
			return "what there is about " + query + within(path)
		case is[cFind]:
			return "what it finds" + within(path)
		case is[cSave]:
			return "a confirmation that it is kept"
		case is[cList]:
			return "the names of what is there" + within(path)
		case is[cRead] && path != "":
			return "the contents of " + path
		case is[cTime]:
			return "the time it is now"
		}
	}
	return "a result that answers this"
}

func within(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// narrative says what a step is about to do, and why together or now.
func (d due) narrative() string {
	names := make([]string, len(d.actions))
	for i, a := range d.actions {
		names[i] = a.tool.Name
	}
	first := d.actions[0]
	switch {
	case len(d.actions) > 1 && d.sequel:
		return fmt.Sprintf("Now I call %s, which you wanted after the step before. They do not need each other's results, so they run together.", tally(names))
	case len(d.actions) > 1:
		return fmt.Sprintf("I call %s. They do not need each other's results, so they run together.", tally(names))
	case d.sequel && len(first.borrowed) > 0:
		return fmt.Sprintf("Now I call %s for “%s”, with what %s found.", names[0], shorten(first.text), first.lender)
	case d.sequel:
		return fmt.Sprintf("Now I call %s for “%s”, which you wanted after the step before.", names[0], shorten(first.text))
	}
	return fmt.Sprintf("I call %s for “%s”.", names[0], shorten(first.text))
}

// tally is names in a sentence, each once: time and file_read (2 calls).
func tally(names []string) string {
	times := map[string]int{}
	var order []string
	for _, n := range names {
		if times[n]++; times[n] == 1 {
			order = append(order, n)
		}
	}
	for i, n := range order {
		if times[n] > 1 {
			order[i] = fmt.Sprintf("%s (%d times)", n, times[n])
		}
	}
	return join(order, "and")
}

// purpose is the first sentence of a description.
func purpose(description string) string {
	text := strings.Join(strings.Fields(description), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i]
	}
	text = strings.TrimRight(text, ".!:; ")
	r, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if !unicode.IsUpper(second) {
		text = string(unicode.ToLower(r)) + text[size:]
	}
	if description == "" {
		return ""
	}
	return shorten(text)
}

// shorten is a text on one line, cut at a word where it is long.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxWords {
		return s
	}
	cut := strings.ToValidUTF8(s[:maxWords], "")
	if i := strings.LastIndexByte(cut, ' '); i > maxWords/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

func join(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
