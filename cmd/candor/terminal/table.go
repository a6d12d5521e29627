package terminal

import (
	"slices"
	"strings"

	"candor/safety/render"
)

const (
	// widestColumn bounds the cells of a table's column.
	widestColumn = 60
	// leastColumn is the width below which a column is of no use.
	leastColumn = 6
	columnGap   = "  "
)

// table renders a table in columns. Cells are broken at words where the columns do not fit, and
// where not even that helps each row becomes a list of its cells.
//
//	file       reason
//	─────────  ────────────────────
//	totals.go  the sum is made here
//	           and nowhere else
func (s Style) table(rows [][][]render.Span, at hanging) string {
	columns := len(rows[0])
	cells := make([][][]inked, len(rows))
	widths := make([]int, columns)
	for i, row := range rows {
		ink := ownInk
		if i == 0 {
			ink = bold
		}
		for j, spans := range row[:min(columns, len(row))] {
			text, used := s.inks(spans, ink), 0
			for _, run := range text {
				used += cellWidth(run.text)
			}
			cells[i] = append(cells[i], text)
			widths[j] = max(widths[j], min(used, widestColumn), 1)
		}
	}
	if s.Width > 0 && !narrowTo(widths, s.room()-shownWidth(at.rest)-len(columnGap)*(columns-1)) {
		return s.records(cells, at)
	}
	var out strings.Builder
	for i, row := range cells {
		out.WriteString(s.tableRow(row, widths, at))
		at.first = at.rest
		if i == 0 {
			line := make([]string, columns)
			for j, w := range widths {
				line[j] = strings.Repeat("─", w)
			}
			out.WriteString(at.rest + s.paint(dim, strings.Join(line, columnGap)) + "\n")
		}
	}
	return out.String()
}

// narrowTo takes cells from the widest columns until all fit into room. It returns false if a
// column would be of no use then. The widest gives first: a short column, such as one of numbers,
// could not be read if it were broken.
func narrowTo(widths []int, room int) bool {
	total := 0
	for _, w := range widths {
		total += w
	}
	for ; total > room; total-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= leastColumn {
			return false
		}
		widths[widest]--
	}
	return true
}

// tableRow renders a row of a table, on several lines if a cell needs them.
func (s Style) tableRow(row [][]inked, widths []int, at hanging) string {
	columns, height := make([][]string, len(row)), 0
	for j, cell := range row {
		in := s
		in.Width = widths[j]
		columns[j] = strings.Split(strings.TrimSuffix(in.setWords(cell, hanging{}), "\n"), "\n")
		height = max(height, len(columns[j]))
	}
	var out strings.Builder
	for y := range height {
		line := ""
		for j, lines := range columns {
			text := ""
			if y < len(lines) {
				text = lines[y]
			}
			if j < len(columns)-1 {
				text += strings.Repeat(" ", max(0, widths[j]-shownWidth(text))) + columnGap
			}
			line += text
		}
		out.WriteString(strings.TrimRight(at.first+line, " ") + "\n")
		at.first = at.rest
	}
	return out.String()
}

// records renders each row of a table as a list: the name of the column, and what stands in it.
//
//	file: totals.go
//	reason: the sum is made here and
//	  nowhere else
func (s Style) records(cells [][][]inked, at hanging) string {
	var out strings.Builder
	if len(cells) == 1 { // there is nothing but names
		names := []inked{}
		for _, cell := range cells[0] {
			names = append(append(names, cell...), inked{ownInk, " "})
		}
		return s.setWords(names, hanging{at.first, at.rest + "  "})
	}
	for i, row := range cells[1:] {
		if i > 0 {
			out.WriteString(strings.TrimRight(at.rest, " ") + "\n")
		}
		for j, cell := range row {
			name := slices.Clone(cells[0][j])
			text := append(append(name, inked{ownInk, ": "}), cell...)
			out.WriteString(s.setWords(text, hanging{at.first, at.rest + "  "}))
			at.first = at.rest
		}
	}
	return out.String()
}
