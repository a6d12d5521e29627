package decode

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
)

// Unescaped returns the text with percent escapes, backslash escapes and character references
// decoded, one level deep, or nil if there is nothing to decode. It drops escapes of characters
// that nobody sees.
func Unescaped(s string) *View {
	var v *View
	last := 0
	c := newCursors(s)
	for i := c.next(0); i < len(s); {
		r, n := Escape(s, i)
		if n == 0 {
			i = c.next(i + 1)
			continue
		}
		if v == nil {
			v = newView(s)
		}
		v.copy(s, last, i)
		if r < utf8.RuneSelf || !invisible.Is(r) {
			v.put(r, i, n)
		}
		last = i + n
		i = c.next(last)
	}
	if v == nil {
		return nil
	}
	v.copy(s, last, len(s))
	return v.end(s)
}

// cursors find the next byte that may open an escape. Each remembers the next position
// of its byte, so text without any is skipped at the speed of memory.
type cursors struct {
	s  string
	at [3]int
}

// Openers are the bytes that an escape can begin with.
const Openers = `%\&`

func newCursors(s string) *cursors { return &cursors{s: s, at: [3]int{-1, -1, -1}} }

func (c *cursors) next(i int) int {
	first := len(c.s)
	for k := range c.at {
		if c.at[k] < i {
			c.at[k] = len(c.s)
			if j := strings.IndexByte(c.s[min(i, len(c.s)):], Openers[k]); j >= 0 {
				c.at[k] = i + j
			}
		}
		first = min(first, c.at[k])
	}
	return first
}

// Escape decodes the escape at i and returns its length, or 0 if there is none.
func Escape(s string, i int) (rune, int) {
	switch s[i] {
	case '%':
		return percent(s, i)
	case '\\':
		return backslash(s, i)
	case '&':
		return reference(s, i)
	}
	return 0, 0
}

// percent decodes %XX. Several that make one rune of UTF-8 are decoded together; any
// other byte becomes the rune of that number.
func percent(s string, i int) (rune, int) {
	r, ok := lex.HexNumber(s, i+1, 2)
	if !ok {
		return 0, 0
	}
	if r >= 0xc2 {
		var b [utf8.UTFMax]byte
		n := 0
		for ; n < len(b); n++ {
			if k := i + 3*n; k >= len(s) || s[k] != '%' {
				break
			}
			c, ok := lex.HexNumber(s, i+3*n+1, 2)
			if !ok {
				break
			}
			b[n] = byte(c)
		}
		if whole, size := utf8.DecodeRune(b[:n]); whole != utf8.RuneError {
			return whole, 3 * size
		}
	}
	return r, 3
}

// backslash decodes \uXXXX, \u{X}, \xXX, \UXXXXXXXX, \OOO, and the escapes of JSON and of
// Markdown. It leaves \/ alone, which the sanitizer itself writes to neutralise a closing tag.
func backslash(s string, i int) (rune, int) {
	if i+1 >= len(s) {
		return 0, 0
	}
	switch s[i+1] {
	case 'n', 'r':
		return '\n', 2
	case 't':
		return '\t', 2
	case '"', '\'', '\\', '_', '-', '.':
		return rune(s[i+1]), 2
	case '0', '1':
		if i+3 < len(s) && octalText(s[i+1:i+4]) {
			return rune(s[i+1]-'0')<<6 | rune(s[i+2]-'0')<<3 | rune(s[i+3]-'0'), 4
		}
	case 'x':
		if r, ok := lex.HexNumber(s, i+2, 2); ok {
			return r, 4
		}
	case 'U':
		if r, ok := lex.HexNumber(s, i+2, 8); ok && r <= utf8.MaxRune {
			return r, 10
		}
	case 'u':
		return unicodeEscape(s, i)
	}
	return 0, 0
}

// unicodeEscape decodes \uXXXX, two of them that make a surrogate pair, and \u{X}.
func unicodeEscape(s string, i int) (rune, int) {
	if i+2 < len(s) && s[i+2] == '{' {
		end := lex.Classes['x'].Run(s, i+3, 6)
		if r, ok := lex.HexNumber(s, i+3, end-i-3); ok && end < len(s) && s[end] == '}' && r <= utf8.MaxRune {
			return r, end + 1 - i
		}
		return 0, 0
	}
	r, ok := lex.HexNumber(s, i+2, 4)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && i+7 < len(s) && s[i+6] == '\\' && s[i+7] == 'u' {
		if low, ok := lex.HexNumber(s, i+8, 4); ok {
			return utf16.DecodeRune(r, low), 12
		}
	}
	return r, 6
}

// names are the character references of HTML that may appear in a secret or split it.
var names = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "equals": '=', "colon": ':', "lowbar": '_',
	"hyphen": '-', "dash": '-', "period": '.', "sol": '/', "commat": '@', "plus": '+', "nbsp": ' ',
	"shy": invisible.SoftHyphen, "zwj": invisible.Joiner, "zwnj": invisible.NonJoiner,
	"ZeroWidthSpace": 0x200b, "NoBreak": 0x2060, "lrm": 0x200e, "rlm": 0x200f,
}

// maxReference is the length of the longest character reference that is read.
const maxReference = 16

// reference decodes a character reference: &#65; and &#x41;, also without the semicolon,
// and some names.
func reference(s string, i int) (rune, int) {
	end := i + 1
	for end < len(s) && end < i+maxReference && (lex.Alnum[s[end]] || s[end] == '#') {
		end++
	}
	if end < i+3 {
		return 0, 0
	}
	name, n := s[i+1:end], end-i
	closed := end < len(s) && s[end] == ';'
	if closed {
		n++
	}
	if name[0] != '#' {
		if r := names[name]; closed && r > 0 {
			return r, n
		}
		return 0, 0
	}
	if r, ok := codePoint(name[1:]); ok {
		return r, n
	}
	return 0, 0
}

// codePoint reads the number of a character, in decimal, or in hex behind an x.
func codePoint(v string) (r rune, ok bool) {
	if lex.ToLower(v[0]) == 'x' {
		r, ok = lex.HexNumber(v, 1, len(v)-1)
		return r, ok && r <= utf8.MaxRune
	}
	for _, c := range []byte(v) {
		if !lex.Digits[c] || r > utf8.MaxRune {
			return 0, false
		}
		r = r*10 + rune(c-'0')
	}
	return r, true
}
