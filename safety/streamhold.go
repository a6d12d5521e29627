package safety

import (
	"strings"

	"candor/safety/internal/lex"
)

const (
	// maxHeld is how much a stream holds back at most, a last delta apart.
	maxHeld = 1 << 20
	// lastHeld is what it still holds when that was too much: more than any rule
	// reads of one match, block of a key and encoded run apart.
	lastHeld = 128 << 10
)

// release gives out what is held back too long: a run without a space, encoded
// lines without an end, a private key. Of a match that goes on, the middle is
// dropped, since a marker will stand for it; its beginning and its end say what
// it is. Any other run is cleaned as far as it is known.
func (s *Stream) release() string {
	if len(s.text)-s.done <= maxHeld {
		return ""
	}
	out := s.advance(lex.RuneStart(s.text, len(s.text)-lastHeld))
	if len(s.text)-s.done > maxHeld {
		from, to := seam(s.text, s.done+lastHeld), seam(s.text, len(s.text)-lastHeld)
		if s.text[from-1] != '\n' || s.text[to-1] != '\n' {
			to -= (to - from) % 12 // whole groups of base64 and of every escape
		}
		s.text = s.text[:from] + s.text[to:]
	}
	return out
}

// seam draws i back to behind a line end that is near, or to a rune's start.
func seam(s string, i int) int {
	const near = 4096
	if k := strings.LastIndexByte(s[i-near:i], '\n'); k >= 0 {
		return i - near + k + 1
	}
	return lex.RuneStart(s, i)
}
