package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLine bounds a line of foreign text, in characters.
	maxLine = 10_000
	// maxText bounds what is shown of a whole text, in characters.
	maxText = 400_000
	// maxMarks is how many combining marks one character keeps.
	maxMarks = 4
	// maxSequence bounds what is taken for one terminal sequence, in bytes.
	maxSequence = 4096
)

// Clean makes foreign text safe to print: terminal sequences are taken out as a
// whole, control, bidi and invisible characters one by one; a tab is two spaces, any
// line break a newline. What is longer than a person reads is cut, and says so.
func Clean(s string) string { return cleaner{}.clean(s) }

// CleanLine is Clean for what stands within a line: line breaks become spaces.
func CleanLine(s string) string {
	return strings.Join(strings.Fields(cleaner{line: true}.clean(s)), " ")
}

// cleaner writes what is safe of a text.
type cleaner struct {
	out    strings.Builder
	line   bool // one line is wanted
	column int  // characters on this line so far
	total  int
	marks  int
	cut    int // characters left out of this line
}

func (c cleaner) clean(s string) string {
	c.out.Grow(min(len(s), 4*maxText))
	for len(s) > 0 {
		if n := printableASCII(s); n > 0 && c.total+n < maxText {
			c.plain(s[:n])
			s = s[n:]
			continue
		}
		if n := sequenceLen(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if r == '\r' && strings.HasPrefix(s[n:], "\n") {
			n++
		}
		s = s[n:]
		if c.total >= maxText {
			c.noteCut()
			c.out.WriteString("… (the rest is left out)")
			return c.out.String()
		}
		c.add(r)
	}
	c.noteCut()
	return c.out.String()
}

// plainRun is how many printable ASCII characters s begins with.
func printableASCII(s string) int {
	n := 0
	for n < len(s) && n < maxLine && s[n] >= ' ' && s[n] <= '~' {
		n++
	}
	return n
}

// plain adds printable ASCII characters.
func (c *cleaner) plain(s string) {
	c.marks = 0
	fits := min(len(s), maxLine-c.column)
	c.out.WriteString(s[:fits])
	c.column += fits
	c.total += fits
	c.cut += len(s) - fits
}

func (c *cleaner) add(r rune) {
	switch {
	case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f' || r == '\u0085':
		c.newline()
	case r == '\t':
		c.write("  ", 2)
	case combines(r):
		if c.marks++; c.marks <= maxMarks {
			c.write(string(r), 0)
		}
	case joins(r):
		if c.marks++; c.marks <= maxMarks && c.column > 0 {
			c.write(string(r), 0)
		}
	case printable(r):
		c.marks = 0
		c.write(string(r), 1)
	}
}

func (c *cleaner) newline() {
	c.marks = 0
	if c.line {
		c.write(" ", 1)
		return
	}
	c.noteCut()
	c.total++
	c.column = 0
	c.out.WriteByte('\n')
}

func (c *cleaner) write(s string, characters int) {
	if c.column >= maxLine {
		c.cut += characters
		return
	}
	c.total += max(1, characters)
	c.column += characters
	c.out.WriteString(s)
}

// note says how much of the line was cut.
func (c *cleaner) noteCut() {
	if c.cut > 0 {
		c.out.WriteString("… (" + count(c.cut) + " more characters)")
		c.cut = 0
	}
}

// mark reports whether r is drawn onto the character before it.
func combines(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) && !invisible(r) || r == 0xFE0F
}

// joiner reports whether r joins its neighbours into one: scripts and emoji need it.
func joins(r rune) bool { return r == 0x200C || r == 0x200D }

// hidden are marks and letters that show nothing.
func invisible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x17B4, r == 0x17B5, r == 0x2800:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0x180B && r <= 0x180F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// shown reports whether r is something to look at, or a space.
func printable(r rune) bool {
	if r == ' ' || r == 0xA0 || r == utf8.RuneError {
		return true
	}
	if r >= firstToken {
		return false // the line editor's
	}
	return (unicode.IsGraphic(r) || unicode.Is(unicode.Co, r)) && !invisible(r) && !unicode.Is(unicode.Cf, r)
}

// sequence is the length of the terminal sequence that s begins with, 0 for none. One
// that does not end is its introducer only: what follows is text.
func sequenceLen(s string) int {
	var kind byte
	start := 2
	switch {
	case len(s) >= 2 && s[0] == 0x1b:
		kind = s[1]
	case len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f:
		kind = s[1] - 0x40 // an 8-bit control is the 7-bit one with ESC before it
	default:
		return 0
	}
	switch {
	case kind == '[':
		return start + csiLen(s[start:])
	case strings.IndexByte("]PX^_", kind) >= 0:
		return start + controlStringLen(s[start:])
	case kind >= ' ' && kind <= '/' && len(s) > start && s[0] == 0x1b:
		return start + 1
	case s[0] == 0x1b && kind >= utf8.RuneSelf, s[0] == 0x1b && kind < ' ':
		return 1
	}
	if s[0] == 0xc2 && kind == 'E' {
		return 0 // NEL, a line break
	}
	return start
}

// csi is the length of parameters up to the final byte.
func csiLen(s string) int {
	for i := 0; i < min(len(s), 64); i++ {
		switch {
		case s[i] >= 0x40 && s[i] <= 0x7e:
			return i + 1
		case s[i] < 0x20 || s[i] > 0x3f:
			return i
		}
	}
	return 0
}

// controlString is the length up to BEL or ST, 0 where it does not end.
func controlStringLen(s string) int {
	for i := 0; i < min(len(s), maxSequence); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\', s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case s[i] == '\n':
			return 0
		}
	}
	return 0
}
