package terminal

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Sequences that give a pager a screen of its own, without a cursor, and take it back.
const (
	ownScreen   = "\x1b[?1049h\x1b[?25l"
	otherScreen = "\x1b[?25h\x1b[?1049l"
)

// sizeCheck is how often a pager looks whether the window has another size.
const sizeCheck = 200 * time.Millisecond

// page implements [pageScreen]. While it runs the keyboard is the pager's: keys are read where
// lines are read at other times, and nothing is printed. Events that come meanwhile wait in the
// stream. The terminal's own screen is back when it returns, also after a
// panic. No line may be read meanwhile.
func (e *Editor) page(ctx context.Context, draw func(width int) []pagePart) (shown bool, err error) {
	width, rows, err := term.GetSize(int(e.out.Fd()))
	if err != nil || width < leastPage || rows < leastPage {
		return false, err
	}
	p := &pager{draw: draw}
	if p.resize(width, rows); len(p.lines) < rows {
		return false, nil
	}
	defer func() { _, _ = io.WriteString(e.out, otherScreen) }()
	if _, err := io.WriteString(e.out, ownScreen); err != nil {
		return true, err
	}
	return true, e.turnPages(ctx, p)
}

// leastPage is the number of rows and columns below which a pager is of no use.
const leastPage = 4

// turnPages shows a pager until a key ends it, the input ends, or ctx does.
func (e *Editor) turnPages(ctx context.Context, p *pager) error {
	typed, next := make(chan string), make(chan struct{}, 1)
	stop := make(chan struct{})
	defer close(stop)
	// One key is asked for at a time, so that what was typed behind the key that ends the pager is
	// left for the line editor.
	// Not waited for if ctx ends: it may be inside a read, which ends with the process. After any
	// other end it is not, because it reads only when it is asked to.
	go e.readKeys(typed, next, stop)
	tick := time.NewTicker(sizeCheck)
	defer tick.Stop()
	next <- struct{}{}
	for shown := ""; ; {
		if now := "\x1b[H" + strings.Join(p.view(), "\x1b[K\r\n") + "\x1b[K"; now != shown {
			shown = now
			if _, err := io.WriteString(e.out, now); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if width, rows, err := term.GetSize(int(e.out.Fd())); err == nil {
				p.resize(width, rows)
			}
		case key, ok := <-typed:
			if !ok || !p.key(key) {
				e.forgetInterrupt()
				return nil
			}
			next <- struct{}{}
		}
	}
}

// forgetInterrupt drops a Ctrl-C that left a pager: it was not meant for a turn.
func (e *Editor) forgetInterrupt() {
	select {
	case <-e.interrupts:
	default:
	}
}

// readKeys sends a key for each token of next, until the input ends or stop is closed.
func (e *Editor) readKeys(typed chan<- string, next, stop <-chan struct{}) {
	defer close(typed)
	for {
		select {
		case <-stop:
			return
		case <-next:
		}
		key, err := e.readKey()
		if err != nil {
			return
		}
		select {
		case <-stop:
			return
		case typed <- key:
		}
	}
}

// readKey reads one key as keys translates it: a character, a control code or an arrow. A pasted
// text is no key: it could press any of them.
func (e *Editor) readKey() (string, error) {
	var key []byte
	for {
		var b [1]byte
		if _, err := e.keys.Read(b[:]); err != nil {
			return "", err
		}
		key = append(key, b[0])
		switch {
		case key[0] == 0x1b && escapeLen(key) == 0: // it goes on
		case key[0] == keyPaste:
			e.keys.pastes, key = nil, nil
		case key[0] == 0x1b || utf8.FullRune(key):
			return string(key), nil
		}
	}
}
