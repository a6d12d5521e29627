package export

import "strings"

// CommonMark reads a backslash before any of these characters as the character itself.
// The inline ones can begin or end markup anywhere in a line, the leading ones only at
// its start.
const (
	inlineMarkup  = "\\`*_[]<>|~&$#"
	leadingMarkup = "-+=:"
)

// newlines turns all line breaks into \n.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// blockQuote returns text as a block quote without markup that keeps its line breaks.
// The result ends with a line break.
func blockQuote(text string) string {
	var b strings.Builder
	lines := strings.Split(newlines.Replace(text), "\n")
	for i, l := range lines {
		escaped := escapeLine(l)
		switch {
		case escaped == "":
			b.WriteString(">\n")
			continue
		case i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "":
			escaped += "  " // two spaces make a hard line break
		}
		b.WriteString("> " + escaped + "\n")
	}
	return b.String()
}

// escapeLine returns one line of text without markup. Leading blanks become no-break
// spaces, because four plain ones would begin a code block.
func escapeLine(l string) string {
	text := strings.TrimLeft(l, " \t")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var b strings.Builder
	for _, r := range l[:len(l)-len(text)] {
		b.WriteString("&nbsp;")
		if r == '\t' {
			b.WriteString("&nbsp;&nbsp;&nbsp;")
		}
	}
	text = strings.TrimRight(text, " \t")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	for i := 0; i < len(text); i++ {
		if startsMarkup(text, i, digits) {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// startsMarkup reports whether the character at i could be read as markup. The line
// begins with the given number of digits.
func startsMarkup(text string, i, digits int) bool {
	c := text[i]
	switch {
	case strings.IndexByte(inlineMarkup, c) >= 0:
		return true
	case i == 0 && strings.IndexByte(leadingMarkup, c) >= 0:
		return true
	case i == digits && (c == '.' || c == ')'): // a numbered list
		return true
	case c == ':': // GitHub links URLs and www names without any markup
		return strings.HasPrefix(text[i:], "://")
	case c == '.':
		return i >= 3 && strings.EqualFold(text[i-3:i], "www")
	}
	return false
}

// escapeInline returns text without markup on one line, cut to limit characters.
func escapeInline(text string, limit int) string {
	return escapeLine(oneLine(text, limit))
}

// oneLine returns text on one line, cut to limit characters.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return text
}

// codeSpan returns text as a code span on one line. Its delimiters are longer than any
// run of backticks inside.
func codeSpan(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.Trim(text, "`") != text || text == "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// codeBlock returns text as a code block whose fence is longer than any run of backticks inside.
func codeBlock(text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + "text\n" + newlines.Replace(text) + "\n" + ticks + "\n\n"
}

// longestRun returns the length of the longest run of r in text.
func longestRun(text string, r rune) int {
	longest, run := 0, 0
	for _, c := range text {
		run++
		if c != r {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
