package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxTitle is how many characters of a thread's first message head the document.
const maxTitle = 80

// heading returns what heads the document: the title, or what the thread is.
func (d Document) heading() string {
	switch {
	case !d.Title.Empty():
		return d.Title.String()
	case d.Origin.Observed():
		return d.Origin.Participant.String() + " in " + d.Origin.Space.String()
	}
	return "A conversation"
}

// Markdown writes the document as CommonMark, with the reasoning in <details>. It
// renders alike with and without GitHub's extensions.
func Markdown(w io.Writer, d Document) error {
	b := bufio.NewWriterSize(w, maxBuffered)
	title := escapeInline(d.heading(), maxTitle)
	fmt.Fprintf(b, "# %s\n\n%s of %s `%s`, with reasons.\n", title, plural(len(d.Turns), "turn"),
		d.origin(), d.Thread+d.Job)
	if d.Origin.Observed() {
		fmt.Fprintf(b, "\nThe agent is %s", codeSpan(d.Origin.Participant.String()))
		if where := d.where(); where != "" {
			fmt.Fprintf(b, " in the %s %s", where, codeSpan(d.Origin.Space.String()))
		}
		b.WriteString(".\n")
	}
	first := true
	for e := range d.contents() {
		if first {
			b.WriteString("\n")
		}
		first = false
		e.markdown(b)
	}
	for t := range d.turns() {
		t.markdown(b)
		if _, err := b.Write(nil); err != nil {
			return err // nobody reads the rest
		}
	}
	return b.Flush()
}

// markdown writes the line of the contents, which links to the turn's heading.
func (e entry) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "- [Turn %d](#turn-%d)", e.Number, e.Number)
	if e.Title != "" {
		fmt.Fprintf(b, ": %s", escapeLine(e.Title))
	}
	if e.About != "" {
		fmt.Fprintf(b, " (%s)", e.About)
	}
	b.WriteString("\n")
}

// markdown writes the turn's section: message, reasoning, answer, what was masked, and what
// was only noticed.
// Blank lines around each block matter: without them the block that follows would
// continue the one before.
func (t turnView) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "\n## %s\n\n%s · %s\n\n", t.Heading, t.When, t.About)
	if t.Replay != "" {
		fmt.Fprintf(b, "*%s*\n\n", t.Replay)
	}
	t.began(b)
	if t.Summary != "" {
		fmt.Fprintf(b, "<details open>\n<summary>%s</summary>\n\n", t.Summary)
		for _, s := range t.Steps {
			s.markdown(b)
		}
		for _, h := range t.Handoffs {
			from, to := codeSpan(agentName(h.From)), codeSpan(agentName(h.To))
			if who := whoIs(h); who != "" {
				to += ", " + escapeLine(who)
			}
			fmt.Fprintf(b, "**Hand-off** from %s to %s\n\n%s\n", from, to, blockQuote(h.Text.String()))
		}
		b.WriteString("</details>\n\n")
	}
	for _, n := range t.Observed.Notes {
		n.markdown(b)
	}
	if !t.Observed.Conclusion.Empty() {
		fmt.Fprintf(b, "**Conclusion**\n\n%s\n", blockQuote(t.Observed.Conclusion.String()))
	}
	b.WriteString("**Answer**\n\n")
	switch {
	case t.NoAnswer == "":
		b.WriteString(blockQuote(t.Response.String()))
	case !t.Error.Empty():
		fmt.Fprintf(b, "%s\n\n%s", t.NoAnswer, blockQuote(t.Error.String()))
	default:
		b.WriteString(t.NoAnswer + "\n")
	}
	if t.Cut != "" {
		fmt.Fprintf(b, "\n*%s*\n", t.Cut)
	}
	t.afterTheEnd(b)
	if len(t.Redacted) > 0 {
		fmt.Fprintf(b, "\nMasked in this turn: %s.\n", strings.Join(t.Redacted, ", "))
	}
	if len(t.Noticed) > 0 {
		fmt.Fprintf(b, "\nNoticed in this turn, not masked: %s.\n", strings.Join(t.Noticed, ", "))
	}
}

