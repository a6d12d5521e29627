package terminal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor/web/client"
)

// callPair is a call of one turn and the call of another that it corresponds to; either may be
// nil, but not both.
type callPair struct{ left, right *entry }

// maxCallTable bounds the calls of each of two turns that are compared.
const maxCallTable = 500

// alignCalls pairs calls of the same tool and agent, in order, with those that have no partner
// between them. Of two ways it prefers the one with more calls of the same parameters.
//
// It is the longest common sequence of two lists, by the usual table of the best that can be made
// of their ends. A pair is not always the best use of both calls: a better one may come later.
func alignCalls(a, b []entry) (pairs []callPair) {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			paired := int32(0)
			if worth := likeness(a[i], b[j]); worth > 0 {
				paired = worth + table[i+1][j+1]
			}
			table[i][j] = max(paired, table[i+1][j], table[i][j+1])
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		both := i < len(a) && j < len(b)
		switch {
		case both && likeness(a[i], b[j]) > 0 && table[i][j] == likeness(a[i], b[j])+table[i+1][j+1]:
			pairs = append(pairs, callPair{&a[i], &b[j]})
			i, j = i+1, j+1
		case j == len(b) || both && table[i][j] == table[i+1][j]:
			pairs = append(pairs, callPair{&a[i], nil})
			i++
		default:
			pairs = append(pairs, callPair{nil, &b[j]})
			j++
		}
	}
	return pairs
}

// likeness weighs a pair of calls, 0 for two that do not correspond. The same parameters are
// worth slightly more. Two calls of the same tool correspond whatever their parameters: that a later
// turn read another file is what a reader wants to see, not two calls without a partner.
func likeness(a, b entry) int32 {
	switch {
	case a.ToolName != b.ToolName || a.Agent != b.Agent:
		return 0
	case string(a.Parameters) == string(b.Parameters):
		return 1001
	}
	return 1000
}

// same reports whether nothing that is shown of the calls differs but the time.
func (p callPair) same() bool {
	return p.left != nil && p.right != nil && p.left.Rationale == p.right.Rationale &&
		p.left.Source == p.right.Source && p.left.Outcome == p.right.Outcome &&
		string(p.left.Parameters) == string(p.right.Parameters)
}

// diff renders what two turns did differently: what was asked, their calls side by side in
// order, and what was answered. Lines of the first begin with -, lines of the second with +.
//
//	  2 calls the same, 1 call changed
//
//	~ run_tests
//	  - I want its own words.
//	  + I want its [very] own words.
//
//	= read_file totals.go · read_file line.go
//
// A call that only one turn made stands with its reason and its result. Calls in a row that are
// the same in both are one line.
func (s Style) diff(a, b client.Turn) (parts []pagePart) {
	pairs := alignCalls(entriesOf(a), entriesOf(b))
	head := s.hang("  ", bold, fmt.Sprintf("turn %d and turn %d", a.Number, b.Number))
	if max(len(a.Calls), len(b.Calls)) > maxCallTable {
		head += s.hang("  ┄ ", yellow, fmt.Sprintf("Only the first %d calls of each are compared.", maxCallTable))
	}
	parts = append(parts, pagePart{head + s.hang("  ", dim, pairSums(pairs, a, b)), false})
	parts = append(parts, pagePart{"\n" + s.changed("asked", a.UserInput, b.UserInput), false})
	for i := 0; i < len(pairs); i++ {
		from := i
		for i < len(pairs) && pairs[i].same() {
			i++
		}
		if i > from {
			parts = append(parts, pagePart{"\n" + s.sameCalls(pairs[from:i]), false})
		}
		if i < len(pairs) {
			parts = append(parts, pagePart{"\n" + s.pair(pairs[i]), failedPair(pairs[i])})
		}
	}
	return append(parts, pagePart{"\n" + s.changed("answered", a.Response, b.Response), false})
}

// entriesOf returns the first maxCallTable decisions of a turn with their calls.
func entriesOf(t client.Turn) []entry {
	if t.Reasoning == nil {
		return nil
	}
	all := slices.Collect(entries(t))
	return all[:min(len(all), maxCallTable)]
}

// failedPair reports whether a call of a pair did not go well.
func failedPair(p callPair) bool {
	for _, e := range []*entry{p.left, p.right} {
		if e != nil && (e.Outcome == "error" || e.Outcome == "rejected") {
			return true
		}
	}
	return false
}

// pairSums counts the pairs by what became of them:
//
//	4 calls the same, 2 calls changed, 1 call only in turn 4
func pairSums(pairs []callPair, a, b client.Turn) string {
	var same, changed, left, right int
	for _, p := range pairs {
		switch {
		case p.right == nil:
			left++
		case p.left == nil:
			right++
		case p.same():
			same++
		default:
			changed++
		}
	}
	if len(pairs) == 0 {
		return "Neither called a tool."
	}
	if same == len(pairs) {
		return "Both made the same calls, for the same reasons."
	}
	var words []string
	for _, w := range []struct {
		n    int
		what string
	}{{same, "the same"}, {changed, "changed"}, {left, fmt.Sprintf("only in turn %d", a.Number)},
		{right, fmt.Sprintf("only in turn %d", b.Number)}} {
		if w.n > 0 {
			words = append(words, plural(w.n, "call")+" "+w.what)
		}
	}
	return strings.Join(words, ", ")
}

// sameCalls renders calls that both turns made alike, in one line.
func (s Style) sameCalls(pairs []callPair) string {
	var names []string
	for _, p := range pairs[:min(len(pairs), 20)] {
		v := viewOf(p.left.Decision, p.left.call)
		names = append(names, strings.TrimSpace(fit(v.tool, 32)+" "+fit(v.object, 40)))
	}
	if len(pairs) > 20 {
		names = append(names, "…")
	}
	return s.inkLines("  = ", 4, 4, dim, strings.Join(names, " · "))
}

