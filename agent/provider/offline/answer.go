package offline

import (
	"slices"
	"strings"
)

// answer is put together from the results of all calls since the user spoke,
// and what was not done. Without calls it says what this model can do.
func (p plan) answer(t turn, d due) string {
	if len(t.steps) == 0 {
		return p.introduce(d.notes)
	}
	return strings.Join(append(report(t.all()), d.notes...), "\n\n")
}

// introduce is the answer when nothing was called.
func (p plan) introduce(notes []string) string {
	var out []string
	out = append(out, notes...)
	if greeting := p.greeting(); greeting != "" && len(notes) == 0 {
		out = append(out, greeting)
	}
	return strings.Join(append(out, "I am Candor's offline model: no language model, only rules that match your words to tools. "+
		p.abilities(), "Say what you want done in plain words and put exact text in quotes. “And” joins wishes that can be "+
		"done at once, “then” one that has to wait."), "\n\n")
}

// abilities names the tools, and says what each does to whoever asks for help.
func (p plan) abilities() string {
	var names []string
	list := "I can use:"
	for _, t := range p.tools {
		names = append(names, t.Name)
		list += "\n- " + t.Name
		if about := purpose(t.Description); about != "" {
			list += ": " + about
		}
	}
	for _, c := range slices.Concat(p.stages...) {
		if c.has("help", "can", "able", "tools", "capabilities") {
			return list
		}
	}
	return "I can use " + join(names, "and") + "."
}

func (p plan) greeting() string {
	for _, c := range slices.Concat(p.stages...) {
		for _, w := range c.words {
			switch {
			case w.is("thanks", "thank", "cheers", "thx"):
				return "You're welcome."
			case w.is("hi", "hello", "hey", "morning", "evening"):
				return "Hello."
			case w.is("bye", "goodbye"):
				return "Goodbye."
			}
		}
	}
	return ""
}

// report is a paragraph for each call.
func report(calls []done) []string {
	out := make([]string, len(calls))
	for i, d := range calls {
		out[i] = d.report()
	}
	return out
}

func (d done) report() string {
	title := d.call.Name
	if about := d.arguments(); about != "" {
		title += " (" + about + ")"
	}
	if !d.ended {
		return title + " gave no result."
	}
	v, ok := parse(d.result)
	if ok {
		return strings.Replace(title+": "+d.render(v), ": \n", ":\n", 1)
	}
	text := strings.TrimSpace(d.result)
	if text == "" {
		return title + " gave an empty result."
	}
	// A failed call's text names the tool, which the title has done.
	if _, why, ok := strings.Cut(text, "failed: "); ok && strings.HasPrefix(text, "Tool '") {
		return title + " failed: " + block(why)
	}
	return title + ": " + block(text)
}

// arguments is a call's arguments in brief.
func (d done) arguments() string {
	v, ok := parse(string(d.call.Arguments))
	if !ok {
		return ""
	}
	var out []string
	for i, key := range v.keys {
		if m := v.members[i]; key != rationaleProperty && (m.kind == isString || m.kind == isScalar) {
			out = append(out, plain(key)+" "+quote(m))
		}
	}
	return strings.Join(out, ", ")
}

func quote(v value) string {
	if v.kind == isString {
		return "“" + shorten(v.text) + "”"
	}
	return v.text
}
