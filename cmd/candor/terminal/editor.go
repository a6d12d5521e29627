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

// Editor is a [Screen] on a terminal: a line editor with history, completion, wide
// characters and bracketed paste. Text is printed above the line being edited. One
// goroutine may read while others print.
//
// It wraps the editor of golang.org/x/term, which counts a rune as a cell and knows
// few keys. Input passes through [keys], which translates keys, and output through
// [cellCodec], which turns placeholders into what they stand for.
type Editor struct {
	in, out  *os.File
	before   *term.State // of the terminal, for Close
	term     *term.Terminal
	keys     *keys
	complete func(line string) []string

	columns atomic.Int64

	drawing sync.Mutex // guards what follows, and the order in which text is printed
	region  region     // above the prompt
	rows    int
	entered bool // Enter was typed, and its line is not ended yet

	mu         sync.Mutex // guards codec and history, which readers and printers share
	codec      cellCodec
	history    []string
	interrupts chan struct{}
}

// NewEditor takes over a terminal until Close. complete returns the lines that a
// line may continue as; Tab asks it.
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
	e.term.AutoCompleteCallback = e.edit // despite its name it sees every key first
	e.term.History = (*lineHistory)(e)
	e.resize()
	if _, err := io.WriteString(out, "\x1b[?2004h"); err != nil { // bracketed paste
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Close restores the terminal's state. Call it once, when nothing reads or prints any
// more.
func (e *Editor) Close() error {
	e.Progress("")
	_, err := io.WriteString(e.out, "\x1b[?2004l")
	return errors.Join(err, term.Restore(int(e.in.Fd()), e.before))
}

// Aside leaves the terminal to a program, as it was before NewEditor. Nothing may read lines
// meanwhile.
func (e *Editor) Aside(run func(in, out *os.File) error) error {
	e.Progress("")
	if _, err := io.WriteString(e.out, "\x1b[?2004l"); err != nil {
		return err
	}
	if err := term.Restore(int(e.in.Fd()), e.before); err != nil {
		return err
	}
	ran := run(e.in, e.out)
	_, err := term.MakeRaw(int(e.in.Fd()))
	_, paste := io.WriteString(e.out, "\x1b[?2004h")
	return errors.Join(ran, err, paste)
}

// ReadLine implements [Input]. It shows the prompt, and returns io.EOF after Ctrl-D
// on an empty line.
func (e *Editor) ReadLine() (string, error) {
	line, err := e.term.ReadLine()
	e.drawing.Lock()
	e.entered = false
	e.drawing.Unlock()
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.codec.decode(line), nil
}

// readerFunc makes a function an io.Reader, as the library requires.
type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// read reads keys for the line-editing library, and follows changes of the terminal's
// size.
func (e *Editor) read(p []byte) (int, error) {
	n, err := e.keys.Read(p)
	if n > 0 && endsRow(p[n-1]) {
		e.enter(p[n-1])
	}
	e.drawing.Lock()
	defer e.drawing.Unlock()
	e.resize()
	return n, err
}

// write writes the library's output to the screen. Nothing else is written there.
func (e *Editor) write(p []byte) (int, error) {
	e.mu.Lock()
	text := e.codec.show(string(p))
	e.mu.Unlock()
	if _, err := io.WriteString(e.out, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// edit applies a key to the line and the cursor. ok is false for keys that the
// library handles itself.
func (e *Editor) edit(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	switch {
	case key == '\t':
		return e.tab(line, pos)
	case key == keyDeleteEOF && line == "":
		e.keys.ended = true
		return "", 0, true
	case key == 0x7f || key < ' ' && !isEditKey(key):
		return "", 0, false
	case key >= ' ' && key < 0x7f && pos == len(line):
		return "", 0, false // the library appends it faster
	case key >= ' ' && !printable(key) && !combines(key) && !joins(key):
		return line, pos, true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before, after := e.apply(line[:pos], line[pos:], key)
	return before + after, len(before), true
}

// isEditKey reports whether a control code is one that [keys] makes for apply.
func isEditKey(key rune) bool {
	return slices.Contains([]rune{
		keyNewline, keyClear, keyDeleteEOF, keyPaste, keyBackspace, keyDelete, keyLeft, keyRight,
	}, key)
}

// apply returns the parts of a line before and after the cursor, once a key has been
// applied to them. It moves and deletes whole characters as they are seen. The caller
// holds mu.
func (e *Editor) apply(before, after string, key rune) (newBefore, newAfter string) {
	c := &e.codec
	switch key {
	case keyBackspace:
		before, _ = c.tail(before)
	case keyDelete, keyDeleteEOF:
		_, after = c.head(after)
	case keyLeft:
		rest, last := c.tail(before)
		return rest, last + after
	case keyRight:
		next, rest := c.head(after)
		return before + next, rest
	case keyClear:
		return "", ""
	case keyNewline:
		before += c.assign("\n")
	case keyPaste:
		if len(e.keys.pastes) > 0 {
			before += c.paste(e.keys.pastes[0])
			e.keys.pastes = e.keys.pastes[1:]
		}
	default:
		return c.insert(before, string(key), after)
	}
	return before, after
}

// tab completes the text before the cursor as far as all completions agree, and
// lists them where they differ.
func (e *Editor) tab(line string, pos int) (newLine string, newPos int, ok bool) {
	e.mu.Lock()
	typed := e.codec.decode(line[:pos])
	e.mu.Unlock()
	options := e.complete(typed)
	if len(options) == 0 {
		return line, pos, true
	}
	common := options[0] // becomes their common beginning
	for _, o := range options[1:] {
		for !strings.HasPrefix(o, common) {
			common = common[:len(common)-1]
		}
	}
	if len(options) > 1 && common == typed {
		e.Print(Style{Width: e.Width()}.hang("  ", "", strings.Join(options, "   ")))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.codec.encode(common)
	return before + line[pos:], len(before), true
}

// maxHistory bounds the lines that are remembered. They stay in memory: what people
// type may hold what must not be stored.
const maxHistory = 500

// lineHistory is the history of an Editor as the library wants it, the newest line
// first.
type lineHistory Editor

// Add implements term.History. Blank lines and repetitions are left out.
func (h *lineHistory) Add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.codec.decode(line)
	if strings.TrimSpace(text) == "" || len(h.history) > 0 && h.history[len(h.history)-1] == text {
		return
	}
	// The history holds text: placeholders are resolved when a line comes back.
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

// Print implements [Output]. A terminal that is gone is noticed by ReadLine.
func (e *Editor) Print(text string) {
	e.drawing.Lock()
	defer e.drawing.Unlock()
	e.print(text)
}

// print prints above the region. While Enter is on its way the region is off the screen: the
// line that it ends would come to stand below it. The caller holds drawing.
func (e *Editor) print(text string) {
	e.resize()
	shown := e.region
	if e.entered {
		shown.text = ""
	}
	_, _ = e.term.Write([]byte(shown.around(text, e.Width(), e.rows)))
	e.region.drawn, e.region.widest = shown.drawn, shown.widest
}

// Prompt implements [StatusLine].
func (e *Editor) Prompt(prompt string) {
	e.term.SetPrompt(prompt)
	e.Print("")
}

// Progress implements [StatusLine].
func (e *Editor) Progress(lines string) {
	e.drawing.Lock()
	defer e.drawing.Unlock()
	if e.region.text != lines {
		e.region.text = lines
		e.print("")
	}
}

// enter takes the region off the screen before a line is ended, or the screen is cleared.
func (e *Editor) enter(key byte) {
	e.drawing.Lock()
	defer e.drawing.Unlock()
	e.entered = true
	e.print("")
	e.entered = key == '\r' // until ReadLine returns the line
}

// Width implements [Output].
func (e *Editor) Width() int { return int(e.columns.Load()) }

// Interrupts implements [Input]. Several Ctrl-C that nobody received count as one.
func (e *Editor) Interrupts() <-chan struct{} { return e.interrupts }

// interrupt notes a Ctrl-C without waiting.
func (e *Editor) interrupt() {
	select {
	case e.interrupts <- struct{}{}:
	default:
	}
}

// resize follows the size of the window. It is cheap, so it runs before everything
// that depends on the size, and no signal is needed. The caller holds drawing.
func (e *Editor) resize() {
	if w, h, err := term.GetSize(int(e.out.Fd())); err == nil && w > 0 {
		e.columns.Store(int64(w))
		e.rows = h
		_ = e.term.SetSize(w, h)
	}
}
