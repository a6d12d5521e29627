package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ExportFile creates a file that only its owner can read, with what write writes, such as a thread, and returns its
// size in bytes. It fails if the file exists, and leaves no file behind when it fails.
func ExportFile(file string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, fmt.Errorf("%s is there already; name another file", CleanLine(file))
	}
	if err != nil {
		return 0, err
	}
	if err = write(f); err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	// Half an export would pass for a whole one, so it is removed.
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(file))
	}
	return size, nil
}

// CleanWriter returns a writer that passes foreign text on to w, made safe line by
// line. Close writes an unfinished last line; it does not close w.
func CleanWriter(w io.Writer) io.WriteCloser { return &cleanWriter{out: w} }

// cleanWriter holds a line back until it ends: half a sequence could not be told from
// text.
type cleanWriter struct {
	out  io.Writer
	line strings.Builder // unfinished
}

// Write implements io.Writer.
func (c *cleanWriter) Write(p []byte) (int, error) {
	for line := range strings.SplitAfterSeq(string(p), "\n") {
		c.line.WriteString(line)
		if strings.HasSuffix(line, "\n") || c.line.Len() > maxText {
			if err := c.Close(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// Close writes the line that has not ended.
func (c *cleanWriter) Close() error {
	_, err := io.WriteString(c.out, Clean(c.line.String()))
	c.line.Reset()
	return err
}
