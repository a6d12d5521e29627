package terminal_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// vt is what a terminal shows after some bytes. It is strict: whatever is not text, a
// line break, or one of the few sequences that the line editor and the colors need, is
// written down as strange. A title, a link, a mode, a bell and a jump are all strange.
type vt struct {
	cols    int
	rows    [][]string // cells; "" is the second half of a wide one
	x, y    int
	strange []string

	paged  bool // a pager may take another screen
	behind *vt  // the screen that is back once the pager has ended
}

// replay shows bytes on a screen that is as tall as it needs to be.
func (v *vt) replay(raw string) *vt {
	for len(raw) > 0 {
		switch {
		case strings.HasPrefix(raw, "\x1b["):
			n := strings.IndexFunc(raw[2:], func(r rune) bool { return r >= '@' && r <= '~' })
			if n < 0 {
				return v // the rest is still to come
			}
			v.control(raw[2:2+n], raw[2+n])
			raw = raw[3+n:]
		case raw[0] < ' ' || raw[0] == 0x7f:
			v.c0(raw[0])
			raw = raw[1:]
		default:
			end := strings.IndexFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f })
			if end < 0 {
				end = len(raw)
			}
			v.text(raw[:end])
			raw = raw[end:]
		}
	}
	return v
}

func (v *vt) c0(b byte) {
	switch b {
	case '\r':
		v.x = 0
	case '\n':
		v.y++
	default:
		v.odd("control %#x", b)
	}
}

func (v *vt) control(params string, final byte) {
	n := 1
	if params != "" {
		n, _ = strconv.Atoi(params)
	}
	switch {
	case v.paged && v.pages(params, final):
	case final == 'm' && sgr(params), (final == 'h' || final == 'l') && params == "?2004":
	case final == 'K' && params == "":
		row := v.row()
		for i := v.x; i < len(row); i++ {
			row[i] = " "
		}
	case n > 0 && final >= 'A' && final <= 'D':
		v.move(n, final)
	default:
		v.odd("sequence %q%c", params, final)
	}
}

// pages does what only a pager asks for: another screen, no cursor, the first cell, inverse.
func (v *vt) pages(params string, final byte) bool {
	switch params + string(final) {
	case "?1049h":
		behind := *v
		v.behind, v.rows, v.x, v.y = &behind, nil, 0, 0
	case "?1049l":
		if v.behind == nil {
			v.odd("no screen to go back to")
			return true
		}
		v.rows, v.x, v.y, v.behind = v.behind.rows, v.behind.x, v.behind.y, nil
	case "H":
		v.x, v.y = 0, 0
	case "?25h", "?25l", "7m":
	default:
		return false
	}
	return true
}

// move moves the cursor n cells up, down, right or left.
func (v *vt) move(n int, final byte) {
	switch final {
	case 'A':
		v.y = max(0, v.y-n)
	case 'B':
		v.y += n
	case 'C':
		v.x = min(v.cols-1, v.x+n)
	case 'D':
		v.x = max(0, min(v.x, v.cols-1)-n)
	}
}

// sgr reports whether the parameters are renditions of ours.
func sgr(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		if !strings.Contains(" 0 1 2 3 4 31 32 33 36 ", " "+p+" ") {
			return false
		}
	}
	return true
}

func (v *vt) text(s string) {
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		cluster, w := g.Value(), g.Width()
		if r, _ := utf8.DecodeRuneInString(cluster); r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0x100000 {
			v.odd("rune %U", r)
		}
		if utf8.RuneCountInString(cluster) > 12 {
			v.odd("a cluster of %d runes", utf8.RuneCountInString(cluster))
		}
		if v.x+w > v.cols {
			v.x, v.y = 0, v.y+1
		}
		row := v.row()
		row[v.x] = cluster
		for i := 1; i < w; i++ {
			row[v.x+i] = ""
		}
		v.x += w
	}
}

// row is the row of the cursor.
func (v *vt) row() []string {
	for len(v.rows) <= v.y {
		row := make([]string, v.cols)
		for i := range row {
			row[i] = " "
		}
		v.rows = append(v.rows, row)
	}
	return v.rows[v.y]
}

func (v *vt) odd(format string, args ...any) {
	v.strange = append(v.strange, fmt.Sprintf(format, args...))
}

// String is the screen's text, without the spaces at the ends of lines.
func (v *vt) String() string {
	var out strings.Builder
	for _, row := range v.rows {
		out.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}
