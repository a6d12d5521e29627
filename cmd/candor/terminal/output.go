package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"candor/web/client"
)

// ExportFile writes a thread to a file that is not there yet, for its owner alone, and
// says how large it is. Where it fails it leaves none.
func ExportFile(ctx context.Context, c *client.Client, thread, format, file string) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, fmt.Errorf("%s is there already; name another file", CleanLine(file))
	}
	if err != nil {
		return 0, err
	}
	if err = c.Export(ctx, thread, format, f); err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(file))
	}
	return size, nil
}

// Cleaned writes foreign text to a terminal, made safe line by line.
func CleanWriter(w io.Writer) io.WriteCloser { return &cleanWriter{out: w} }

type cleanWriter struct {
	out  io.Writer
	line strings.Builder // that has not ended
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

// Close writes what is left.
func (c *cleanWriter) Close() error {
	_, err := io.WriteString(c.out, Clean(c.line.String()))
	c.line.Reset()
	return err
}
