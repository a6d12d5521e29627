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
	// Progress shows a text in front of the prompt until it is called with "".
	Progress(text string)
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
	if r.Sequential && (r.lastPrinted == "" || r.lastPrinted == "\n\n") {
		text = strings.TrimPrefix(text, "\n")
	}
	if text == "" || r.JSON {
		return
	}
	// Two bytes are enough to know whether an empty line was printed last.
	r.lastPrinted += text[max(0, len(text)-2):]
	r.lastPrinted = r.lastPrinted[max(0, len(r.lastPrinted)-2):]
	r.Screen.Print(text)
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