// pair renders a call that only one turn made, or what differs between two calls.
func (s Style) pair(p callPair) string {
	if p.left == nil || p.right == nil {
		e, mark, ink := p.left, "-", red
		if e == nil {
			e, mark, ink = p.right, "+", green
		}
		v := viewOf(e.Decision, e.call)
		out := s.side(mark, ink, v.tool+" "+v.object, nil) + s.inkLines("      ", 6, 6, v.whyInk, v.why)
		if v.result != "" {
			out += s.inkLines("      ", 6, 6, dim, "→ "+v.result)
		}
		return out
	}
	left, right := viewOf(p.left.Decision, p.left.call), viewOf(p.right.Decision, p.right.call)
	// Of a call that both made only what differs is shown. The object is the key parameter, so the
	// others are compared where it is the same.
	out := "  ~ " + s.paint(bold, s.shorten(left.tool, 4)) + "\n"
	for _, of := range [][2]string{
		{left.object, right.object}, {left.why, right.why}, {left.result, right.result},
	} {
		if of[0] != of[1] {
			out += s.changed("", of[0], of[1])
		}
	}
	if left.object == right.object {
		out += s.changed("", otherParams(p.left.Parameters, p.right.Parameters),
			otherParams(p.right.Parameters, p.left.Parameters))
	}
	return out
}

// otherParams returns the parameters of a call that another does not have, or has with another
// value, on one line. Only parameters at the top of the object are told apart; one that is an object
// itself is shown as a whole if anything in it differs.
func otherParams(of, than json.RawMessage) string {
	var mine, theirs map[string]json.RawMessage
	if json.Unmarshal(of, &mine) != nil || json.Unmarshal(than, &theirs) != nil {
		return ""
	}
	for name, value := range theirs {
		if string(mine[name]) == string(value) {
			delete(mine, name)
		}
	}
	raw, err := json.Marshal(mine)
	if err != nil || len(mine) == 0 {
		return ""
	}
	return redacted(Params(raw))
}

// changed renders two texts, one below the other, with the words marked that differ. Texts that
// are the same are one, dim.
func (s Style) changed(what, a, b string) string {
	a, b = redacted(CleanLine(a)), redacted(CleanLine(b))
	label := ""
	if what != "" {
		label = s.paint(bold, "  "+what) + "\n"
	}
	if a == b {
		if a == "" {
			return label
		}
		return label + s.inkLines("    = ", 6, 6, dim, a)
	}
	left, right := comparedWords(a, b)
	return label + s.side("-", red, a, left) + s.side("+", green, b, right)
}

// side renders the text of one turn behind its sign, "" if it has none. Words that only it has
// are bold, or in brackets where there is no color.
func (s Style) side(sign, ink, text string, runs []stretch) string {
	if text == "" {
		return ""
	}
	if runs == nil {
		runs = []stretch{{true, text}}
	}
	var all []inked
	for i, run := range runs {
		if i > 0 {
			all = append(all, inked{ink, " "})
		}
		switch {
		case run.same:
			all = append(all, inked{ink, run.text})
		case s.Color:
			all = append(all, inked{ink + ";" + underlined, run.text})
		default:
			all = append(all, inked{ink, "[" + run.text + "]"})
		}
	}
	margin := "    "
	return s.setWords(all, hanging{margin + s.paint(ink, sign) + " ", margin + "  "})
}

// stretch is a run of words that two texts have in common, or that only one of them has.
type stretch struct {
	same bool
	text string
}

// maxWordTable bounds the product of the words of two texts that are compared.
const maxWordTable = 250_000

// diffWords splits two texts into runs of words that are the same and that differ: the longest
// common sequence of their words is the same, all others differ. Spaces do not count. The page
// compares turns in the same way (web/ui/state/diff.js).
func diffWords(a, b string) (left, right []stretch) {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x)*len(y) > maxWordTable {
		return []stretch{{false, a}}, []stretch{{false, b}}
	}
	table := commonWords(x, y)
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			left, right = addWord(left, true, x[i]), addWord(right, true, y[j])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && table[i+1][j] >= table[i][j+1]:
			left = addWord(left, false, x[i])
			i++
		default:
			right = addWord(right, false, y[j])
			j++
		}
	}
	return left, right
}

// commonWords returns for each pair of ends of two lists how many words they have in common at
// most, in order.
func commonWords(x, y []string) [][]int32 {
	table := make([][]int32, len(x)+1)
	for i := range table {
		table[i] = make([]int32, len(y)+1)
	}
	for i := range slices.Backward(x) {
		for j := range slices.Backward(y) {
			if x[i] == y[j] {
				table[i][j] = 1 + table[i+1][j+1]
				continue
			}
			table[i][j] = max(table[i+1][j], table[i][j+1])
		}
	}
	return table
}

// addWord adds a word to the last run, or begins another.
func addWord(runs []stretch, same bool, word string) []stretch {
	if last := len(runs) - 1; last >= 0 && runs[last].same == same {
		runs[last].text += " " + word
		return runs
	}
	return append(runs, stretch{same, word})
}

// comparedWords is diffWords for texts that are mostly the same. Of others nothing is marked:
// marks on nearly every word tell nothing. Half of the longer text has to be common to both.
func comparedWords(a, b string) (left, right []stretch) {
	left, right = diffWords(a, b)
	same := 0
	for _, run := range left {
		if run.same {
			same += len(run.text)
		}
	}
	if same*2 >= max(len(a), len(b)) {
		return left, right
	}
	return []stretch{{true, a}}, []stretch{{true, b}}
}
