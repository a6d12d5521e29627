package terminal

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"candor/safety/render"
)

// underlined is the rendition of headings and of words that were found.
const underlined = "1;4"

// markdown renders a foreign text in Markdown below a margin: paragraphs, headings, lists,
// code, quotes and tables. Without color the marks of Markdown stay, since nothing else would
// tell what is strong or code. A text that cannot be parsed at little cost is shown as it is.
//
// The text is cleaned before it is parsed, so that a terminal sequence is gone as a whole, and
// each span again behind the parser, which makes characters of references such as &#27;.
//
//	Why it failed                       a heading, bold and underlined
//
//	• rounded in totals.go              a list; code has a color of its own
//	│ half to even                      a quote
//	    x := round(y)                   code, indented and never broken at words
//
// No link is made for the terminal: its address stands behind its text.
func (s Style) markdown(margin, foreign string) string {
	// The bounds of Clean and of the parser are apart: a text may be short enough to be shown as
	// it is and still too long to be parsed.
	foreign = strings.Trim(Clean(foreign), "\n")
	blocks, ok := render.Blocks(foreign)
	if !ok {
		return s.verbatim(margin, foreign)
	}
	return s.blocks(blocks, hanging{margin, margin}, false)
}

// verbatim renders clean text of several lines below a margin, broken at words.
func (s Style) verbatim(margin, clean string) string {
	var out strings.Builder
	room := 0
	if s.Width > 0 {
		room = max(2, s.room()-cellWidth(margin))
	}
	for line := range strings.SplitSeq(clean, "\n") {
		for _, piece := range wrap(redacted(line), room) {
			out.WriteString(strings.TrimRight(margin+s.redact(ownInk, piece), " ") + "\n")
		}
	}
	return out.String()
}

// hanging is what stands before the first line of a block and before the others: a margin, the
// bars of quotes, the mark of a list item. Each block adds to that of the block it stands in.
type hanging struct{ first, rest string }

// blocks renders blocks below each other, with empty lines between them unless they are
// parts of a tight list.
func (s Style) blocks(list []render.Block, at hanging, tight bool) string {
	var out strings.Builder
	for i, b := range list {
		if i > 0 && !tight {
			out.WriteString(strings.TrimRight(at.rest, " ") + "\n")
		}
		out.WriteString(s.block(b, at))
		at.first = at.rest
	}
	if len(list) == 0 {
		out.WriteString(strings.TrimRight(at.first, " ") + "\n")
	}
	return out.String()
}

// block renders one block.
func (s Style) block(b render.Block, at hanging) string {
	switch b.Kind {
	case render.Heading:
		ink := bold
		if b.Level < 3 {
			ink = underlined
		}
		if !s.Color {
			at.first += strings.Repeat("#", b.Level) + " "
		}
		return s.setWords(s.inks(b.Spans, ink), at)
	case render.Code:
		return s.code(b.Code, at)
	case render.Rule:
		return at.first + s.paint(dim, "────────") + "\n"
	case render.Quote:
		bar := s.paint(dim, "│ ")
		if !s.Color {
			bar = "> "
		}
		return s.blocks(b.Items[0], hanging{at.first + bar, at.rest + bar}, false)
	case render.List:
		return s.list(b, at)
	case render.Table:
		return s.table(b.Rows, at)
	}
	return s.setWords(s.inks(b.Spans, ownInk), at)
}

// list renders the items of a list behind bullets or their numbers.
func (s Style) list(b render.Block, at hanging) string {
	var out strings.Builder
	for i, item := range b.Items {
		mark := "• "
		if !s.Color {
			mark = "- "
		}
		if b.First >= 0 {
			mark = fmt.Sprintf("%d. ", b.First+i)
		}
		// The further lines of an item begin below its first word.
		// Deep lists on a narrow screen stop being indented, so that there is room for words.
		indent := strings.Repeat(" ", cellWidth(mark))
		if s.Width > 0 && shownWidth(at.rest)+cellWidth(indent) > s.Width/2 {
			indent = ""
		}
		out.WriteString(s.blocks(item, hanging{at.first + mark, at.rest + indent}, true))
		at.first = at.rest
	}
	return out.String()
}

// code renders lines of code below a margin of four more cells. Lines that are too long
// continue below, and no space of them is lost.
func (s Style) code(lines string, at hanging) string {
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(lines, "\n"), "\n") {
		line = redacted(cleaner{line: true}.clean(line))
		room := 0
		if s.Width > 0 {
			room = max(2, s.Width-shownWidth(at.rest)-4)
		}
		for _, piece := range pieces(line, room) {
			out.WriteString(strings.TrimRight(at.first+"    "+s.redact(cyan, piece), " ") + "\n")
			at.first = at.rest
		}
	}
	return out.String()
}

// pieces cuts a line where it is full, at least once. Nothing is cut if cells is 0.
func pieces(line string, cells int) (all []string) {
	start, at, used := 0, 0, 0
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		if cells > 0 && used > 0 && used+g.Width() > cells {
			all, start, used = append(all, line[start:at]), at, 0
		}
		at, used = at+len(g.Value()), used+g.Width()
	}
	return append(all, line[start:])
}
