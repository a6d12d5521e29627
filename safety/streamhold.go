package safety

import (
	"strings"

	"candor/safety/internal/lex"
)

const (
	// maxHeld is how many bytes a stream holds back at most, the latest piece apart.
	maxHeld = 1 << 20
	// lastHeld is how many bytes it still holds after a release. No rule reads more of
	// one match, except for private keys and encoded runs.
	lastHeld = 128 << 10
)

// release empties the buffer once it exceeds maxHeld: for a run without spaces, endless
// encoded lines, or a private key. It returns what can be cleaned so far. If one match
// still fills the buffer, its middle is dropped; a marker will replace the match, and the
// beginning and end suffice to recognise it.
func (s *Stream) release() string {
	if len(s.text)-s.done <= maxHeld {
		return ""
	}
	out := s.advance(lex.RuneStart(s.text, len(s.text)-lastHeld), false)
	if len(s.text)-s.done > maxHeld {
		from, to := seam(s.text, s.done+lastHeld), seam(s.text, len(s.text)-lastHeld)
		if s.text[from-1] != '\n' || s.text[to-1] != '\n' {
			to -= (to - from) % 12 // keep the alignment of base64 and of all escapes
		}
		s.text = s.text[:from] + s.text[to:]
	}
	return out
}

// seam moves i back to just after a line end within 4 KB, else to the start of a rune.
func seam(s string, i int) int {
	const near = 4096
	if k := strings.LastIndexByte(s[i-near:i], '\n'); k >= 0 {
		return i - near + k + 1
	}
	return lex.RuneStart(s, i)
}
