package terminal

import "strings"

// region is the lines at the bottom of a screen that change in place: below all that was
// printed, and above the prompt if there is one. The zero value is an empty region.
type region struct {
	text   string // whole lines
	drawn  int    // lines of it on the screen
	widest int    // cells of the widest line on the screen
}

// around returns what to write to a screen of some columns and rows so that text appears
// above the region. The cursor has to be at the beginning of the line below the region.
//
// A line that no longer fits a window that became narrower is left where it is: how many
// rows it takes now depends on the terminal, and rows above it may not be lost.
func (r *region) around(text string, columns, rows int) string {
	before := ""
	if columns == 0 || r.widest <= columns {
		before = strings.Repeat("\x1b[A\x1b[K", r.drawn)
	}
	r.drawn, r.widest = 0, 0
	lines := strings.SplitAfter(r.text, "\n")
	lines = lines[:len(lines)-1]
	// A row that scrolled away could not be redrawn.
	if most := max(1, rows-4); rows > 0 && len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	for _, line := range lines {
		r.drawn++
		r.widest = max(r.widest, shownWidth(line))
	}
	return before + text + strings.Join(lines, "")
}

// shownWidth returns the cells of a line of ours: without its renditions.
func shownWidth(line string) int { return cellWidth(strings.TrimSuffix(unpainted(line), "\n")) }

// unpainted returns a line of ours without its renditions.
func unpainted(line string) string {
	if !strings.Contains(line, "\x1b") {
		return line
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "\x1b[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, line, _ = strings.Cut(rest, "m")
	}
}
