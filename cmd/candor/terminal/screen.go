package terminal

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

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

// region is the lines at the bottom of a screen that change in place: below all that was
// printed, and above the prompt if there is one. The zero value is an empty region.
type region struct {
	text   string // whole lines
	drawn  int    // lines of it on the screen
	widest int    // cells of the widest line on the screen
}

// around returns what to write to a screen of some columns and rows so that text appears
// above the region. The cursor has to be at the beginning of the line below the region.
//
// A line that no longer fits a window that became narrower is left where it is: how many
// rows it takes now depends on the terminal, and rows above it may not be lost.
func (r *region) around(text string, columns, rows int) string {
	before := ""
	if columns == 0 || r.widest <= columns {
		before = strings.Repeat("\x1b[A\x1b[K", r.drawn)
	}
	r.drawn, r.widest = 0, 0
	lines := strings.SplitAfter(r.text, "\n")
	lines = lines[:len(lines)-1]
	// A row that scrolled away could not be redrawn.
	if most := max(1, rows-4); rows > 0 && len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	for _, line := range lines {
		r.drawn++
		r.widest = max(r.widest, shownWidth(line))
	}
	return before + text + strings.Join(lines, "")
}

// shownWidth returns the cells of a line of ours: without its renditions.
func shownWidth(line string) int { return cellWidth(strings.TrimSuffix(unpainted(line), "\n")) }

// unpainted returns a line of ours without its renditions.
func unpainted(line string) string {
	if !strings.Contains(line, "\x1b") {
		return line
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "\x1b[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, line, _ = strings.Cut(rest, "m")
	}
}

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

// Scroll writes to a terminal in which nobody types: lines that stay, and below them a region
// that changes in place. Make one with [NewScroll]. Its methods may be called at the same time.
//
// The terminal stays as it was found: it is not raw, the cursor stands below the region, and a
// program that ends at any moment leaves lines and no mode behind.
//
// What a person types into such a terminal is echoed into the region, and is gone when the region
// is drawn again. A line that no longer fits a window that became narrower stays where it is: see
// region.around.
type Scroll struct {
	out  io.Writer
	size func() (columns, rows int)

	mu     sync.Mutex // guards what follows, and the order in which is written
	region region
}

// NewScroll returns a Scroll. size is asked before everything that is written, so the window may
// change at any time.
func NewScroll(out io.Writer, size func() (columns, rows int)) *Scroll {
	return &Scroll{out: out, size: size}
}

// Print writes whole lines of safe text above the region.
func (s *Scroll) Print(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(text)
}

// Progress shows whole lines of safe text below all that was printed, in the place of those that
// it showed before; "" shows none. Lines that are the same as before are not drawn again, so that a
// tick of the clock costs nothing where nothing changed.
func (s *Scroll) Progress(lines string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.region.text == lines {
		return nil
	}
	s.region.text = lines
	return s.write("")
}

// Width returns the cells of a line.
func (s *Scroll) Width() int {
	columns, _ := s.size()
	return columns
}

// write writes text and the region below it, in one piece, so that nothing flickers. The caller
// holds mu.
func (s *Scroll) write(text string) error {
	columns, rows := s.size()
	_, err := io.WriteString(s.out, s.region.around(text, columns, rows))
	return err
}
