package decode

import (
	"strings"

	"candor/safety/internal/lex"
)

// Joint is the kind of text between two parts of a torn token. The kinds differ in how
// much other evidence is needed that the parts are one token: a joint that somebody
// typed is enough, while after a line end or a blank the pieces must also look random.
type Joint uint8

const (
	JointNone  Joint = iota // nothing joins the pieces
	JointMade               // somebody made it: a continued line, two literals, a tag, an emphasis
	JointLine               // a line end, with what quotes or numbers the next line
	JointSpace              // one blank
)

// Joints are the bytes that a joint may begin with.
var Joints = lex.NewClass("\\\"'`<*~\n\r \t|^\b${=\x1b\xe2")

// SkipJoint skips a separator between two fragments of one token, which may be several joints in
// a row. It returns the kind of the one that needs most evidence, and where the next fragment
// starts. Without a joint it returns JointNone, and the end of the text if more text could make
// a joint.
func SkipJoint(s string, i int) (Joint, int) {
	kind, start := JointNone, i
	for i < len(s) && i-start < 96 {
		k, next := skipOne(s, i)
		if k == JointNone {
			if next == len(s) {
				return JointNone, next
			}
			break
		}
		i, kind = next, max(kind, k)
	}
	if i == len(s) && i > start {
		return JointNone, i
	}
	return kind, i
}

// skipOne skips one joint.
func skipOne(s string, i int) (Joint, int) {
	switch c := s[i]; c {
	case '\\', '=':
		return continued(s, i)
	case '"', '\'', '`':
		return literals(s, i, c)
	case '<':
		return tagged(s, i)
	case '*', '~':
		j := i
		for j < len(s) && j < i+3 && s[j] == c {
			j++
		}
		return JointMade, j
	case '\n', '\r':
		return JointLine, lineStart(s, i)
	case ' ', '\t', '|', 0xe2:
		return cellEnd(s, i)
	case 0x1b, '^', '\b':
		return painted(s, i)
	case '$', '{', '}':
		return interpolated(s, i)
	}
	return JointNone, i
}

// continued skips a backslash at the end of a line, as in shells and C, or the = that
// quoted-printable puts there, and the blanks that indent the next line.
func continued(s string, i int) (Joint, int) {
	j := i + 1
	if j < len(s) && s[j] == '\r' {
		j++
	}
	if j >= len(s) {
		return JointNone, len(s)
	}
	if s[j] != '\n' {
		return JointNone, i
	}
	return JointMade, lex.SkipBlank(s, j+1, 16)
}

// joiners are the operators that concatenate two literals in some language. A comma may separate
// the parts of a list that is joined, but most lists hold values of their own.
var joiners = [...]string{"+", "..", ".", "&", "||", "<>", "~", ",", "\\"}

// literals skips the end of one literal and the beginning of the next: "a" + "b", 'a' 'b',
// "a" . "b", also over lines. A quote directly before a letter joins as in shells: "a"b.
func literals(s string, i int, q byte) (Joint, int) {
	kind, j := joined(s, leadingBlank(s, i+1), q)
	if j < len(s) && (s[j] == 'f' || s[j] == 'r' || s[j] == 'b') && j+1 < len(s) && s[j+1] == q {
		j++
	}
	if j >= len(s) {
		return JointNone, len(s)
	}
	switch {
	case s[j] == q, j == i+1 && lex.IsQuote(s[j]):
		return kind, j + 1
	case j == i+1 && lex.Alnum[s[j]]: // as shells join
		return JointLine, j
	}
	return JointNone, i
}

// joined skips the operator at j that joins two literals in quotes q, if there is one, and returns
// the kind of the joint. Spans of code in Markdown stand side by side without being joined.
func joined(s string, j int, q byte) (Joint, int) {
	for _, op := range joiners {
		if !strings.HasPrefix(s[j:], op) {
			continue
		}
		j = leadingBlank(s, j+len(op))
		if op == "," {
			return JointLine, j
		}
		return JointMade, j
	}
	if q == '`' {
		return JointLine, j
	}
	return JointMade, j
}

// leadingBlank skips blanks and at most two line ends, each with the quote marks or
// indentation at the start of the next line.
func leadingBlank(s string, i int) int {
	for range 2 {
		i = lex.SkipBlank(s, i, 16)
		if next := NextLine(s, i); next >= 0 {
			i = next
		}
	}
	return i
}

// tagged skips a tag or a comment of HTML, such as <wbr>, </b> or <!-- x -->. Tags of blocks
// and cells count as line ends.
func tagged(s string, i int) (Joint, int) {
	if i+1 >= len(s) {
		return JointNone, len(s)
	}
	if c := s[i+1]; !lex.IsLetter(c) && c != '/' && c != '!' {
		return JointNone, i
	}
	stop := min(len(s), i+48)
	for j := i + 1; j < stop; j++ {
		switch s[j] {
		case '>':
			if separates(strings.Trim(s[i+1:j], "/")) {
				return JointLine, j + 1
			}
			return JointMade, j + 1
		case '<', '\n', '|':
			return JointNone, i
		}
	}
	if stop == len(s) {
		return JointNone, stop
	}
	return JointNone, i
}

