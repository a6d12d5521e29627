package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// mark is the byte order mark, which some editors and shells put in front of a file, and of what they append to one.
var mark = []byte("\xef\xbb\xbf")

// plain returns a line without byte order marks in front and without NUL bytes, which a disk leaves where a write was
// lost. Neither is a part of any row. A line of nothing else stays, since it was a row.
func plain(line []byte) []byte {
	for bytes.HasPrefix(line, mark) {
		line = line[len(mark):]
	}
	if bytes.IndexByte(line, 0) < 0 {
		return line
	}
	if rest := bytes.ReplaceAll(line, []byte{0}, nil); len(bytes.TrimSpace(rest)) > 0 {
		return rest
	}
	return line
}

// LostGroup returns the id of a group of its own for what was lost before an offset of a file.
func LostGroup(offset int64) string { return fmt.Sprintf("lost-%d", offset) }

// maxTries bounds how often a damaged line is tried again for a row in it, and maxEffort the bytes that this reads, as
// a multiple of the line.
const (
	maxTries  = 256
	maxEffort = 8
)

// Decode decodes a line and calls take with its row. A line that is no row may have some among its damage: half a row
// that the program wrote again behind it, or two rows without the end of a line between them. Decode then goes on at
// the
// next object that decode takes for a row, and counts each stretch that is lost; lose is called for it in its place.
// last
// says that the line has no end, so that what is lost at its end was perhaps never written.
func Decode[R any](r *Report, line []byte, last bool, decode func(row []byte) (R, bool), take func(R), lose func()) {
	if !r.Row(line) {
		return
	}
	if row, ok := decode(line); ok {
		take(row)
		return
	}
	found, lost, effort := 0, false, maxEffort*len(line)
	give := func(row R) {
		if found++; found > 1 {
			r.Rows++
		}
		if lost {
			r.Lose(false)
			lose()
		}
		lost = false
		take(row)
	}
	next := line
	for tries := 0; tries < maxTries && effort > 0; tries++ {
		// Within a string a quote has a backslash in front, so that this is where an object begins.
		at := bytes.Index(next, []byte(`{"`))
		if at < 0 {
			break
		}
		between := len(bytes.TrimSpace(next[:at])) > 0
		lost, next = lost || between, next[at:]
		size, whole := objectIn(next)
		effort -= size
		behind := bytes.TrimSpace(next[size:])
		// An object in the half of a row is one of its values, and has more of the row behind it.
		if isRow := !lost || len(behind) == 0 || behind[0] == '{'; whole && isRow {
			if row, ok := decode(next[:size]); ok {
				give(row)
				next = next[size:]
				continue
			}
		}
		if lost = true; !whole {
			size = 1
		}
		next = next[size:]
	}
	if lost || len(bytes.TrimSpace(next)) > 0 {
		r.Lose(last)
		lose()
	}
}

// objectIn returns how many bytes the object takes that data begins with, or, if it is not whole, how many were read.
func objectIn(data []byte) (size int, whole bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	var object json.RawMessage
	err := d.Decode(&object)
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		return int(bad.Offset), false
	}
	if err != nil {
		return len(data), false
	}
	return int(d.InputOffset()), true
}
