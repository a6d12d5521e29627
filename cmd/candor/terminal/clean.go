package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the foreign text that is shown.
const (
	// maxLine bounds one line of foreign text, in characters.
	maxLine = 10_000
	// maxText bounds a whole text, in characters.
	maxText = 400_000
	// maxMarks bounds the combining marks of one character.
	maxMarks = 4
	// maxSequence bounds the length of a terminal sequence, in bytes.
	maxSequence = 4096
)

// Clean makes foreign text safe to print. Terminal sequences are removed as a whole;
// control, bidirectional and invisible characters one by one. A tab becomes two
// spaces and every line break a newline. The result is valid UTF-8, holds no control
// character but newlines, and cleaning it again changes nothing.
//
// Clean also bounds the text: a line keeps its first 10,000 characters and the whole
// text its first 400,000, followed by a note of what was left out.
func Clean(s string) string { return cleaner{}.clean(s) }

// CleanLine is [Clean] for text that appears within a line: line breaks and runs of
// blanks become single spaces.
func CleanLine(s string) string {
	return strings.Join(strings.Fields(cleaner{line: true}.clean(s)), " ")
}

// cleaner builds the safe form of one text. It counts characters as it writes, so
// that the bounds hold for input of any length.
type cleaner struct {
	out    strings.Builder
	line   bool // make one line of it
	column int  // characters on this line so far
	total  int
	marks  int
	cut    int // characters left out of this line
}

// clean takes runs of printable ASCII, which most text is, in one piece, and looks
// at the rest rune by rune.
func (c cleaner) clean(s string) string {
	// At most four bytes for each character that can be shown.
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

// printableASCII returns how many printable ASCII characters s begins with, at most
// maxLine.
func printableASCII(s string) int {
	n := 0
	for n < len(s) && n < maxLine && s[n] >= ' ' && s[n] <= '~' {
		n++
	}
	return n
}

// plain adds printable ASCII characters. What does not fit on the line is counted as
// cut.
func (c *cleaner) plain(s string) {
	c.marks = 0
	fits := min(len(s), maxLine-c.column)
	c.out.WriteString(s[:fits])
	c.column += fits
	c.total += fits
	c.cut += len(s) - fits
}

// add writes one rune if it is safe. Combining marks and joiners are kept up to
// maxMarks on one character: more would draw over the lines above and below.
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

// newline ends the line, or writes a space where one line is wanted.
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

// write adds text that takes a number of characters on the line.
func (c *cleaner) write(s string, characters int) {
	if c.column >= maxLine {
		c.cut += characters
		return
	}
	c.total += max(1, characters)
	c.column += characters
	c.out.WriteString(s)
}

// noteCut says at the end of a line how much of it was cut.
func (c *cleaner) noteCut() {
	if c.cut > 0 {
		c.out.WriteString("… (" + count(c.cut) + " more characters)")
		c.cut = 0
	}
}

// combines reports whether r is drawn onto the character before it: a combining
// mark, or the variation selector that makes an emoji of a symbol.
func combines(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) && !invisible(r) || r == 0xFE0F
}

// joins reports whether r joins its neighbors into one character. Several scripts
// and many emoji need the zero-width joiner and non-joiner.
func joins(r rune) bool { return r == 0x200C || r == 0x200D }

// invisible reports whether r is a mark or letter that shows nothing. Such
// characters hide text from a reader, or make two different words look the same.
func invisible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x17B4, r == 0x17B5, r == 0x2800:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0x180B && r <= 0x180F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// printable reports whether r is visible or a space. The private runes that the line
// editor uses as placeholders are not: foreign text could otherwise stand for what a
// person typed.
func printable(r rune) bool {
	if r == ' ' || r == 0xA0 || r == utf8.RuneError {
		return true
	}
	if r >= firstPlaceholder {
		return false // a placeholder of the line editor
	}
	return (unicode.IsGraphic(r) || unicode.Is(unicode.Co, r)) && !invisible(r) && !unicode.Is(unicode.Cf, r)
}

// sequenceLen returns the length of the terminal sequence that s begins with, 0 if it
// begins with none. Of a sequence that does not end only the introducer counts: what
// follows it is text.
func sequenceLen(s string) int {
	switch {
	case len(s) < 2:
		return 0
	case s[0] == 0x1b && (s[1] < ' ' || s[1] >= utf8.RuneSelf):
		return 1 // a lone ESC
	case s[0] == 0x1b && s[1] <= '/':
		return min(3, len(s)) // such as the choice of a character set
	case s[0] == 0x1b:
		return 2 + bodyLen(s[1], s[2:])
	case s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f && s[1] != 0x85: // NEL is a line break
		return 2 + bodyLen(s[1]-0x40, s[2:]) // an 8-bit control equals ESC and the 7-bit one
	}
	return 0
}

// bodyLen returns the length of what follows the introducer of a sequence, by the
// final byte of the introducer. Most have nothing more.
func bodyLen(kind byte, s string) int {
	switch kind {
	case '[':
		return csiLen(s)
	case ']', 'P', 'X', '^', '_':
		return controlStringLen(s)
	}
	return 0
}

// csiLen returns the length of a control sequence's parameters and its final byte.
// It stops at the first byte that cannot belong to one.
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

// controlStringLen returns the length up to and including BEL or ST, 0 if the string
// does not end on its line within maxSequence bytes.
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

// ExportFile creates a file that only its owner can read, with what write writes, such as a thread, and returns its
// size in bytes. It fails if the file exists, and leaves no file behind when it fails.
func ExportFile(file string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, fmt.Errorf("%s is there already; name another file", CleanLine(file))
	}
	if err != nil {
		return 0, err
	}
	if err = write(f); err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	// Half an export would pass for a whole one, so it is removed.
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(file))
	}
	return size, nil
}

// CleanWriter returns a writer that passes foreign text on to w, made safe line by
// line. Close writes an unfinished last line; it does not close w.
func CleanWriter(w io.Writer) io.WriteCloser { return &cleanWriter{out: w} }

// cleanWriter holds a line back until it ends: half a sequence could not be told from
// text.
type cleanWriter struct {
	out  io.Writer
	line strings.Builder // unfinished
}

// Write implements io.Writer.
func (c *cleanWriter) Write(p []byte) (int, error) {
	for line := range strings.SplitAfterSeq(string(p), "\n") {
		c.line.WriteString(line)
		if strings.HasSuffix(line, "\n") || c.line.Len() > maxText {
			if err := c.Close(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// Close writes the line that has not ended.
func (c *cleanWriter) Close() error {
	_, err := io.WriteString(c.out, Clean(c.line.String()))
	c.line.Reset()
	return err
}
