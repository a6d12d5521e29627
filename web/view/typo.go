package view

import (
	"strings"
)

// The bounds of the search for words that were mistyped.
const (
	// minTypo is the length of the shortest word for which mistyped ones are looked for: short
	// words are too often one letter apart.
	minTypo = 5
	// maxTypo is the length of the longest, which bounds the work for each word of a text.
	maxTypo = 24
)

// typoIn returns the word of a text that is the term with one letter wrong, two in a long word, and
// "" if there is none. The first letter has to be right.
func (t term) typoIn(text string) string {
	allowed := t.typos()
	if allowed == 0 || len(text) > maxNearText {
		return ""
	}
	first := t.word[:1]
	for from := 0; from < len(text); {
		i, start := position(text[from:], first)
		if i < 0 || !start {
			return ""
		}
		w := t.tokenAt(text, from+i)
		if d := len(w) - len(t.word); d >= -allowed && d <= allowed && Distance(t.word, w) <= allowed {
			return w
		}
		from += i + max(1, len(w))
	}
	return ""
}

// typos returns how many letters of the term may be wrong.
func (t term) typos() int {
	switch {
	case len(t.word) < minTypo || len(t.word) > maxTypo:
		return 0
	case isWord(t.word):
		return min(2, max(1, len(t.word)/4))
	}
	return min(3, max(1, len(t.word)/4))
}

// tokenAt returns what begins at a place of a text and has only letters, digits and such signs as the term has, as
// the dot of a file's name.
func (t term) tokenAt(text string, at int) string {
	end := strings.IndexFunc(text[at:], func(r rune) bool { return !isLetter(r) && !strings.ContainsRune(t.word, r) })
	if end < 0 {
		return text[at:]
	}
	return text[at : at+end]
}

// Distance counts the letters that have to be added, left out, changed or swapped with their
// neighbour to turn one word into the other.
func Distance(a, b string) int {
	// The usual table, of which only three rows are kept: of the letters before the last two of a,
	// before the last one, and of all.
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differs(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}

func differs(x, y byte) int {
	if x == y {
		return 0
	}
	return 1
}

// typoFields are the fields in which mistyped words are looked for: those that a person reads.
var typoFields = wordSet("tool_name object rationale decision title user_input")

// lowered returns texts in lower case.
func lowered(texts []field) []string {
	lower := make([]string, len(texts))
	for i, t := range texts {
		lower[i] = strings.ToLower(t.text)
	}
	return lower
}
