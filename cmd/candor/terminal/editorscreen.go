package terminal

import "golang.org/x/term"

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
