package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// The line editor counts a rune as a cell. A cluster that is not one rune in one cell
// is therefore given to it as a token, a private rune, and a filler for every further
// cell; on the way to the screen the token becomes the cluster again.
const (
	firstToken = 0x100000
	lastToken  = 0x10FFF0
	filler     = 0x10FFFD
)

// cells translates between text and what the line editor edits. One goroutine uses it
// at a time.
type cellCodec struct {
	glyphs   []glyph
	assigned map[string]rune
}

// token is what a private rune stands for.
type glyph struct{ text, display string }

// encode turns text into one rune a cell.
func (c *cellCodec) encode(text string) string {
	var out strings.Builder
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		out.WriteString(c.encodeCluster(g.Value(), g.Width()))
	}
	return out.String()
}

func (c *cellCodec) encodeCluster(s string, cells int) string {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r >= firstToken || s == "\n":
		return c.assign(s)
	case cells == 0:
		return ""
	case n == len(s) && cells == 1:
		return s
	}
	return c.assign(s)
}

// token gives a cluster, or any text, a rune to stand for it.
func (c *cellCodec) assign(text string) string {
	if r, _ := utf8.DecodeRuneInString(text); r >= firstToken {
		return c.padded(r) // it has one: an edit goes through here again
	}
	r, ok := c.assigned[text]
	if !ok {
		r = rune(firstToken + len(c.glyphs))
		if r > lastToken {
			return "?" // a million kinds of cluster in one conversation
		}
		if c.assigned == nil {
			c.assigned = map[string]rune{}
		}
		c.assigned[text] = r
		c.glyphs = append(c.glyphs, glyph{text, displayText(text)})
	}
	return c.padded(r)
}

// wide is a token with its fillers.
func (c *cellCodec) padded(r rune) string {
	if r == filler || int(r-firstToken) >= len(c.glyphs) {
		return ""
	}
	return string(r) + strings.Repeat(string(rune(filler)), max(0, cellWidth(c.glyphs[r-firstToken].display)-1))
}

// longPaste is how many bytes of pasted text are shown as they are.
const longPaste = 400

// label is how a token is shown: as itself, a line break as a sign, and what was
// pasted, if it is long, by its size.
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

// paste is pasted text as it is edited: as if it had been typed where it is short,
// else as one token.
func (c *cellCodec) paste(text string) string {
	if len(text) > longPaste || strings.Count(text, "\n") > 4 {
		return c.assign(text)
	}
	return c.encode(text)
}

// decode is the text that a line stands for.
func (c *cellCodec) decode(line string) string {
	return c.expand(line, func(t glyph) string { return t.text })
}

// show is what of a line goes to the screen.
func (c *cellCodec) show(line string) string {
	return c.expand(line, func(t glyph) string { return t.display })
}

func (c *cellCodec) expand(line string, as func(glyph) string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return r >= firstToken }) {
		return line
	}
	var out strings.Builder
	for _, r := range line {
		switch {
		case r < firstToken:
			out.WriteRune(r)
		case int(r-firstToken) < len(c.glyphs):
			out.WriteString(as(c.glyphs[r-firstToken]))
		}
	}
	return out.String()
}

// insert puts text between two parts of a line and gives them back anew, since what
// stands side by side may join into one cluster.
func (c *cellCodec) insert(before, text, after string) (newBefore, newAfter string) {
	// Only what touches the text can join with it.
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
func (c *cellCodec) head(line string) (first, rest string) {
	_, n := utf8.DecodeRuneInString(line)
	rest = strings.TrimLeft(line[n:], string(rune(filler)))
	return line[:len(line)-len(rest)], rest
}
