package command

import (
	"slices"
	"strings"
)

// The bounds of how two files are compared.
const (
	contextLines = 2
	maxCompared  = 4 << 20 // pairs of lines
)

// lineDiff returns the lines of a file as they would change: those that go with a minus before them, those that come
// with a plus, and two of those that stay around them.
func lineDiff(before, after string) string {
	marked := markedLines(linesOf(before), linesOf(after))
	var b strings.Builder
	shown := -1
	for i, line := range marked {
		around := marked[max(0, i-contextLines):min(len(marked), i+contextLines+1)]
		if !slices.ContainsFunc(around, func(l string) bool { return l[0] != ' ' }) {
			continue
		}
		if shown != i-1 {
			b.WriteString("  …\n")
		}
		shown = i
		b.WriteString(line + "\n")
	}
	if shown >= 0 && shown < len(marked)-1 {
		b.WriteString("  …\n")
	}
	return b.String()
}

// linesOf returns the lines of a file.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// markedLines returns the lines of two files in one list, each behind a mark of what becomes of it.
func markedLines(before, after []string) (marked []string) {
	mark := func(m string, list []string) {
		for _, line := range list {
			marked = append(marked, m+line)
		}
	}
	// Most of a file stays, at its beginning and at its end.
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	mark("  ", before[:same])
	before, after = before[same:], after[same:]
	end := 0
	for end < min(len(before), len(after)) && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	tail := before[len(before)-end:]
	before, after = before[:len(before)-end], after[:len(after)-end]
	// Files that have little in common are not compared line by line.
	for _, line := range commonLines(before, after) {
		i, j := slices.Index(before, line), slices.Index(after, line)
		mark("- ", before[:i])
		mark("+ ", after[:j])
		mark("  ", before[i:i+1])
		before, after = before[i+1:], after[j+1:]
	}
	mark("- ", before)
	mark("+ ", after)
	mark("  ", tail)
	return marked
}

// commonLines returns the most lines that two lists have in the same order; none if comparing them takes too long.
func commonLines(a, b []string) (common []string) {
	if len(a)*len(b) > maxCompared {
		return nil
	}
	// most has, for each pair of places, how many lines the lists have in common behind them.
	most := make([][]int, len(a)+1)
	for i := range most {
		most[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if most[i][j] = max(most[i+1][j], most[i][j+1]); x == y {
				most[i][j] = most[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common = append(common, a[i])
			i, j = i+1, j+1
		case most[i+1][j] >= most[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}
