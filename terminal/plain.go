package terminal

import (
	"bufio"
	"io"
)

// Plain is a screen without a terminal: lines in, text out, no control character.
type Plain struct {
	lines      *bufio.Reader
	out        io.Writer
	prompt     string
	interrupts <-chan struct{}
}

// maxPlainLine bounds a line that is read, in bytes; the rest of it is left out.
const maxPlainLine = 1 << 20

// NewPlain reads lines from in, which may be nil for none. The prompt is written only
// if asked, for a person at a terminal that is too simple for the editor.
func NewPlain(in io.Reader, out io.Writer, prompt bool, interrupts <-chan struct{}) *Plain {
	p := &Plain{out: out, interrupts: interrupts}
	if in != nil {
		p.lines = bufio.NewReader(in)
	}
	if prompt {
		p.prompt = "› "
	}
	return p
}

// ReadLine gives the next line; io.EOF after the last.
func (p *Plain) ReadLine() (string, error) {
	if p.lines == nil {
		return "", io.EOF
	}
	if p.prompt != "" {
		p.Print(p.prompt)
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

// Width is any: who reads it breaks lines as they like.
func (p *Plain) Width() int { return 0 }

// Interrupts tells of Ctrl-C.
func (p *Plain) Interrupts() <-chan struct{} { return p.interrupts }