// markdown writes the step with its decisions.
func (s stepView) markdown(b *bufio.Writer) {
	if s.Heading != "" {
		fmt.Fprintf(b, "### %s\n\n", escapeLine(s.Heading))
	}
	if s.Withheld != "" {
		fmt.Fprintf(b, "*Safety withheld %s.*\n\n", s.Withheld)
	}
	if !s.Thought.Empty() {
		fmt.Fprintf(b, "%s\n", blockQuote(s.Thought.String()))
		attributed(b, s.Of)
	}
	if !s.Narrative.Empty() {
		fmt.Fprintf(b, "%s\n", blockQuote(s.Narrative.String()))
		attributed(b, s.Source)
	}
	if s.Sealed != "" {
		fmt.Fprintf(b, "*%s*\n\n", s.Sealed)
	}
	attributed(b, s.Stop)
	for _, d := range s.Decisions {
		d.markdown(b)
	}
}

// attributed says below a quotation whose words it has, if that is unusual.
func attributed(b *bufio.Writer, source string) {
	if source != "" {
		fmt.Fprintf(b, "*%s*\n\n", source)
	}
}

// markdown writes the decision like a row of the page: tool and object, why, what came of it, then all of the
// parameters and the result.
func (d decisionView) markdown(b *bufio.Writer) {
	if d.Beside != "" {
		fmt.Fprintf(b, "*%s*\n\n", d.Beside)
	}
	fmt.Fprintf(b, "#### %d. %s", d.Number, codeSpan(d.Tool.String()))
	if d.Object != "" {
		fmt.Fprintf(b, " %s", codeSpan(d.Object))
	}
	if !d.To.Empty() {
		fmt.Fprintf(b, " → %s", codeSpan(d.To.String()))
	}
	b.WriteString("\n\n")
	for _, one := range d.Decided {
		fmt.Fprintf(b, "**%s**\n\n%s\n", one.Who, blockQuote(one.What))
	}
	if !d.Before.Empty() {
		fmt.Fprintf(b, "Said before this call:\n\n%s\n", blockQuote(d.Before.String()))
	}
	if d.NoReason != "" {
		fmt.Fprintf(b, "*%s.*\n\n", d.NoReason)
	} else {
		fmt.Fprintf(b, "%s\n", blockQuote(d.Rationale.String()))
		attributed(b, d.Source)
	}
	d.ending(b)
	for _, one := range d.Feedback {
		fmt.Fprintf(b, "**%s**\n\n", one.Who)
		if one.What != "" {
			fmt.Fprintf(b, "%s\n", blockQuote(one.What))
		}
	}
	if len(d.Redacted) > 0 {
		fmt.Fprintf(b, "Masked: %s.\n\n", strings.Join(d.Redacted, ", "))
	}
	if len(d.Noticed) > 0 {
		fmt.Fprintf(b, "Noticed, not masked: %s.\n\n", strings.Join(d.Noticed, ", "))
	}
	if d.Error != "" {
		fmt.Fprintf(b, "Error:\n\n%s\n", blockQuote(d.Error))
	}
	d.Params.markdown(b, "Parameters")
	d.Edited.markdown(b, escapeLine(d.EditedAs))
	d.Result.markdown(b, "Result")
}

// ending writes what came of the decision, how long it took and what was unusual about it, on one line.
func (d decisionView) ending(b *bufio.Writer) {
	var words []string
	switch {
	case d.Outcome != "" && d.Got != "":
		words = append(words, "**"+d.Outcome+"** → "+escapeLine(d.Got))
	case d.Outcome != "":
		words = append(words, "**"+d.Outcome+"**")
	case d.Got != "":
		words = append(words, "→ "+escapeLine(d.Got))
	}
	if d.Took != "" {
		words = append(words, d.Took)
	}
	if words = append(words, d.Facts...); len(words) > 0 {
		fmt.Fprintf(b, "%s\n\n", strings.Join(words, " · "))
	}
}

// markdown writes the block under its name, or beside it if it is short.
func (v block) markdown(b *bufio.Writer, name string) {
	if v.Text == "" {
		return
	}
	if len(v.Words) > 0 {
		fmt.Fprintf(b, "%s: ", name)
		for i, w := range v.Words {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(codeSpan(w))
		}
		b.WriteString("\n\n")
		return
	}
	open := ""
	if v.Short {
		open = " open"
	}
	fmt.Fprintf(b, "<details%s>\n<summary>%s</summary>\n\n%s</details>\n\n", open, v.Title(name), codeBlock(v.Text))
}

// Title returns the name of the block, with its length if it is closed.
func (v block) Title(name string) string {
	if v.Short || v.Lines == "" {
		return name
	}
	return name + ", " + v.Lines
}

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