// separates reports whether a tag separates the text before it from the text after it,
// as the tags of cells, items, paragraphs and line ends do.
func separates(tag string) bool {
	for _, name := range [...]string{"td", "th", "tr", "li", "p", "div", "dt", "dd", "br"} {
		if tag == name || strings.HasPrefix(tag, name+" ") {
			return true
		}
	}
	return false
}

// lineStart returns where the text of the next line starts, behind what quotes, comments or
// numbers it: "> ", "// ", "12: ", the + of a diff.
func lineStart(s string, i int) int {
	j := NextLine(s, i)
	if j < 0 {
		return i + 1 // a carriage return
	}
	for _, mark := range [...]string{"//", "--", "+ ", "- "} {
		if strings.HasPrefix(s[j:], mark) {
			return lex.SkipBlank(s, j+len(mark), 8)
		}
		if j+1 == len(s) && s[j] == mark[0] {
			return len(s) // it may become one
		}
	}
	n := lex.Digits.Run(s, j, 6)
	if n == len(s) {
		return n
	}
	if n > j && (s[n] == ':' || s[n] == ' ' || s[n] == '\t') {
		k := n
		for k < len(s) && k < n+4 && strings.IndexByte(": \t|", s[k]) >= 0 {
			k++
		}
		return k
	}
	return j
}

// cellEnd skips one blank, or the end of a cell of a table and of its line: the token goes on in
// the cell below.
func cellEnd(s string, i int) (Joint, int) {
	j := lex.SkipBlank(s, i, 80)
	for n := barLen(s, j); n > 0; n = barLen(s, j) {
		j = lex.SkipBlank(s, j+n, 80)
	}
	switch {
	case j >= len(s):
		return JointNone, len(s)
	case s[j] == '\n' || s[j] == '\r':
		return JointLine, cellStart(s, lineStart(s, j))
	case s[i] == ' ' && j == i+1, s[i] == '\t' && j == i+1:
		return JointSpace, j
	}
	return JointNone, i
}

// cellStart skips the empty cells at the start of a row.
func cellStart(s string, i int) int {
	for i < len(s) && lead[s[i]] {
		i++
	}
	return i
}

// barLen returns the length of the bar at i that separates two cells, or 0.
func barLen(s string, i int) int {
	for _, bar := range [...]string{"|", "│"} {
		if strings.HasPrefix(s[i:], bar) {
			return len(bar)
		}
	}
	return 0
}

// painted skips a terminal's escape that colours or erases, either the escape itself or its
// printed form ^[[31m, and a backspace.
func painted(s string, i int) (Joint, int) {
	j := i + 1
	if s[i] == '\b' {
		return JointMade, j
	}
	if s[i] == '^' {
		if j < len(s) && s[j] != '[' {
			return JointNone, i
		}
		j++
	}
	if j >= len(s) {
		return JointNone, len(s)
	}
	if s[j] != '[' {
		return JointNone, i
	}
	for j++; j < len(s) && j < i+16 && (lex.Digits[s[j]] || s[j] == ';'); {
		j++
	}
	if j >= len(s) {
		return JointNone, len(s)
	}
	if s[j] != 'm' && s[j] != 'K' {
		return JointNone, i
	}
	return JointMade, j + 1
}

// interpolated skips the beginning of a literal inside a template: ${"…"}, {'…'}.
func interpolated(s string, i int) (Joint, int) {
	j := i
	for j < len(s) && j < i+2 && (s[j] == '$' || s[j] == '{') {
		j++
	}
	if j >= len(s) {
		return JointNone, len(s)
	}
	if j == i || s[j-1] != '{' || !lex.IsQuote(s[j]) {
		return JointNone, i
	}
	return JointMade, j + 1
}

// Joined returns a text without its joints, so that a value in pieces is in one piece:
// "…" + "…", lines that are wrapped, words. It ends where the text leaves open whether a
// joint follows. It returns nil if there is no joint.
func Joined(s string) *View {
	var v *View
	last := 0
	for i := 0; i < len(s); {
		if !Joints[s[i]] {
			i++
			continue
		}
		kind, next := SkipJoint(s, i)
		if kind == JointNone && (next != len(s) || next == i) {
			i = max(i+1, lex.SkipBlank(s, i, len(s)))
			continue
		}
		if v == nil {
			v = newView(s)
		}
		v.copy(s, last, i)
		i, last = next, next
	}
	if v == nil {
		return nil
	}
	v.copy(s, last, len(s))
	return v.end(s)
}
