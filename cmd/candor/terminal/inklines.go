package terminal

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"candor/safety/render"
)

// inked is text in one rendition. Text that changes its rendition within a word, such as
// **un**likely, is several of them without a space between.
type inked struct{ ink, text string }

// inks returns the clean text of spans, each with its rendition, or with ink if it has none of
// its own. Without color the marks of Markdown take the place of renditions.
func (s Style) inks(spans []render.Span, ink string) (all []inked) {
	for _, span := range spans {
		// A mark or a joiner that begins a span would be drawn onto the character before it, and a
		// thousand of such spans onto the lines around it.
		clean := strings.TrimLeftFunc(Clean(span.Text), func(r rune) bool { return combines(r) || joins(r) })
		run, mark := inked{ink, redacted(clean)}, ""
		switch {
		case span.Code:
			run.ink, mark = cyan, "`"
		case span.Strong && ink == ownInk:
			run.ink, mark = bold, "**"
		case span.Emphasis && ink == ownInk:
			run.ink, mark = slanted, "*"
		case span.Struck:
			run.ink, mark = dim, "~~"
		}
		if !s.Color {
			run.text = mark + run.text + mark
		}
		all = append(all, run)
	}
	return all
}

// inkWords splits text at spaces into words. A word may have several renditions. A line break
// is a word of its own.
func inkWords(all []inked) (words [][]inked) {
	var word []inked
	end := func() {
		if len(word) > 0 {
			words, word = append(words, word), nil
		}
	}
	for _, run := range all {
		for run.text != "" {
			n := strings.IndexAny(run.text, " \n")
			if n < 0 {
				n = len(run.text)
			}
			if n > 0 {
				word = append(word, inked{run.ink, run.text[:n]})
			}
			if run.text = run.text[n:]; run.text == "" {
				break
			}
			end()
			if run.text[0] == '\n' {
				words = append(words, []inked{{text: "\n"}})
			}
			run.text = run.text[1:]
		}
	}
	end()
	return words
}

// wordLines sets words in lines that keep to the width of a Style. It differs from wrap in that
// its words have renditions: a line that is cut from painted text would have to be measured
// without them, and a rendition may not reach over the end of a line.
type wordLines struct {
	Style
	at   hanging
	out  strings.Builder
	line []inked // the line that is being filled
	used int     // cells of it
}

// setWords sets text in lines, and broken between words.
func (s Style) setWords(all []inked, at hanging) string {
	l := wordLines{Style: s, at: at}
	for _, word := range inkWords(all) {
		l.add(word)
	}
	if l.used > 0 || l.out.Len() == 0 {
		l.end()
	}
	return l.out.String()
}

// left is how many cells of the line are free.
func (l *wordLines) left() int {
	if l.Width == 0 {
		return 1 << 30
	}
	return max(2, l.room()-shownWidth(l.at.first)) - l.used
}

// add sets a word. One that is longer than a line is broken where the line ends.
func (l *wordLines) add(word []inked) {
	if word[0].text == "\n" {
		l.end()
		return
	}
	// A word is measured as a whole, whatever its renditions, so that it moves to the next line as
	// a whole.
	cells := 0
	for _, run := range word {
		cells += cellWidth(run.text)
	}
	if l.used > 0 && 1+cells > l.left() {
		l.end()
	}
	if l.used > 0 {
		l.put(inked{l.line[len(l.line)-1].ink, " "}, 1)
	}
	// The room is asked for again for each rendition: what went before may have filled the line.
	for _, run := range word {
		if cells <= l.left() {
			l.put(run, cellWidth(run.text))
			continue
		}
		for g := displaywidth.StringGraphemes(run.text); g.Next(); {
			if l.used > 0 && g.Width() > l.left() {
				l.end()
			}
			l.put(inked{run.ink, g.Value()}, g.Width())
		}
	}
}

// put adds text that fits to the line. A space between two renditions has none.
func (l *wordLines) put(run inked, cells int) {
	l.used += cells
	last := len(l.line) - 1
	switch {
	case last >= 0 && l.line[last].ink == run.ink:
		l.line[last].text += run.text
		return
	case last >= 0 && strings.HasSuffix(l.line[last].text, " "):
		l.line[last].text = strings.TrimSuffix(l.line[last].text, " ")
		l.line = append(l.line, inked{ownInk, " "})
	}
	l.line = append(l.line, run)
}

// end ends the line.
func (l *wordLines) end() {
	text := l.at.first
	for _, run := range l.line {
		text += l.redact(run.ink, run.text)
	}
	if l.used == 0 {
		text = strings.TrimRight(text, " ")
	}
	l.out.WriteString(text + "\n")
	l.at.first, l.line, l.used = l.at.rest, nil, 0
}
