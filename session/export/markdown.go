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
		fmt.Fprintf(b, "\nThe agent is %s in the space %s.\n", codeSpan(d.Origin.Participant.String()),
			codeSpan(d.Origin.Space.String()))
	}
	for t := range d.turns() {
		t.markdown(b)
		if _, err := b.Write(nil); err != nil {
			return err // nobody reads the rest
		}
	}
	return b.Flush()
}

// markdown writes the turn's section: message, reasoning, answer, what was masked, and what
// was only noticed.
// Blank lines around each block matter: without them the block that follows would
// continue the one before.
func (t turnView) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", t.Heading, t.When)
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
	if !s.Narrative.Empty() {
		fmt.Fprintf(b, "%s\n*%s*\n\n", blockQuote(s.Narrative.String()), s.Attribution)
	}
	for _, d := range s.Decisions {
		d.markdown(b)
	}
}

// markdown writes the decision: tool, reason, facts, then parameters and result.
func (d decisionView) markdown(b *bufio.Writer) {
	tool := codeSpan(d.Tool.String())
	if !d.To.Empty() {
		tool += " → " + codeSpan(d.To.String())
	}
	fmt.Fprintf(b, "#### %d. %s\n\n", d.Number, tool)
	for _, one := range d.Decided {
		fmt.Fprintf(b, "**%s**\n\n%s\n", one.Who, blockQuote(one.What))
	}
	fmt.Fprintf(b, "%s\n*%s*\n\n%s\n\n",
		blockQuote(d.Rationale.String()), d.Attribution, strings.Join(d.Facts, " · "))
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
	if !d.Error.Empty() {
		fmt.Fprintf(b, "Error:\n\n%s\n", blockQuote(d.Error.String()))
	}
	if d.Params != "" {
		fmt.Fprintf(b, "<details>\n<summary>Parameters</summary>\n\n%s</details>\n\n", codeBlock(d.Params))
	}
	if d.Result != "" {
		fmt.Fprintf(b, "<details>\n<summary>Result</summary>\n\n%s</details>\n\n", codeBlock(d.Result))
	}
}
