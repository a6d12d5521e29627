package safety

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// close copies the closing bracket if it is next and reports true. Otherwise it skips the
// comma before the next member.
func (w *walker) close(bracket byte) bool {
	w.space()
	if w.in[w.pos] == ',' {
		w.pos++
		w.space()
	}
	if w.in[w.pos] != bracket {
		return false
	}
	w.pos++
	w.out = append(w.out, bracket)
	return true
}

// string reads the next string and returns it decoded.
func (w *walker) string() string {
	w.space()
	start := w.pos
	w.skipString()
	lit := w.in[start:w.pos]
	body := lit[1 : len(lit)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body)
	}
	var s string
	if err := json.Unmarshal(lit, &s); err != nil {
		return "" // unreachable, since the whole value is valid
	}
	return s
}

// skipString moves past the string that starts here.
func (w *walker) skipString() {
	for w.pos++; w.in[w.pos] != '"'; w.pos++ {
		if w.in[w.pos] == '\\' {
			w.pos++
		}
	}
	w.pos++
}

// skip moves past the value that starts here.
func (w *walker) skip() {
	depth := 0
	for {
		w.space()
		switch w.in[w.pos] {
		case '{', '[':
			depth++
			w.pos++
		case '}', ']':
			depth--
			w.pos++
		case '"':
			w.skipString()
		case ',', ':':
			w.pos++
		default:
			for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n,]}"), w.in[w.pos]) < 0 {
				w.pos++
			}
		}
		if depth <= 0 {
			return
		}
	}
}

// rest moves past the remaining members of a container and returns their number.
func (w *walker) rest(bracket byte) int {
	n := 0
	for {
		w.space()
		switch w.in[w.pos] {
		case bracket:
			w.pos++
			return n
		case ',':
			w.pos++
		default:
			n++
			w.skip()
			if w.space(); bracket == '}' {
				w.pos++ // the colon
				w.space()
				w.skip()
			}
		}
	}
}

// appendString appends s as a JSON string, without escaping it for HTML.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < 0x20:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
