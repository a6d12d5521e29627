package terminal

import (
	"bytes"
	"io"
	"strings"
)

// Keys that the line editor does not know and hands to us. They are control codes
// that no key of ours sends.
const (
	keyNewline   = 0x16
	keyClear     = 0x18
	keyDeleteEOF = 0x19
	keyPaste     = 0x1a
	keyBackspace = 0x1c
	keyDelete    = 0x1d
	keyLeft      = 0x1e
	keyRight     = 0x1f
)

// sequences are what keys send, by what the editor takes them for.
var keyMap = map[string]string{
	"\x7f": "\x1c", "\x08": "\x1c", "\x02": "\x1e", "\x06": "\x1f", "\x04": "\x19", "\n": "\x16",
	"\x1b[D": "\x1e", "\x1bOD": "\x1e", "\x1b[C": "\x1f", "\x1bOC": "\x1f", "\x1b[3~": "\x1d",
	"\x1b[A": "\x1b[A", "\x1bOA": "\x1b[A", "\x1b[B": "\x1b[B", "\x1bOB": "\x1b[B",
	"\x1b[H": "\x01", "\x1bOH": "\x01", "\x1b[1~": "\x01", "\x1b[7~": "\x01",
	"\x1b[F": "\x05", "\x1bOF": "\x05", "\x1b[4~": "\x05", "\x1b[8~": "\x05",
	"\x1b[1;5C": "\x1b[1;3C", "\x1b[1;3C": "\x1b[1;3C", "\x1bf": "\x1b[1;3C",
	"\x1b[1;5D": "\x1b[1;3D", "\x1b[1;3D": "\x1b[1;3D", "\x1bb": "\x1b[1;3D",
	"\x1b\x7f": "\x17", "\x1b\r": "\x16", "\x1b\n": "\x16",
}

// kept are the control codes that the editor takes as they are: ^A ^E ^I ^K ^L ^N ^P ^U ^W and Enter.
const passedThrough = "\x01\x05\t\x0b\x0c\x0e\x10\x15\x17\r"

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	maxPaste   = 512 << 10 // bytes; a message may not be much longer
)

// keys reads what a keyboard sends and gives the line editor what it understands. It
// keeps pasted text apart, so that a line break in it sends nothing.
type keys struct {
	from      io.Reader
	interrupt func() // Ctrl-C
	ready     []byte // for the editor
	partial   []byte // the beginning of a sequence
	pasting   bool
	pasted    []byte   // while pasting
	pastes    []string // complete, for the editor to fetch
	ended     bool
}

// Read implements io.Reader.
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
	k.ready = k.ready[n:]
	return n, nil
}

// take translates input and holds back what may go on.
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

// paste takes pasted bytes up to the end mark, and none when there may be more of it.
func (k *keys) takePaste(in []byte) int {
	end := bytes.Index(in, []byte(pasteEnd))
	n := end
	if end < 0 {
		n = len(in) - len(pasteEnd) + 1
		if n <= 0 {
			return 0
		}
	}
	k.pasted = append(k.pasted, in[:min(n, maxPaste-len(k.pasted))]...)
	if end < 0 {
		return n
	}
	text := strings.TrimRight(Clean(strings.ToValidUTF8(string(k.pasted), "")), "\n")
	k.pastes = append(k.pastes, text)
	k.pasted, k.pasting = nil, false
	k.ready = append(k.ready, keyPaste)
	return n + len(pasteEnd)
}

// key takes one key, and none when it may not be all of it.
func (k *keys) takeKey(in []byte) int {
	if in[0] == 0x03 {
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
	case n > 1 || in[0] < ' ' && strings.IndexByte(passedThrough, in[0]) < 0: // a key that means nothing here
	default:
		k.ready = append(k.ready, in[0])
	}
	return n
}

// escape is the length of what a key sent that begins with ESC, 0 if more of it may
// come.
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
