//go:build unix

package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waiting is an input that ends only once the screen has said something.
type waiting struct {
	io.Reader
	shown <-chan struct{}
}

func (w waiting) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err == io.EOF {
		<-w.shown
	}
	return n, err
}

// reading copies what a terminal gets, and closes shown once that has a text.
func reading(master *os.File, text string) (shown, ended chan struct{}, all *bytes.Buffer) {
	shown, ended, all = make(chan struct{}), make(chan struct{}), &bytes.Buffer{}
	go func() {
		defer close(ended)
		buf, found := make([]byte, 4096), false
		for {
			n, err := master.Read(buf)
			all.Write(buf[:n])
			if !found && strings.Contains(all.String(), text) {
				found = true
				close(shown)
			}
			if err != nil {
				return
			}
		}
	}()
	return shown, ended, all
}

func TestALongScanSaysHowFarItIsUntilItIsDone(t *testing.T) {
	master, screen, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}))
	t.Setenv("TERM", "xterm")
	shown, ended, all := reading(master, "scanning")
	var out bytes.Buffer
	in := waiting{strings.NewReader(strings.Repeat("so it goes\n", 200)), shown}
	require.NoError(t, Run(t.Context(), []string{"candor", "scan"}, in, &out, screen))
	require.NoError(t, screen.Close())
	<-ended
	require.NoError(t, master.Close())
	assert.Len(t, out.String(), 2200)
	said := all.String()
	assert.Contains(t, said, "scanning  2.2 kB")
	at := strings.LastIndex(said, "\r\x1b[K")
	require.GreaterOrEqual(t, at, 0)
	assert.Equal(t, "\r\x1b[Knothing found\r\n", said[at:], "the bar is gone before anything else is said")
}

func TestTheSizeOfAFileIsKnownAndThatOfAPipeIsNot(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(name, make([]byte, 1234), 0o600))
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, int64(1234), sizeOf(f))
	assert.Equal(t, int64(1234), sizeOf(unclosed{f}), "as standard input")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	assert.Zero(t, sizeOf(r))
	assert.Zero(t, sizeOf(strings.NewReader("x")))
	require.NoError(t, unclosed{f}.Close())
	_, err = f.Stat()
	assert.NoError(t, err, "it is not ours to close")
}
