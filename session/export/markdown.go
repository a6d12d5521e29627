package export

import (
	"fmt"
	"strings"
)

// Markdown is the document as CommonMark, its reasoning in <details>. It renders
// alike with and without GitHub's extensions.
func Markdown(d Document) []byte {
	var b strings.Builder
	title := line(d.Title.String(), maxTitle)
	if title == "" {
		title = "A conversation"
	}
	fmt.Fprintf(&b, "# %s\n\n%s of thread `%s`, with reasons.\n", title, plural(len(d.Turns), "turn"), d.Thread)
	for _, t := range d.turns() {
		t.markdown(&b)
	}
	return []byte(b.String())
}

// maxTitle is how many characters of a thread's first message head the document.
const maxTitle = 80

func (t turn) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n**User**\n\n%s\n", t.Heading, t.When, quote(t.Input.String()))
	if t.Summary != "" {
		fmt.Fprintf(b, "<details open>\n<summary>%s</summary>\n\n", t.Summary)
		for _, s := range t.Steps {
			s.markdown(b)
		}
		for _, h := range t.Handoffs {
			fmt.Fprintf(b, "**Hand-off** from %s to %s\n\n%s\n", code(agent(h.From)), code(agent(h.To)), quote(h.Text.String()))
		}
		b.WriteString("</details>\n\n")
	}
	b.WriteString("**Answer**\n\n")
	switch {
	case t.Missing == "":
		b.WriteString(quote(t.Answer.String()))
	case !t.Error.Empty():
		fmt.Fprintf(b, "%s\n\n%s", t.Missing, quote(t.Error.String()))
	default:
		b.WriteString(t.Missing + "\n")
	}
	if len(t.Redacted) > 0 {
		fmt.Fprintf(b, "\nMasked in this turn: %s.\n", strings.Join(t.Redacted, ", "))
	}
}

func agent(name string) string {
	if name == "" {
		return "lead"
	}
	return name
}

func (s step) markdown(b *strings.Builder) {
	if s.Heading != "" {
		fmt.Fprintf(b, "### %s\n\n", escape(s.Heading))
	}
	if s.Withheld {
		b.WriteString("*Safety withheld what the model said before these calls.*\n\n")
	}
	if !s.Said.Empty() {
		fmt.Fprintf(b, "%s\n*%s*\n\n", quote(s.Said.String()), s.Whose)
	}
	for _, d := range s.Decisions {
		d.markdown(b)
	}
}

func (d decision) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "#### %d. %s\n\n%s\n*%s*\n\n%s\n\n", d.Number, code(d.Tool.String()), quote(d.Why.String()), d.Whose, strings.Join(d.Facts, " · "))
	if len(d.Redacted) > 0 {
		fmt.Fprintf(b, "Masked: %s.\n\n", strings.Join(d.Redacted, ", "))
	}
	if !d.Error.Empty() {
		fmt.Fprintf(b, "Error:\n\n%s\n", quote(d.Error.String()))
	}
	if d.Params != "" {
		fmt.Fprintf(b, "<details>\n<summary>Parameters</summary>\n\n%s</details>\n\n", fence(d.Params))
	}
	if d.Result != "" {
		fmt.Fprintf(b, "<details>\n<summary>Result</summary>\n\n%s</details>\n\n", fence(d.Result))
	}
}

// quote is text as a block quote in which nothing is markup and every line break
// stays. It ends with a line break.
func quote(text string) string {
	var b strings.Builder
	lines := strings.Split(newlines.Replace(text), "\n")
	for i, l := range lines {
		said := escape(l)
		switch {
		case said == "":
			b.WriteString(">\n")
			continue
		case i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "":
			said += "  " // a break that stays
		}
		b.WriteString("> " + said + "\n")
	}
	return b.String()
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Markup can begin or end at inline characters anywhere in a line, and at opening
// ones where the line begins. CommonMark takes a backslash before any of them for
// the character itself.
const (
	inline  = "\\`*_[]<>|~&$#"
	opening = "-+=:"
)

// escape is one line of text in which nothing is markup.
func escape(l string) string {
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
		c := text[i]
		switch {
		case strings.IndexByte(inline, c) >= 0,
			i == 0 && strings.IndexByte(opening, c) >= 0,
			i == digits && (c == '.' || c == ')'), // a numbered list
			c == ':' && strings.HasPrefix(text[i:], "://"),
			c == '.' && i >= 3 && strings.EqualFold(text[i-3:i], "www"):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// line is text as part of one line, at most so many characters of it.
func line(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return escape(text)
}

// code is text as a code span, on one line.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	ticks := strings.Repeat("`", longest(text, '`')+1)
	if strings.Trim(text, "`") != text || text == "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// fence is a code block whose fence is longer than any in it.
func fence(text string) string {
	ticks := strings.Repeat("`", max(3, longest(text, '`')+1))
	return ticks + "json\n" + newlines.Replace(text) + "\n" + ticks + "\n\n"
}

// longest is the length of the longest run of a character.
func longest(text string, of rune) int {
	most, run := 0, 0
	for _, r := range text {
		run++
		if r != of {
			run = 0
		}
		most = max(most, run)
	}
	return most
}
