package terminal

import "strings"

// Input is where the lines of a conversation come from.
type Input interface {
	// ReadLine returns the next line, without its line break; io.EOF after the last.
	ReadLine() (string, error)
	// Interrupts receives a value for each Ctrl-C.
	Interrupts() <-chan struct{}
}

// Output is where a conversation is shown.
type Output interface {
	// Print writes safe text: whole lines where a person may be typing, above which they
	// appear.
	Print(text string)
	// Width returns the cells of a line, 0 for no limit. It may change at any time.
	Width() int
}

// StatusLine is the line in which a person types.
type StatusLine interface {
	// Prompt changes the text in front of the line.
	Prompt(prompt string)
	// Progress shows lines above the prompt until it is called with "". They change in place,
	// below all that is printed.
	Progress(lines string)
}

// Screen is all that a conversation needs of a terminal: an [Editor] on a terminal, a
// [Plain] anywhere else. Print, Prompt and Progress may be called while ReadLine
// waits.
type Screen interface {
	Input
	Output
	StatusLine
}

// greet prints the lines to begin with.
func (r *REPL) greet() {
	out := "\n"
	for _, line := range r.Greeting {
		out += r.Style.hang("  ", dim, CleanLine(line))
	}
	if len(r.Greeting) > 0 {
		r.print(out + "\n")
	}
}

// print writes whole lines, below a line that is not ended.
func (r *REPL) print(text string) { r.write(r.speech.endBefore(text)) }

// write writes text, which may continue the line on which the text before it ended. Without
// a prompt between them, two empty lines that meet become one. In JSON mode it writes
// nothing.
func (r *REPL) write(text string) {
	if r.Sequential || r.LiveView {
		text = r.paper.join(text)
	}
	if text != "" && !r.JSON {
		r.Screen.Print(text)
	}
}

// paper remembers how what was printed ends, so that two empty lines that meet become one.
// The zero value is an empty page.
type paper struct{ end string }

// join returns what to print of a text that is printed next.
func (p *paper) join(text string) string {
	for strings.HasPrefix(text, "\n") && (p.end == "" || p.end == "\n\n") {
		text = text[1:]
	}
	// Two bytes are enough to know whether an empty line was printed last.
	p.end += text[max(0, len(text)-2):]
	p.end = p.end[max(0, len(p.end)-2):]
	return text
}

// notice prints a line about the conversation itself behind a mark. Only the mark is
// yellow: yellow text is hard to read on a light background.
func (r *REPL) notice(rendition, mark, text string) {
	words := rendition
	if rendition == yellow {
		words = ""
	}
	r.print(r.Style.hangAt(r.Style.paint(rendition, "  "+mark+" "), 4, words, text))
}
