package terminal

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// Codes for the keys that the editor of the library does not know and passes to
// Editor.edit. They are control codes that nothing else in this package sends.
const (
	keyPageUp    = 0x12 // of a pager; the editor has no use for it
	keyPageDown  = 0x13 // likewise
	keyNewline   = 0x16
	keyClear     = 0x18
	keyDeleteEOF = 0x19
	keyPaste     = 0x1a
	keyBackspace = 0x1c
	keyDelete    = 0x1d
	keyLeft      = 0x1e
	keyRight     = 0x1f
)

// keyMap maps the sequences that terminals send for keys to those that the editor
// understands.
var keyMap = map[string]string{
	"\x7f": "\x1c", "\x08": "\x1c", "\x02": "\x1e", "\x06": "\x1f", "\x04": "\x19", "\n": "\x16",
	"\x1b[D": "\x1e", "\x1bOD": "\x1e", "\x1b[C": "\x1f", "\x1bOC": "\x1f", "\x1b[3~": "\x1d",
	"\x1b[A": "\x1b[A", "\x1bOA": "\x1b[A", "\x1b[B": "\x1b[B", "\x1bOB": "\x1b[B",
	"\x1b[H": "\x01", "\x1bOH": "\x01", "\x1b[1~": "\x01", "\x1b[7~": "\x01",
	"\x1b[F": "\x05", "\x1bOF": "\x05", "\x1b[4~": "\x05", "\x1b[8~": "\x05",
	"\x1b[1;5C": "\x1b[1;3C", "\x1b[1;3C": "\x1b[1;3C", "\x1bf": "\x1b[1;3C",
	"\x1b[1;5D": "\x1b[1;3D", "\x1b[1;3D": "\x1b[1;3D", "\x1bb": "\x1b[1;3D",
	"\x1b[5~": "\x12", "\x1b[6~": "\x13",
	"\x1b\x7f": "\x17", "\x1b\r": "\x16", "\x1b\n": "\x16",
}

// passedThrough are the control codes that the editor handles itself: ^A ^E ^I ^K ^L
// ^N ^P ^U ^W and Enter.
const passedThrough = "\x01\x05\t\x0b\x0c\x0e\x10\x15\x17\r"

// Bracketed paste: what terminals send around pasted text.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	maxPaste   = 512 << 10 // bytes; a message may not be much longer
)

// keys reads the keyboard's input and translates it for the line editor. Pasted text is
// kept apart from keys, so that a line break in it does not send the line.
type keys struct {
	from      io.Reader
	interrupt func() // called for Ctrl-C
	ready     []byte // translated, for the editor
	partial   []byte // the beginning of a key or of the end of a paste
	pasting   bool
	pasted    []byte   // the paste so far
	pastes    []string // complete, one for each keyPaste that was sent
	ended     bool
}

// Read implements io.Reader. It returns io.EOF once the input has ended or failed.
func (k *keys) Read(p []byte) (int, error) {
	for len(k.ready) == 0 {
		if k.ended {
			return 0, io.EOF
		}
		var buf [4096]byte
		n, err := k.from.Read(buf[:])
		k.translate(append(k.partial, buf[:n]...))
		if err != nil {
			k.ended = true
		}
	}
	n := copy(p, k.ready)
	// What follows a key that ends a row comes with the next call, so that the editor can do
	// what such a key needs.
	if i := slices.IndexFunc(k.ready[:n], endsRow); i >= 0 {
		n = i + 1
	}
	k.ready = k.ready[n:]
	return n, nil
}

// endsRow reports whether a key ends the line that is edited, or clears the screen.
func endsRow(key byte) bool { return key == '\r' || key == '\f' }

// translate takes all complete keys from the input and keeps the rest.
func (k *keys) translate(in []byte) {
	for len(in) > 0 {
		n := 0
		if k.pasting {
			n = k.takePaste(in)
		} else {
			n = k.takeKey(in)
		}
		if n == 0 {
			break
		}
		in = in[n:]
	}
	k.partial = append([]byte(nil), in...)
}

// takePaste takes pasted bytes up to the end mark and returns how many, 0 if it
// needs to see more.
func (k *keys) takePaste(in []byte) int {
	end := bytes.Index(in, []byte(pasteEnd))
	n := end
	if end < 0 {
		n = len(in) - len(pasteEnd) + 1 // the rest may be the beginning of the end mark
		if n <= 0 {
			return 0
		}
	}
	k.pasted = append(k.pasted, in[:min(n, maxPaste-len(k.pasted))]...)
	if end < 0 {
		return n
	}
	text := strings.TrimRight(Clean(strings.ToValidUTF8(string(k.pasted), "")), "\n")
	// The text waits in pastes; the editor sees one key and fetches it.
	k.pastes = append(k.pastes, text)
	k.pasted, k.pasting = nil, false
	k.ready = append(k.ready, keyPaste)
	return n + len(pasteEnd)
}

// takeKey takes one key and returns its length, 0 if it may not be complete.
func (k *keys) takeKey(in []byte) int {
	if in[0] == 0x03 {
		// Ctrl-C stops the turn, and clears the line that was typed meanwhile.
		k.interrupt()
		k.ready = append(k.ready, keyClear)
		return 1
	}
	n := 1
	if in[0] == 0x1b {
		if n = escapeLen(in); n == 0 {
			return 0
		}
	}
	switch as, known := keyMap[string(in[:n])]; {
	case known:
		k.ready = append(k.ready, as...)
	case string(in[:n]) == pasteBegin:
		k.pasting = true
	case n > 1 || in[0] < ' ' && strings.IndexByte(passedThrough, in[0]) < 0: // a key without a meaning here
	default:
		k.ready = append(k.ready, in[0])
	}
	return n
}

// escapeLen returns the length of a key that begins with ESC, 0 if it may not be
// complete.
func escapeLen(in []byte) int {
	if len(in) < 2 {
		return 0
	}
	switch in[1] {
	case '[':
		for i := 2; i < len(in); i++ {
			if in[i] >= 0x40 && in[i] <= 0x7e {
				return i + 1
			}
			if i > 32 {
				return i
			}
		}
		return 0
	case 'O':
		if len(in) < 3 {
			return 0
		}
		return 3
	case 0x1b:
		return 1
	}
	return 2
}
