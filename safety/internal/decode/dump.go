package decode

import (
	"slices"
	"strconv"
	"strings"

	"candor/safety/internal/lex"
)

// Dump is where a text shows the bytes of a file as od, hexdump and xxd do, line by line: the
// offset, unless it is left out, the bytes as numbers or as characters, and perhaps a column of text.
type Dump struct{ From, To int }

// NextDump finds the next dump from i on that is long enough to hide a credential. Bytes decodes
// it; a list of numbers may look the same.
func NextDump(s string, i int) (d Dump, ok bool) {
	for i < len(s) {
		size := 0
		for i < len(s) {
			r, ok := rowAt(s, i, size > 0)
			if i = r.end + 1; !ok {
				break
			}
			if r.start == r.to {
				continue // an asterisk
			}
			if size == 0 {
				d.From = r.start
				if r.cells < r.to {
					d.From = r.cells // the offset may stay
				}
			}
			d.To, size = r.end, size+r.to-r.start
		}
		if size >= 2*MinSpelled {
			return d, true
		}
	}
	return Dump{}, false
}

// dumpStart moves h back to the start of a dump that goes up to the end of s and may go on there.
func dumpStart(s string, h int) int {
	i := strings.LastIndexByte(s, '\n') + 1
	for _, ok := rowAt(s, i, true); ok; _, ok = rowAt(s, i, true) {
		if h = min(h, i); i == 0 {
			break
		}
		i = strings.LastIndexByte(s[:i-1], '\n') + 1
	}
	return h
}

// row is a line of a dump, or od's asterisk.
type row struct {
	start int  // of the first word, which may be an offset
	cells int  // where the bytes start
	to    int  // where they end
	end   int  // of the line
	chars bool // the cells are characters
}

// rowAt reads the line at i. If short is set, it may be the last row of a dump, or not be complete yet.
func rowAt(s string, i int, short bool) (r row, ok bool) {
	end := len(s)
	if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
		end = i + k
	}
	start := lex.SkipBlank(s, i, end-i)
	r = row{start: start, cells: start, to: start, end: end}
	if start == end || s[start:end] == "*" {
		return r, start < end || short && end == len(s)
	}
	if to, ok := offsetAt(s, start); ok {
		r.cells, r.to = lex.SkipBlank(s, to, end-to), to
	}
	if to, ok := numbersEnd(s[:end], start, short); ok {
		r.to = max(to, r.cells)
		return r, true
	}
	r.chars = true
	if first := lex.SkipBlank(s, r.cells, end-r.cells); r.cells == start {
		// Nothing says how far the cells are indented, but the first one ends as they all do.
		for first < end && s[first] != ' ' {
			first++
		}
		r.cells = max(i, first-cellWidth)
	} else {
		r.cells = r.to
	}
	r.to, ok = charsEnd(s[:end], r.cells, short || r.cells > start)
	return r, ok
}

// minOffset is how many digits the shortest offset has: od -Ax writes six.
const minOffset = 6

// offsetAt returns the end of the offset at i, a colon behind it included.
func offsetAt(s string, i int) (to int, ok bool) {
	to = lex.Classes['x'].Run(s, i, 17)
	if to-i < minOffset || to-i > 16 {
		return i, false
	}
	if to < len(s) && s[to] == ':' {
		to++
	}
	return to, to == len(s) || isBlankOrEnd(s, to)
}

func isBlankOrEnd(s string, i int) bool {
	return i == len(s) || s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r'
}

// numbersEnd returns the end of the numbers of the line that ends with s. A column of text
// may follow them: behind two blanks if the offset has a colon, else behind a sign.
func numbersEnd(s string, i int, short bool) (to int, ok bool) {
	const longest = 64
	colon := false
	for n := 0; i < len(s); n++ {
		to = lex.Classes['x'].Run(s, i, longest)
		part := to-i < 2 && !lex.Digits[s[i]]
		if n == 0 && to-i >= minOffset && to < len(s) && s[to] == ':' {
			to++
			colon = true
		}
		if to == i || !isBlankOrEnd(s, to) || part && !(short && to == len(s)) {
			return i, n > 0 && (s[i] == '|' || s[i] == '>')
		}
		i = lex.SkipBlank(s, to, len(s)-to)
		if colon && n > 0 && i-to > 1 || i < len(s) && s[i] == '\r' {
			break
		}
	}
	return to, true
}

// cellWidth is how many columns od and hexdump use for a character.
const cellWidth = 4

