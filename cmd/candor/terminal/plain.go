package terminal

import (
	"bufio"
	"io"
)

// Plain is a [Screen] without a terminal: it reads lines and writes text, and never
// writes a control character. One goroutine may read while another prints.
type Plain struct {
	lines         *bufio.Reader
	out           io.Writer
	currentPrompt string
	columns       int
	interrupts    <-chan struct{}
}

// maxPlainLine bounds a line of input, in bytes. The rest of a longer line is
// dropped.
const maxPlainLine = 1 << 20

// NewPlain returns a screen that reads lines from in and writes to out. interrupts
// may be nil. The caller closes in and out, after the conversation.
func NewPlain(in io.Reader, out io.Writer, interrupts <-chan struct{}) *Plain {
	return &Plain{lines: bufio.NewReader(in), out: out, interrupts: interrupts}
}

// Asking makes p show a prompt and wrap lines at a width, for a person at a terminal
// that is too simple for an [Editor]. It returns p.
func (p *Plain) Asking(width int) *Plain {
	p.currentPrompt, p.columns = "› ", width
	return p
}

// ReadLine implements [Input].
func (p *Plain) ReadLine() (string, error) {
	if p.currentPrompt != "" {
		p.Print(p.currentPrompt)
	}
	var line []byte
	for {
		part, more, err := p.lines.ReadLine()
		line = append(line, part[:min(len(part), maxPlainLine-len(line))]...)
		if err != nil || !more {
			return string(line), err
		}
	}
}

// Print implements [Output]. It ignores a failed write, since the reader has closed the
// stream.
func (p *Plain) Print(text string) { _, _ = io.WriteString(p.out, text) }

// Prompt implements [StatusLine]. The prompt never changes: what was written stays.
func (p *Plain) Prompt(string) {}

// Progress implements [StatusLine]. It shows nothing, because it could not be
// erased.
func (p *Plain) Progress(string) {}

// Width implements [Output].
func (p *Plain) Width() int { return p.columns }

// Interrupts implements [Input].
func (p *Plain) Interrupts() <-chan struct{} { return p.interrupts }
