package terminal

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"
)

// Editor is a line editor on a terminal: history, words, wide characters, text that is
// pasted, and lines that are printed above while one is being edited. One goroutine
// may read while others print.
type Editor struct {
	in, out  *os.File
	before   *term.State // of the terminal, to be put back
	term     *term.Terminal
	keys     *keys
	complete func(line string) []string

	currentPrompt atomic.Pointer[string]
	reading       atomic.Bool
	columns       atomic.Int64

	mu         sync.Mutex // guards cells, which the writer and the reader use
	codec      cellCodec
	history    []string
	interrupts chan struct{}
}

// NewEditor takes over a terminal until Close. complete says which words the line so
// far may go on as, whole lines each.
func NewEditor(in, out *os.File, complete func(line string) []string) (*Editor, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	e := &Editor{in: in, out: out, before: before, complete: complete, interrupts: make(chan struct{}, 1)}
	e.keys = &keys{from: in, interrupt: e.interrupt}
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{readerFunc(e.read), writerFunc(e.write)}, "")
	e.term.AutoCompleteCallback = e.edit
	e.term.History = (*lineHistory)(e)
	e.currentPrompt.Store(new(""))
	e.resize()
	if _, err := io.WriteString(out, "\x1b[?2004h"); err != nil { // tell pasted text apart
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Close gives the terminal back as it was. The last line ends if it is not empty.
func (e *Editor) Close() error {
	_, err := io.WriteString(e.out, "\x1b[?2004l")
	return errors.Join(err, term.Restore(int(e.in.Fd()), e.before))
}

// ReadLine shows the prompt and gives the next line; io.EOF after Ctrl-D.
func (e *Editor) ReadLine() (string, error) {
	e.reading.Store(true)
	defer e.reading.Store(false)
	line, err := e.term.ReadLine()
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.codec.decode(line), nil
}

// Print writes whole lines above the one being edited.
func (e *Editor) Print(text string) {
	e.resize()
	_, _ = e.term.Write([]byte(text)) // a terminal that is gone is noticed by its reader
}

// Prompt changes what stands before the line being edited.
func (e *Editor) Prompt(prompt string) {
	e.currentPrompt.Store(&prompt)
	e.term.SetPrompt(prompt)
	e.Print("")
}

// Progress shows how long something takes before the prompt, or, where there is none,
// on a line of its own that the next text takes.
func (e *Editor) Progress(text string) {
	if !e.reading.Load() {
		e.Print("\r\x1b[K" + text)
		return
	}
	e.term.SetPrompt(text + *e.currentPrompt.Load())
	e.Print("")
}

// Width is how many cells a line has.
func (e *Editor) Width() int { return int(e.columns.Load()) }

// Interrupts tells of Ctrl-C; several that nobody waited for are one.
func (e *Editor) Interrupts() <-chan struct{} { return e.interrupts }

func (e *Editor) interrupt() {
	select {
	case e.interrupts <- struct{}{}:
	default:
	}
}

// resize follows the window; it is cheap and asked before whatever depends on it.
func (e *Editor) resize() {
	if w, h, err := term.GetSize(int(e.out.Fd())); err == nil && w > 0 {
		e.columns.Store(int64(w))
		_ = e.term.SetSize(w, h)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (e *Editor) read(p []byte) (int, error) {
	n, err := e.keys.Read(p)
	e.resize()
	return n, err
}

// write is all that goes to the screen.
func (e *Editor) write(p []byte) (int, error) {
	e.mu.Lock()
	text := e.codec.show(string(p))
	e.mu.Unlock()
	if _, err := io.WriteString(e.out, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// edit is what a key does to the line; ok is false for what the library does itself.
func (e *Editor) edit(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	if key == '\t' {
		return e.tab(line, pos)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before, after, c := line[:pos], line[pos:], &e.codec
	switch key {
	case keyBackspace:
		before, _ = c.tail(before)
	case keyDelete, keyDeleteEOF:
		if line == "" && key == keyDeleteEOF {
			e.keys.ended = true
			return "", 0, true
		}
		_, after = c.head(after)
	case keyLeft:
		var last string
		before, last = c.tail(before)
		after = last + after
	case keyRight:
		var next string
		next, after = c.head(after)
		before += next
	case keyClear:
		before, after = "", ""
	case keyNewline:
		before += c.assign("\n")
	case keyPaste:
		if len(e.keys.pastes) > 0 {
			before += c.paste(e.keys.pastes[0])
			e.keys.pastes = e.keys.pastes[1:]
		}
	default:
		switch {
		case key < ' ' || key == 0x7f:
			return "", 0, false
		case key < 0x7f && after == "":
			return "", 0, false // the library appends it faster
		case !printable(key) && !combines(key) && !joins(key):
			return line, pos, true
		}
		before, after = c.insert(before, string(key), after)
	}
	return before + after, len(before), true
}

// tab completes what stands before the cursor as far as all completions agree. Where
// they part it lists them.
func (e *Editor) tab(line string, pos int) (newLine string, newPos int, ok bool) {
	e.mu.Lock()
	typed := e.codec.decode(line[:pos])
	e.mu.Unlock()
	options := e.complete(typed)
	if len(options) == 0 {
		return line, pos, true
	}
	common := options[0]
	for _, o := range options[1:] {
		for !strings.HasPrefix(o, common) {
			common = common[:len(common)-1]
		}
	}
	if len(options) > 1 && common == typed {
		e.Print("  " + strings.Join(options, "   ") + "\n")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.codec.encode(common)
	return before + line[pos:], len(before), true
}

// maxHistory is how many lines are remembered. They stay in memory: what people type
// may hold what should not be kept.
const maxHistory = 500

// pastLines is the editor's history as the library wants it, the newest first.
type lineHistory Editor

// Add implements term.History.
func (h *lineHistory) Add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.codec.decode(line)
	if strings.TrimSpace(text) == "" || len(h.history) > 0 && h.history[len(h.history)-1] == text {
		return
	}
	h.history = append(h.history, text)
	h.history = slices.Clone(h.history[max(0, len(h.history)-maxHistory):])
}

// Len implements term.History.
func (h *lineHistory) Len() int { return len(h.history) }

// At implements term.History.
func (h *lineHistory) At(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.codec.paste(h.history[len(h.history)-1-i])
}
