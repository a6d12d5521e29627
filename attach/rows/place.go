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

// MaxRow bounds a row of a session file, in bytes. Longer rows are skipped.
const MaxRow = 16 << 20

// lineReader reads lines of at most MaxRow bytes.
type lineReader struct {
	in   *bufio.Reader
	line []byte
}

// next returns a line without its end, which holds until the next call, and how many bytes it took in the file. The
// line is nil if it was too long. At the end of the file err is io.EOF, and the line is what stands behind the last end
// of a line.
func (l *lineReader) next() (line []byte, n int, err error) {
	l.line = l.line[:0]
	for {
		// ReadSlice gives what the buffer has, so that a line is collected here and no longer than it may be.
		part, err := l.in.ReadSlice('\n')
		n += len(part)
		if len(l.line)+len(part) <= MaxRow {
			l.line = append(l.line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, n, err
		}
		// Something was left out, so the line was too long.
		if len(l.line) < n {
			return nil, n, err
		}
		if err == nil {
			return l.line[:n-1], n, nil
		}
		return l.line, n, err
	}
}
