//go:build unix

package terminal

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// A panic while a page is drawn leaves the terminal as it was found, once the editor is closed
// by whoever opened it.
func TestAPanicInThePagerGivesTheTerminalBack(t *testing.T) {
	master, tty, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 10, Cols: 40}))
	before, err := term.GetState(int(tty.Fd()))
	require.NoError(t, err)
	var got strings.Builder
	var reader sync.WaitGroup
	reader.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if got.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	e, err := NewEditor(tty, tty, Complete)
	require.NoError(t, err)
	draws := 0
	draw := func(int) []pagePart {
		if draws++; draws > 1 {
			panic("a bug")
		}
		return []pagePart{{strings.Repeat("a line\n", 30), true}}
	}
	_, err = master.WriteString("x")
	require.NoError(t, err)
	assert.PanicsWithValue(t, "a bug", func() { _, _ = e.page(context.WithoutCancel(t.Context()), draw) })
	require.NoError(t, e.Close())
	after, err := term.GetState(int(tty.Fd()))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(*before), fmt.Sprint(*after))
	require.NoError(t, tty.Close())
	reader.Wait()
	assert.True(t, strings.HasSuffix(got.String(), otherScreen+"\x1b[?2004l"), "%q", got.String())
}
