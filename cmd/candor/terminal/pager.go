package terminal

import (
	"fmt"
	"strings"
)

// pager shows a long text a window at a time. It is a value that keys change, without input
// or output: view returns what the window shows. Editor.page reads the keys, writes the view, and
// looks after the window's size.
//
//	space, PageDown   a window on
//	b, PageUp         a window back
//	j, Enter, down    a line on
//	k, up             a line back
//	g, Home           the beginning
//	G, End            the end
//	/                 find words
//	n                 find them again
//	x                 only what failed, or all again
//	q, Ctrl-C         leave
//
// A key is a case in key. What is shown is drawn anew for each width, and the call at the top of
// the window stays there, whatever number its line has then.
type pager struct {
	draw   func(width int) []pagePart
	width  int
	rows   int // of the window; the last one says where the reader is
	lines  []pageLine
	top    int    // index of the first line in the window
	failed bool   // only calls that did not go well are shown
	typing bool   // the words to find are being typed
	words  string // to find
	said   string // in place of the keys, until the next one
}

// pageLine is a line of a page, and the index of its part.
type pageLine struct {
	text string
	part int
}

// What the keys of a pager are called here, as keys passes them on.
const (
	pagerUp    = "\x1b[A"
	pagerDown  = "\x1b[B"
	pagerFirst = "\x01" // Home
	pagerLast  = "\x05" // End
)

// resize sets the size of the window. The part that was at the top stays there.
func (p *pager) resize(width, rows int) {
	if width == p.width && rows == p.rows {
		return
	}
	p.width, p.rows = width, rows
	p.layOut()
}

// layOut breaks the text into lines anew.
func (p *pager) layOut() {
	part := 0
	if p.top < len(p.lines) {
		part = p.lines[p.top].part
	}
	p.lines, p.top = nil, 0
	for i, of := range p.draw(p.width) {
		if p.failed && !of.failed {
			continue
		}
		// The part at the top may be left out now; then the next one that is shown takes its place.
		if i < part {
			p.top = -1
		}
		for line := range strings.Lines(of.text) {
			if p.top < 0 && i >= part {
				p.top = len(p.lines)
			}
			p.lines = append(p.lines, pageLine{strings.TrimSuffix(line, "\n"), i})
		}
	}
	p.moveTo(p.top)
}

// body is how many rows of the window show text.
func (p *pager) body() int { return max(1, p.rows-1) }

// moveTo makes a line the first of the window, or the nearest one that can be.
func (p *pager) moveTo(top int) { p.top = max(0, min(top, len(p.lines)-p.body())) }

// key applies a key. It returns false for one that ends the pager.
func (p *pager) key(key string) bool {
	p.said = ""
	if p.typing {
		p.typed(key)
		return true
	}
	switch key {
	case "q", string(rune(keyClear)): // Ctrl-C
		return false
	case " ", string(rune(keyPageDown)):
		p.moveTo(p.top + p.body())
	case "b", string(rune(keyPageUp)):
		p.moveTo(p.top - p.body())
	case "j", "\r", pagerDown:
		p.moveTo(p.top + 1)
	case "k", pagerUp:
		p.moveTo(p.top - 1)
	case "g", pagerFirst:
		p.moveTo(0)
	case "G", pagerLast:
		p.moveTo(len(p.lines))
	case "/":
		p.typing, p.words = true, ""
	case "n":
		p.find(p.top + 1)
	case "x":
		p.onlyFailed()
	}
	return true
}

// typed applies a key to the words to find.
func (p *pager) typed(key string) {
	switch key {
	case "\r":
		p.typing = false
		p.find(p.top)
	case string(rune(keyClear)):
		p.typing, p.words = false, ""
	case string(rune(keyBackspace)):
		runes := []rune(p.words)
		p.words = string(runes[:max(0, len(runes)-1)])
	default:
		if len(p.words)+len(key) <= maxFind && CleanLine("x"+key+"x") == "x"+key+"x" {
			p.words += key
		}
	}
}

// maxFind bounds the words to find, in bytes.
const maxFind = 200

// find moves to the first line from one on that has the words, and begins anew at the end.
func (p *pager) find(from int) {
	words := strings.ToLower(p.words)
	if words == "" {
		p.said = "nothing to find; / asks for words"
		return
	}
	// Words are found within a line only, and in what is shown, not in its renditions.
	for n := range p.lines {
		i := (from + n) % len(p.lines)
		if strings.Contains(strings.ToLower(unpainted(p.lines[i].text)), words) {
			p.moveTo(i)
			return
		}
	}
	p.said = "not found: " + p.words
}

// onlyFailed shows only the calls that did not go well, or all again.
func (p *pager) onlyFailed() {
	p.failed = !p.failed
	if p.layOut(); len(p.lines) == 0 {
		p.failed = false
		p.layOut()
		p.said = "nothing failed"
	}
}

// view returns what the window shows, one string a row, each safe to print.
func (p *pager) view() []string {
	rows := make([]string, 0, p.rows)
	for _, line := range p.lines[p.top:min(len(p.lines), p.top+p.body())] {
		rows = append(rows, p.marked(line.text))
	}
	for len(rows) < p.body() {
		rows = append(rows, "")
	}
	return append(rows, p.status())
}

// marked returns a line with the words that were found in it in inverse. It loses its renditions,
// which could end within the words.
func (p *pager) marked(line string) string {
	plain := unpainted(line)
	lower, words := strings.ToLower(plain), strings.ToLower(p.words)
	if words == "" || p.typing || len(lower) != len(plain) || !strings.Contains(lower, words) {
		return line
	}
	var out strings.Builder
	for {
		at := strings.Index(lower, words)
		if at < 0 {
			return out.String() + plain
		}
		out.WriteString(plain[:at] + inverse(plain[at:at+len(words)]))
		plain, lower = plain[at+len(words):], lower[at+len(words):]
	}
}

// inverse renders text that has to stand out, also where nothing else has color.
func inverse(text string) string { return "\x1b[7m" + text + "\x1b[0m" }

// status renders the last row: where the reader is, and the keys as far as they fit.
func (p *pager) status() string {
	if p.typing {
		return fit("/"+p.words, p.width-1)
	}
	line := fmt.Sprintf("lines %s-%s of %s", count(min(p.top+1, len(p.lines))),
		count(min(len(p.lines), p.top+p.body())), count(len(p.lines)))
	hints := []string{"space on", "/ find", "x failed only", "q back"}
	if p.failed {
		line, hints[2] = "failed only · "+line, "x all"
	}
	if p.said != "" {
		line, hints = fit(p.said, max(8, p.width-14)), hints[3:]
	}
	// The status never takes the whole row: a terminal would go on to the next one behind its end.
	// What does not fit is left out, but for the key that leads back.
	for _, shown := range [][]string{hints, hints[max(0, len(hints)-2):], hints[len(hints)-1:], nil} {
		all := "  " + strings.Join(append([]string{line}, shown...), " · ") + "  "
		if cellWidth(all) < p.width {
			return inverse(all)
		}
	}
	return inverse(fit(line, p.width-1))
}
