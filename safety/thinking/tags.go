package thinking

import "strings"

// family is the kind of block that a tag in a model's text opens or closes.
type family int

const (
	noFamily    family = iota
	thought            // private reasoning, which is removed
	toolMarkup         // a tool call written as text
	finalAnswer        // the answer proper; if present, only it is kept
)

// families maps tag names, in lower case, to what they mark.
var families = map[string]family{
	"think": thought, "thinking": thought, "thought": thought, "thoughts": thought,
	"antthinking": thought, "reasoning": thought, "reflection": thought,
	"scratchpad": thought, "inner_monologue": thought, "analysis": thought, "commentary": thought,
	"tool_call": toolMarkup, "tool_calls": toolMarkup, "function_call": toolMarkup,
	"final": finalAnswer,
}

// tag is one opening or closing tag, text[start:end].
type tag struct {
	start, end int
	family     family
	close      bool
}

// maxTag bounds the length of a tag with its attributes, in bytes, so that a lone < does
// not cause a scan to the end of the text.
const maxTag = 256

// tagsOutsideCode returns the tags outside of Markdown code, in order, but for those of tool
// calls.
func tagsOutsideCode(text string) []tag {
	var tags []tag
	for i := 0; i < len(text); {
		switch text[i] {
		case '`', '~':
			i = skipCode(text, i)
		case '<', '[', '&':
			if t, ok := parseTag(text, i); ok {
				if t.family != toolMarkup {
					tags = append(tags, t)
				}
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

// brackets are the pairs of delimiters that may enclose a tag. Pipes come first, since
// <| also begins with <.
var brackets = []struct{ open, close string }{
	{"<|", "|>"}, {"<", ">"}, {"&lt;", "&gt;"},
}

// parseTag parses the tag that begins at text[at], if one does.
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
		if name, closing := tagName(inner[:end]); families[name] != noFamily {
			size := len(b.open) + end + len(b.close)
			return tag{start: at, end: at + size, family: families[name], close: closing}, true
		}
	}
	// Only this spelling is a tag in square brackets; [reasoning] may be a link.
	for _, literal := range []string{"[THINK]", "[/THINK]"} {
		if strings.HasPrefix(rest, literal) {
			return tag{start: at, end: at + len(literal), family: thought, close: literal[1] == '/'}, true
		}
	}
	return tag{}, false
}

// tagName parses the text between the brackets into a tag's name, in lower case, and
// whether the tag closes its block.
func tagName(inner string) (name string, closing bool) {
	inner = strings.TrimSpace(inner)
	if cut, ok := strings.CutPrefix(inner, "/"); ok {
		inner, closing = strings.TrimSpace(cut), true
	}
	name, _, _ = strings.Cut(inner, " ")
	return strings.ToLower(strings.TrimSuffix(name, "/")), closing
}

// skipCode returns the offset after the code span or fenced block that begins at i, or
// after the run of backticks or tildes there if none begins. A fence that is never closed
// extends to the end of the text.
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

// skipFence returns the offset after the fenced block that begins at i. It ends with a
// line that holds only the same mark, at least run times.
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

// runLength returns how often the byte at i is repeated there.
func runLength(text string, i int) int {
	n := 1
	for i+n < len(text) && text[i+n] == text[i] {
		n++
	}
	return n
}

// startsLine reports whether only blanks precede i on its line.
func startsLine(text string, i int) bool {
	line := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	return strings.TrimLeft(line, " \t") == ""
}
