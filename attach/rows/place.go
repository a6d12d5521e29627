package rows

import (
	"bufio"
	"errors"
	"io"
)

// Place records how far a file was read. The zero value is its beginning.
type Place struct {
	// Growing says that the file may still be written: a last row without its end is left for the next Each.
	Growing bool
	// Offset counts the bytes that were read, without those of a row that is left for the next Each.
	Offset int64
	// Beginning is the beginning of a line that was too long, valid until take returns, and nil for other lines. It may
	// tell which row was lost.
	Beginning []byte
}

// maxBeginning bounds the beginning of a line that is too long, in bytes.
const maxBeginning = 16 << 10

// Each calls take for each line of in, without its end, and without byte order marks in front of it and NUL bytes. in
// continues where the last Each ended. A line is valid until take returns, and nil if it was too long; last says that
// the line has no end. Each returns at once when take returns false, and with an error only if in cannot be read. ended
// reports whether in was read to its end.
func (p *Place) Each(in io.Reader, take func(line []byte, last bool) bool) (ended bool, err error) {
	lines := lineReader{in: bufio.NewReaderSize(in, 64<<10)}
	for {
		line, n, err := lines.next()
		// Of a growing file the end may be half a row, which the next Each finds whole.
		if errors.Is(err, io.EOF) && (p.Growing || n == 0) {
			return true, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		p.Offset += int64(n)
		if p.Beginning = nil; line == nil {
			p.Beginning = lines.line[:min(len(lines.line), maxBeginning)]
		} else {
			line = plain(line)
		}
		if !take(line, err != nil) {
			return false, nil
		}
		if err != nil {
			return true, nil
		}
	}
}
