package agent

import "strings"

// family is what a tag in a model's text is about.
type family int

const (
	none family = iota
	thought
	toolMarkup
	finalAnswer
)

var families = map[string]family{
	"think": thought, "thinking": thought, "thought": thought, "thoughts": thought,
	"antthinking": thought, "reasoning": thought, "reflection": thought,
	"scratchpad": thought, "inner_monologue": thought, "analysis": thought, "commentary": thought,
	"tool_call": toolMarkup, "tool_calls": toolMarkup, "function_call": toolMarkup,
	"final": finalAnswer,
}

// tag is one opening or closing tag of a family, text[start:end].
type tag struct {
	start, end int
	family     family
	close      bool
}

// maxTag is how long a tag with its attributes may be, so that a lone < costs
// no walk to the end of the text.
const maxTag = 256

// tagsOutsideCode finds, in order, the tags that do not stand in code.
func tagsOutsideCode(text string) []tag {
	var tags []tag
	for i := 0; i < len(text); {
		switch text[i] {
		case '`', '~':
			i = skipCode(text, i)
		case '<', '[', '&':
			if t, ok := parseTag(text, i); ok {
				tags = append(tags, t)
				i = t.end
				continue
			}
			i++
		default:
			i++
		}
	}
	return tags
}

// brackets are the ways a tag can be written.
var brackets = []struct{ open, close string }{
	{"<|", "|>"}, {"<", ">"}, {"&lt;", "&gt;"},
}

func parseTag(text string, at int) (tag, bool) {
	rest := text[at:min(len(text), at+maxTag)]
	for _, b := range brackets {
		inner, ok := strings.CutPrefix(rest, b.open)
		if !ok {
			continue
		}
		end := strings.Index(inner, b.close)
		if end < 0 {
			continue
		}
		if name, closing := tagName(inner[:end]); families[name] != none {
			size := len(b.open) + end + len(b.close)
			return tag{start: at, end: at + size, family: families[name], close: closing}, true
		}
	}
	// In square brackets only this spelling is a tag; [reasoning] may be a link.
	for _, spelled := range []string{"[THINK]", "[/THINK]"} {
		if strings.HasPrefix(rest, spelled) {
			return tag{start: at, end: at + len(spelled), family: thought, close: spelled[1] == '/'}, true
		}
	}
	return tag{}, false
}

// tagName reads the name off what stands between the brackets.
func tagName(inner string) (name string, closing bool) {
	inner = strings.TrimSpace(inner)
	if cut, ok := strings.CutPrefix(inner, "/"); ok {
		inner, closing = strings.TrimSpace(cut), true
	}
	name, _, _ = strings.Cut(inner, " ")
	return strings.ToLower(strings.TrimSuffix(name, "/")), closing
}

// skipCode is the place after the code that begins at i, or after the run of
// marks if no code does. A fence that is never closed runs to the end.
func skipCode(text string, i int) int {
	mark := text[i]
	run := runLength(text, i)
	if run >= 3 && startsLine(text, i) {
		return skipFence(text, i, mark, run)
	}
	if mark == '~' {
		return i + run
	}
	for j := i + run; j < len(text); {
		if text[j] != '`' {
			j++
			continue
		}
		n := runLength(text, j)
		if n == run {
			return j + n
		}
		j += n
	}
	return i + run
}

// skipFence is the place after a fenced block. Its end is a line of at least as
// many of the same marks and nothing else.
func skipFence(text string, i int, mark byte, run int) int {
	for {
		eol := strings.IndexByte(text[i:], '\n')
		if eol < 0 {
			return len(text)
		}
		i += eol + 1
		line, _, _ := strings.Cut(text[i:], "\n")
		bare := strings.TrimSpace(line)
		if len(bare) >= run && strings.Trim(bare, string(mark)) == "" {
			return i + len(line)
		}
	}
}

func runLength(text string, i int) int {
	n := 1
	for i+n < len(text) && text[i+n] == text[i] {
		n++
	}
	return n
}

// startsLine reports whether only blanks stand before i on its line.
func startsLine(text string, i int) bool {
	line := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	return strings.TrimLeft(line, " \t") == ""
}
