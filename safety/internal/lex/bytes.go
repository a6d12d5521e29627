package lex

import (
	"math/bits"
)

// Class is a set of bytes. Tokens are matched against classes, never against
// regular expressions, so a match costs one table look-up a byte.
type Class [256]bool

// NewClass returns the set that a specification such as "a-z0-9_-" lists: ranges and
// single bytes. A hyphen of its own stands last.
func NewClass(spec string) *Class {
	var c Class
	for i := 0; i < len(spec); i++ {
		if i+2 < len(spec) && spec[i+1] == '-' {
			for b := int(spec[i]); b <= int(spec[i+2]); b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[spec[i]] = true
	}
	return &c
}

// Classes are the sets that a format names by a letter, as in {a36}. Bytes above 0x7f
// are in none, so that a token always ends before the next script.
var Classes = [256]*Class{
	'a': NewClass("A-Za-z0-9"),
	'b': NewClass("A-Za-z0-9+/"),
	'd': NewClass("0-9"),
	'e': NewClass("="),
	'g': NewClass("a-hA-H0-9"),
	'h': NewClass("0-9a-f"),
	'H': NewClass("0-9A-F"),
	'j': NewClass("A-Za-z0-9/\\_-"),
	'k': NewClass("A-Za-z0-9_-"),
	'l': NewClass("a-z0-9"),
	'n': NewClass("A-Za-z0-9-"),
	'p': NewClass("A-Za-z0-9_.=-"),
	'q': NewClass("A-Za-z0-9_~.-"),
	's': NewClass("A-Za-z0-9_=-"),
	't': NewClass("A-Z2-7"),
	'u': NewClass("A-Z0-9"),
	'w': NewClass("A-Za-z0-9_"),
	'x': NewClass("0-9A-Fa-f"),
	'y': NewClass("A-Za-z0-9+/_=-"),
	'z': NewClass("A-Za-z"),
	'%': NewClass("A-Za-z0-9%"),
}

var (
	Alnum     = Classes['a']                // letters and digits
	Digits    = Classes['d']                // decimal digits
	WordChars = Classes['k']                // letters, digits, _ and -
	Token68   = NewClass("A-Za-z0-9._~+/-") // of HTTP credentials, without the padding

	// BeforeToken holds every byte before which CanStartToken may allow a token to start: all
	// but letters and digits, and those that end an escape.
	BeforeToken = func() *Class {
		c := *NewClass("nrt0-9A-Fa-f")
		for b := range c {
			c[b] = c[b] || !Alnum[b]
		}
		return &c
	}()
)

// Join adds the bytes of another class to c.
func (c *Class) Join(other *Class) {
	for b := range c {
		c[b] = c[b] || other[b]
	}
}

// Run returns the end of the run of bytes of c that starts at i, at most max bytes long.
func (c *Class) Run(s string, i, max int) int {
	end := len(s)
	if end-i > max {
		end = i + max
	}
	if i >= end {
		return i
	}
	t := s[i:end]
	for k := range len(t) {
		if !c[t[k]] {
			return i + k
		}
	}
	return end
}

// WordRun returns what WordChars.Run returns. It is faster for words, most of which are
// letters and end within eight bytes: it finds their end without a loop, whose exit the
// processor would mispredict.
func WordRun(s string, i, max int) int {
	end := len(s)
	if end-i > max {
		end = i + max
	}
	for i+8 <= end {
		n := LeadingLetters(Load8(s, i))
		if i += n; n < 8 {
			if !WordChars[s[i]] {
				return i
			}
			i++
		}
	}
	return WordChars.Run(s, i, end-i)
}

// LeadingLetters counts the letters among eight bytes, up to the first byte that is none.
func LeadingLetters(w uint64) int { return bits.TrailingZeros64(^LetterMask(w)&HighBits) / 8 }

// LetterMask sets the top bit of each of eight bytes that is a letter.
func LetterMask(w uint64) uint64 {
	w |= 0x20 * Ones
	low := w &^ HighBits
	return (low + (0x80-'a')*Ones) &^ (low + (0x80-'z'-1)*Ones) &^ w & HighBits
}

// Ones has the lowest bit of each of eight bytes, HighBits the highest.
const (
	Ones     = 0x0101010101010101
	HighBits = 0x8080808080808080
)

// Back returns the start of the run of bytes of c that ends before i, at most max bytes
// long.
func (c *Class) Back(s string, i, max int) int {
	start := 0
	if i > max {
		start = i - max
	}
	for i > start && c[s[i-1]] {
		i--
	}
	return i
}

// ToLower returns b in lower case if it is an ASCII letter, else b.
func ToLower(b byte) byte {
	if b-'A' < 26 {
		return b | 0x20
	}
	return b
}

// ToUpper returns b in upper case if it is an ASCII letter, else b.
func ToUpper(b byte) byte {
	if b-'a' < 26 {
		return b &^ 0x20
	}
	return b
}

// HasFold reports whether lit, which is in lower case, stands at i in any case. It
// reports false for any i outside s.
func HasFold(s string, i int, lit string) bool {
	if i < 0 || len(s)-i < len(lit) {
		return false
	}
	for k := 0; k < len(lit); k++ {
		if ToLower(s[i+k]) != lit[k] {
			return false
		}
	}
	return true
}

// CanStartToken reports whether a token may start at i: the byte before it is no letter or
// digit, or ends an escape such as \n or %3D.
func CanStartToken(s string, i int) bool {
	if i == 0 || !Alnum[s[i-1]] {
		return true
	}
	if i >= 2 && s[i-2] == '\\' {
		return s[i-1] == 'n' || s[i-1] == 'r' || s[i-1] == 't'
	}
	hex := Classes['x']
	return i >= 3 && s[i-3] == '%' && hex[s[i-2]] && hex[s[i-1]]
}

// Sextets holds the values of the characters of base64, of both alphabets, and Nibbles
// those of hex digits. All other bytes are 0xff.
var Sextets, Nibbles = func() (six, four [256]uint8) {
	for i := range six {
		six[i], four[i] = 0xff, 0xff
	}
	for i := range uint8(26) {
		six['A'+i], six['a'+i] = i, 26+i
	}
	for i := range uint8(10) {
		six['0'+i], four['0'+i] = 52+i, i
	}
	for i := range uint8(6) {
		four['A'+i], four['a'+i] = 10+i, 10+i
	}
	six['+'], six['-'], six['/'], six['_'] = 62, 62, 63, 63
	return six, four
}()

// IsText reports whether b is printable ASCII, a newline, a tab or a carriage return.
func IsText(b byte) bool { return b >= 0x20 && b < 0x7f || b == '\n' || b == '\t' || b == '\r' }
