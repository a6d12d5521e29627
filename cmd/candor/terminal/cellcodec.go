package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// The line editor counts each rune as one cell. A grapheme cluster that is not one
// rune in one cell is therefore edited as a placeholder, a rune of the last private
// plane, with a filler rune for each further cell. On the way to the screen the
// placeholder becomes the cluster again.
const (
	firstPlaceholder = 0x100000
	lastPlaceholder  = 0x10FFF0
	filler           = 0x10FFFD
)

// cellCodec translates between text and what the line editor edits, which holds one
// rune for each cell. One goroutine uses it at a time. It only grows, so that lines
// in the history stay readable.
type cellCodec struct {
	glyphs   []glyph
	assigned map[string]rune
}

// glyph is the text that a placeholder replaces, and the form in which the screen shows
// it.
type glyph struct{ text, display string }

// encode turns text into one rune for each cell it takes.
func (c *cellCodec) encode(text string) string {
	var out strings.Builder
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		out.WriteString(c.encodeCluster(g.Value(), g.Width()))
	}
	return out.String()
}

// encodeCluster encodes one grapheme cluster of a known width. A single rune in a
// single cell stays itself; a cluster without width disappears.
func (c *cellCodec) encodeCluster(s string, cells int) string {
	r, n := utf8.DecodeRuneInString(s)
	// Line breaks get a placeholder, too: the library would end the line at one.
	switch {
	case r >= firstPlaceholder || s == "\n":
		return c.assign(s)
	case cells == 0:
		return ""
	case n == len(s) && cells == 1:
		return s
	}
	return c.assign(s)
}

// assign returns the placeholder for a text, with its fillers, and makes a new one
// for a text it has not seen. After a million different texts it returns "?".
func (c *cellCodec) assign(text string) string {
	if r, _ := utf8.DecodeRuneInString(text); r >= firstPlaceholder {
		return c.padded(r) // already assigned: edits pass through here again
	}
	r, ok := c.assigned[text]
	if !ok {
		r = rune(firstPlaceholder + len(c.glyphs))
		if r > lastPlaceholder {
			return "?"
		}
		if c.assigned == nil {
			c.assigned = map[string]rune{}
		}
		c.assigned[text] = r
		c.glyphs = append(c.glyphs, glyph{text, displayText(text)})
	}
	return c.padded(r)
}

// padded returns a placeholder followed by a filler for each further cell of its
// glyph.
func (c *cellCodec) padded(r rune) string {
	if r == filler || int(r-firstPlaceholder) >= len(c.glyphs) {
		return ""
	}
	return string(r) + strings.Repeat(string(rune(filler)), max(0, cellWidth(c.glyphs[r-firstPlaceholder].display)-1))
}

// longPaste is the length in bytes up to which pasted text is shown as it is.
const longPaste = 400

// displayText returns how a glyph is shown: as its text, a line break as a sign, and
// a long paste by its size.
func displayText(text string) string {
	lines := strings.Count(text, "\n") + 1
	switch {
	case text == "\n":
		return "⏎"
	case lines > 1 || len(text) > longPaste:
		return fmt.Sprintf("[pasted: %s, %s]", plural(lines, "line"), plural(len(text), "byte"))
	}
	return text
}

// paste encodes pasted text: short text as if it had been typed, long text as one
// glyph.
func (c *cellCodec) paste(text string) string {
	if len(text) > longPaste || strings.Count(text, "\n") > 4 {
		return c.assign(text)
	}
	return c.encode(text)
}

// decode returns the original text of an edited line.
func (c *cellCodec) decode(line string) string {
	return c.expand(line, func(t glyph) string { return t.text })
}

// show returns the text to print for the line editor's output.
func (c *cellCodec) show(line string) string {
	return c.expand(line, func(t glyph) string { return t.display })
}

// expand replaces placeholders by one of the texts of their glyph and drops the
// fillers.
func (c *cellCodec) expand(line string, as func(glyph) string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return r >= firstPlaceholder }) {
		return line
	}
	var out strings.Builder
	for _, r := range line {
		switch {
		case r < firstPlaceholder:
			out.WriteRune(r)
		case int(r-firstPlaceholder) < len(c.glyphs):
			out.WriteString(as(c.glyphs[r-firstPlaceholder]))
		}
	}
	return out.String()
}

// insert puts text between two parts of a line and returns both anew: the text may
// join the cluster in front of it, as a combining mark does.
func (c *cellCodec) insert(before, text, after string) (newBefore, newAfter string) {
	// Only the neighbor of the text can join with it.
	head, tail := c.tail(before)
	joined := c.encode(c.decode(tail) + text)
	return head + joined, after
}

// tail splits the last cluster off a line.
func (c *cellCodec) tail(line string) (head, last string) {
	trimmed := strings.TrimRight(line, string(rune(filler)))
	_, n := utf8.DecodeLastRuneInString(trimmed)
	return line[:len(trimmed)-n], line[len(trimmed)-n:]
}

// head splits the first cluster off a line.
func (c *cellCodec) head(line string) (front, rest string) {
	_, n := utf8.DecodeRuneInString(line)
	rest = strings.TrimLeft(line[n:], string(rune(filler)))
	return line[:len(line)-len(rest)], rest
}