// charsEnd returns the end of the characters of the line that ends with s.
func charsEnd(s string, i int, short bool) (to int, ok bool) {
	n := 0
	for to = i; i < len(s); i += cellWidth {
		cell := strings.Trim(s[i:min(i+cellWidth, len(s))], " \r")
		if s[i] == '\r' {
			break
		}
		if last := i+cellWidth >= len(s); s[i] != ' ' || len(cell) > 1 && char(cell) == 0 && !(short && last) {
			return i, false
		}
		if cell != "" {
			n, to = n+1, min(i+cellWidth, len(s))
		}
	}
	return to, n > 1 || short
}

// char returns the byte that a cell of more than one character names, a space for one that is no text,
// or zero if the cell names none.
func char(cell string) byte {
	switch cell {
	case `\n`, "nl":
		return '\n'
	case `\t`, "ht":
		return '\t'
	case `\r`, "cr":
		return '\r'
	case `\\`:
		return '\\'
	}
	if len(cell) == 3 && lex.Classes['x'].Run(cell, 0, 3) == 3 || cell[0] == '\\' || slices.Contains(byteNames, cell) {
		return ' '
	}
	return 0
}

// byteNames are the bytes that od -a names, and that are no line end.
var byteNames = strings.Fields("sp nul soh stx etx eot enq ack bel bs vt ff so si dle dc1 dc2 dc3 dc4 nak syn etb " +
	"can em sub esc fs gs rs us del **")

// A Reading is a way in which the cells of a dump may spell bytes: as numbers of a base, or of none for
// characters.
type Reading struct {
	base    int
	little  bool // words of several bytes have the lowest byte first
	offsets bool // the first word of a line is its offset
}

// Readings are all ways in which a dump may be read.
var Readings = []Reading{
	{base: 16, offsets: true}, {base: 16, offsets: true, little: true},
	{base: 8, offsets: true}, {base: 8, offsets: true, little: true},
	{base: 10, offsets: true}, {base: 10, offsets: true, little: true},
	{base: 2, offsets: true}, {base: 16}, {base: 16, little: true}, {base: 8}, {base: 8, little: true},
	{base: 10}, {base: 10, little: true}, {base: 2}, {},
}

// Bytes appends to buf the bytes that the dump shows, or returns nil if its cells are no such numbers.
func (d Dump) Bytes(s string, buf []byte, way Reading) []byte {
	out, width := buf[:0], 0
	for i := strings.LastIndexByte(s[:d.From], '\n') + 1; i < d.To; {
		r, _ := rowAt(s, i, true)
		for cell := range strings.FieldsSeq(r.text(s, way)) {
			width = max(width, len(cell))
		}
		i = r.end + 1
	}
	size := map[int]int{16: width / 2, 8: width * 3 / 8, 10: (width + 1) * 5 / 12, 2: width / 8}[way.base]
	if way.base > 0 && size == 0 || way.little && size == 1 {
		return nil // no bytes, or the same either way
	}
	for i := strings.LastIndexByte(s[:d.From], '\n') + 1; i < d.To; {
		r, _ := rowAt(s, i, true)
		i = r.end + 1
		if way.base == 0 {
			out = r.appendChars(s, out)
			continue
		}
		for cell := range strings.FieldsSeq(r.text(s, way)) {
			if out = way.read(cell, size, out); out == nil {
				return nil
			}
		}
	}
	return out
}

// text returns the cells of a row of numbers.
func (r row) text(s string, way Reading) string {
	switch {
	case r.chars || way.offsets && r.cells == r.start:
		return "" // what another format of the same command shows
	case way.offsets:
		return s[r.cells:r.to]
	}
	return s[r.start:r.to]
}

// appendChars appends the bytes of a row of characters.
func (r row) appendChars(s string, out []byte) []byte {
	for i := r.cells; r.chars && i < r.to; i += cellWidth {
		switch cell := strings.TrimLeft(s[i:min(i+cellWidth, r.to)], " "); len(cell) {
		case 0:
			out = append(out, ' ')
		case 1:
			out = append(out, cell[0])
		default:
			out = append(out, char(cell))
		}
	}
	return out
}

// read appends the bytes of a cell, as many as size unless it is in hex.
func (w Reading) read(cell string, size int, out []byte) []byte {
	from := len(out)
	if w.base == 16 {
		out = ReadHex(cell, out)
	} else {
		v, err := strconv.ParseUint(cell, w.base, 64)
		if err != nil || size > 8 || size < 8 && v>>(8*size) != 0 {
			return nil
		}
		for n := size - 1; n >= 0; n-- {
			out = append(out, byte(v>>(8*n)))
		}
	}
	if w.little && out != nil {
		slices.Reverse(out[from:])
	}
	return out
}
