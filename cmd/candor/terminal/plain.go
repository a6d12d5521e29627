package terminal

import (
	"bufio"
	"io"
)

// Plain is a screen without a terminal: lines in, text out, no control character.
type Plain struct {
	lines         *bufio.Reader
	out           io.Writer
	currentPrompt string
	columns       int
	interrupts    <-chan struct{}
}

// maxPlainLine bounds a line that is read, in bytes; the rest of it is left out.
const maxPlainLine = 1 << 20

// NewPlain reads lines from in.
func NewPlain(in io.Reader, out io.Writer, interrupts <-chan struct{}) *Plain {
	return &Plain{lines: bufio.NewReader(in), out: out, interrupts: interrupts}
}

// Asking is p for a person at a terminal that is too simple for the editor: it has a
// prompt, and lines of so many cells.
func (p *Plain) Asking(width int) *Plain {
	p.currentPrompt, p.columns = "› ", width
	return p
}

// ReadLine gives the next line; io.EOF after the last.
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

// Print writes text.
func (p *Plain) Print(text string) { _, _ = io.WriteString(p.out, text) }

// Prompt changes nothing: the prompt says nothing else here.
func (p *Plain) Prompt(string) {}

// Progress shows nothing: what is written here stays.
func (p *Plain) Progress(string) {}

// Width is any, where who reads it breaks lines as they like.
func (p *Plain) Width() int { return p.columns }

// Interrupts tells of Ctrl-C.
func (p *Plain) Interrupts() <-chan struct{} { return p.interrupts }
