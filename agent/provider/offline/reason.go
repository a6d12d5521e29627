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
	about := purpose(a.tool.Description)
	switch verb, _, _ := strings.Cut(about, " "); {
	case about == "":
		about = a.tool.Name + " fits these words by its name"
	case len(verb) > 2 && strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "ss"):
		about = a.tool.Name + " " + about // finds text in files
	default:
		about = a.tool.Name + " is described as “" + about + "”"
	}
	if len(a.borrowed.names) > 0 {
		about += ", and its " + join(a.borrowed.names, "and") + " is " + a.borrowed.from
	}
	return fmt.Sprintf("The request says “%s”; %s, so I expect %s.", shorten(a.text), about, a.expectation())
}

// expectation is what a call should give, by what its tool is for.
func (a action) expectation() string {
	query, path := a.argument(roleQuery), a.argument(rolePath)
	is := map[concept]bool{}
	for _, part := range a.tool.name {
		for meant := range meanings[part] {
			is[meant] = true
		}
	}
	switch {
	case is[cFind] && is[cFile] && query != "":
		return "the places that hold “" + query + "”" + inside(path)
	case is[cFind] && query != "":
		return "what there is about “" + query + "”"
	case is[cFind]:
		return "what there is"
	case is[cSave]:
		return "a confirmation that it is kept"
	case is[cList]:
		return "the names of what is there"
	case is[cRead] && path != "":
		return "the contents of " + path
	case is[cTime]:
		return "the time it is now"
	}
	return "a result that answers this"
}

// argument is the first text argument of a kind.
func (a action) argument(r role) string {
	for _, m := range a.args {
		if s, ok := m.value.(string); ok && roleOf(m.name) == r {
			return shorten(s)
		}
	}
	return ""
}

func inside(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// narrative says what a step is about to do, and why together or in turn.
func (d due) narrative() string {
	what := d.wishes()
	switch {
	case d.sequel && len(d.actions[0].borrowed.names) > 0:
		what = "Now I call " + what + ", with " + d.actions[0].borrowed.from + "."
	case d.sequel:
		what = "Now I call " + what + ", which you asked for after the step before."
	default:
		what = "I call " + what + "."
	}
	if len(d.actions) > 1 {
		what += " None of these needs another's result, so they run together."
	}
	if d.more {
		what += " The rest of the request comes after that."
	}
	return what
}

// wishes says which tools are called for which words.
func (d due) wishes() string {
	var words []string
	of := map[string][]string{}
	for _, a := range d.actions {
		text := shorten(a.text)
		if of[text] == nil {
			words = append(words, text)
		}
		of[text] = append(of[text], a.tool.Name)
	}
	if len(words) > 4 {
		var names []string
		for _, w := range words {
			names = append(names, of[w]...)
		}
		return tally(names)
	}
	for i, w := range words {
		words[i] = tally(of[w]) + " for “" + w + "”"
	}
	return join(words, "and")
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

// shorten is a text on one line, cut between words where it is long: half of a
// credential would not be known for one by whoever redacts it later.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxShown {
		return s
	}
	i := strings.LastIndexByte(s[:maxShown+1], ' ')
	if i < 0 {
		return fmt.Sprintf("(a word of %d bytes)", len(s))
	}
	return s[:i] + "…"
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
