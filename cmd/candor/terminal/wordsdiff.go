package terminal

import (
	"slices"
	"strings"
)

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
