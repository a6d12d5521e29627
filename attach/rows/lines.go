package rows

import (
	"bufio"
	"errors"
	"io"
)

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
