package safety

import "math/bits"

// class is a set of bytes. Tokens are matched against classes, never against
// regular expressions, so a match costs one table look-up a byte.
type class [256]bool

// newClass reads "a-z0-9_-": ranges and single bytes, a hyphen last.
func newClass(spec string) *class {
	var c class
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

// classes are the letters a format may use. Bytes above 0x7f are in none, so a
// token always ends before the next script.
var classes = [256]*class{
	'a': newClass("A-Za-z0-9"),
	'b': newClass("A-Za-z0-9+/"),
	'd': newClass("0-9"),
	'e': newClass("="),
	'g': newClass("a-hA-H0-9"),
	'h': newClass("0-9a-f"),
	'H': newClass("0-9A-F"),
	'j': newClass("A-Za-z0-9/\\_-"),
	'k': newClass("A-Za-z0-9_-"),
	'l': newClass("a-z0-9"),
	'n': newClass("A-Za-z0-9-"),
	'p': newClass("A-Za-z0-9_.=-"),
	'q': newClass("A-Za-z0-9_~.-"),
	's': newClass("A-Za-z0-9_=-"),
	't': newClass("A-Z2-7"),
	'u': newClass("A-Z0-9"),
	'w': newClass("A-Za-z0-9_"),
	'x': newClass("0-9A-Fa-f"),
	'y': newClass("A-Za-z0-9+/_=-"),
	'z': newClass("A-Za-z"),
	'%': newClass("A-Za-z0-9%"),
}

var (
	alnum   = classes['a']
	digits  = classes['d']
	wordish = classes['k']
	token68 = newClass("A-Za-z0-9._~+/-")

	// unjoined is what freeOnLeft may allow before a token.
	unjoined = func() *class {
		c := *newClass("nrt0-9A-Fa-f")
		for b := range c {
			c[b] = c[b] || !alnum[b]
		}
		return &c
	}()
)

// join adds what another class holds.
func (c *class) join(other *class) {
	for b := range c {
		c[b] = c[b] || other[b]
	}
}

// run is the end of the run of c that starts at i, at most max bytes long.
func (c *class) run(s string, i, max int) int {
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

// wordRun is wordish.run for words, which most often are letters and end within eight
// bytes: it looks for their end without a loop, whose length would be guessed wrong.
func wordRun(s string, i, max int) int {
	end := len(s)
	if end-i > max {
		end = i + max
	}
	for i+8 <= end {
		n := lettersIn(eight(s, i))
		if i += n; n < 8 {
			if !wordish[s[i]] {
				return i
			}
			i++
		}
	}
	return wordish.run(s, i, end-i)
}

// lettersIn is how many of eight bytes are letters, up to the first that is none.
func lettersIn(w uint64) int { return bits.TrailingZeros64(^letterTops(w)&tops) / 8 }

// letterTops has the top bit of those of eight bytes that are letters.
func letterTops(w uint64) uint64 {
	w |= 0x20 * ones
	low := w &^ tops
	return (low + (0x80-'a')*ones) &^ (low + (0x80-'z'-1)*ones) &^ w & tops
}

// A byte of each of eight, and the top bits of them.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// back is the start of the run of c that ends before i, at most max bytes long.
func (c *class) back(s string, i, max int) int {
	start := 0
	if i > max {
		start = i - max
	}
	for i > start && c[s[i-1]] {
		i--
	}
	return i
}

func lower(b byte) byte {
	if b-'A' < 26 {
		return b | 0x20
	}
	return b
}

func upperOf(b byte) byte {
	if b-'a' < 26 {
		return b &^ 0x20
	}
	return b
}

// hasFold reports whether s holds lit at i. lit is in lower case.
func hasFold(s string, i int, lit string) bool {
	if i < 0 || len(s)-i < len(lit) {
		return false
	}
	for k := 0; k < len(lit); k++ {
		if lower(s[i+k]) != lit[k] {
			return false
		}
	}
	return true
}

// freeOnLeft reports whether a token may start at i: what stands before is no
// letter or digit, or is the end of an escape such as \n or %3D.
func freeOnLeft(s string, i int) bool {
	if i == 0 || !alnum[s[i-1]] {
		return true
	}
	if i >= 2 && s[i-2] == '\\' {
		return s[i-1] == 'n' || s[i-1] == 'r' || s[i-1] == 't'
	}
	hex := classes['x']
	return i >= 3 && s[i-3] == '%' && hex[s[i-2]] && hex[s[i-1]]
}
