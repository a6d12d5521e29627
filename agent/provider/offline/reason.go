package offline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/agent"
)

// maxShown bounds a text that is quoted on one line, in bytes.
const maxShown = 120

// calls returns the calls of a step as a model would write them: the reason is
// the first argument where the tool has a property for it. turnNumber keeps the
// ids of a conversation apart.
func (p plan) calls(turnNumber, step int) []agent.Call {
	var out []agent.Call
	for i, a := range p.steps[step] {
		c := agent.Call{ID: fmt.Sprintf("offline_%d_%d_%d", turnNumber, step+1, i+1), Name: a.tool.Name}
		if a.tool.asksReason() {
			c.Arguments = append(object{{rationaleProperty, a.reason()}}, a.args...).encode()
		} else {
			c.Arguments, c.Reasoning = a.args.encode(), a.reason()
		}
		out = append(out, c)
	}
	return out
}

// reason quotes the words that led to the call, says what the tool's description
// makes of them, and what the call is expected to return.
func (a action) reason() string {
	about := purpose(a.tool.Description)
	switch verb, _, _ := strings.Cut(about, " "); {
	case about == "":
		about = a.tool.Name + " fits these words by its name"
	case len(verb) > 2 && strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "ss"):
		about = a.tool.Name + " " + about // file_search finds text in files
	default:
		about = a.tool.Name + " is described as “" + about + "”"
	}
	return fmt.Sprintf("The request says “%s”; %s, so I expect %s.", shorten(a.text), about, a.expectation())
}

// expectation says what a call should return, if the last part of the tool's name shows
// it.
func (a action) expectation() string {
	query, path := a.argument(textNames), a.argument(placeNames)
	does := ""
	if parts := nameParts(a.tool.Name); len(parts) > 0 {
		does = parts[len(parts)-1]
	}
	switch {
	case does == "search" && query != "" && path != "":
		return "the places that hold “" + query + "” in " + path
	case does == "search" && query != "":
		return "the places that hold “" + query + "”"
	case does == "list":
		return "the names of what is there"
	case does == "read" && path != "":
		return "the contents of " + path
	case does == "save":
		return "a confirmation that it is kept"
	case does == "time":
		return "the time it is now"
	}
	return "a result that answers this"
}

// argument returns the first string argument whose name is one of a set.
func (a action) argument(names wordSet) string {
	for _, m := range a.args {
		if s, ok := m.value.(string); ok && names[m.name] {
			return shorten(s)
		}
	}
	return ""
}

// narrative says which tools a step calls for which words, and why together or in
// this order.
func (p plan) narrative(step int) string {
	var wishes []string
	for _, a := range p.steps[step] {
		wishes = append(wishes, a.tool.Name+" for “"+shorten(a.text)+"”")
	}
	text := "I call " + join(wishes) + "."
	if step > 0 {
		text = "Now I call " + join(wishes) + ", which you asked for after the step before."
	}
	if len(wishes) > 1 {
		text += " None of these needs another's result, so they run together."
	}
	if step+1 < len(p.steps) {
		text += " The rest of the request comes after that."
	}
	return text
}

// purpose returns the first sentence of a description, in a form that fits inside a
// sentence.
func purpose(description string) string {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(description), " "), ". ")
	text = strings.TrimRight(text, ".!:; ")
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); !unicode.IsUpper(second) && text != "" {
		text = string(unicode.ToLower(first)) + text[size:]
	}
	return shorten(text)
}

// shorten returns a text on one line, cut between words where it is longer than
// maxShown. It never cuts within a word: half of a credential would pass for
// ordinary text in whatever redacts it later.
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

// join lists items in a sentence: a, b and c.
func join(items []string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
