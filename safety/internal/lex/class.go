package lex

// Class is a set of bytes. Matching a token against classes costs one table
// lookup per byte; the detector uses no regular expressions.
type Class [256]bool

// NewClass returns the class that spec lists, such as "a-z0-9_-": single bytes and
// inclusive ranges. A literal hyphen must come last.
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

// Classes holds the classes that a token format may name, indexed by their letter.
// No class contains a byte above 0x7f, so a token always ends at the first
// non-ASCII character.
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
	// Alnum contains the ASCII letters and digits.
	Alnum = Classes['a']
	// Digits contains the decimal digits.
	Digits = Classes['d']
	// WordChars contains letters, digits, underscore and hyphen: the characters of
	// a name, and of most tokens.
	WordChars = Classes['k']
	// Token68 contains the characters of an HTTP credential (RFC 9110, token68),
	// without the padding.
	Token68 = NewClass("A-Za-z0-9._~+/-")

	// BeforeToken contains every byte that may precede a token for which
	// CanStartToken holds. It is a necessary condition only: the letters and digits
	// in it must also end an escape.
	BeforeToken = func() *Class {
		c := *NewClass("nrt0-9A-Fa-f")
		for b := range c {
			c[b] = c[b] || !Alnum[b]
		}
		return &c
	}()
)

// Join adds the bytes of other to c.
func (c *Class) Join(other *Class) {
	for b := range c {
		c[b] = c[b] || other[b]
	}
}

// Run returns the end of the run of c that starts at i, or i if s[i] is not in c.
// It looks at no more than limit bytes. i may be at or past the end of s.
func (c *Class) Run(s string, i, limit int) int {
	end := len(s)
	if end-i > limit {
		end = i + limit
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

// Back returns the start of the run of c that ends before i, or i if s[i-1] is not
// in c. It looks at no more than limit bytes.
func (c *Class) Back(s string, i, limit int) int {
	start := 0
	if i > limit {
		start = i - limit
	}
	for i > start && c[s[i-1]] {
		i--
	}
	return i
}

// WordRun returns WordChars.Run(s, i, limit). It is faster for ordinary words, which
// are mostly letters and at most eight bytes long: it finds the end of the letters
// with arithmetic instead of a loop whose exit the processor would mispredict.
func WordRun(s string, i, limit int) int {
	end := len(s)
	if end-i > limit {
		end = i + limit
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
