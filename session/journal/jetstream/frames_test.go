package jetstream

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// frame returns a frame of the events first to last with a text.
func frame(first, last uint64, text string) journal.Frame {
	return journal.Frame{First: first, Last: last, Data: []byte(text)}
}

// read returns the frames of a session from a number on.
func read(t *testing.T, c *journal.Cluster, session string, from uint64) (all []journal.Frame) {
	t.Helper()
	for f, err := range c.Frames.Read(t.Context(), session, from) {
		require.NoError(t, err)
		all = append(all, f)
	}
	return all
}

func TestAnErasedFrameIsReadInThePlaceOfThoseItCovers(t *testing.T) {
	dir := t.TempDir()
	srv, _ := startServer(t, dir)
	c := openStore(t, srv)
	const secret = "the words that are to be gone"
	require.NoError(t, c.Append(t.Context(), "s", frame(1, 1, "one")))
	require.NoError(t, c.Append(t.Context(), "s", frame(2, 3, secret+" two")))
	require.NoError(t, c.Append(t.Context(), "s", frame(4, 4, secret+" four")))
	require.NoError(t, c.Append(t.Context(), "s", frame(5, 5, "five")))
	require.Contains(t, files(t, dir), secret)
	require.NoError(t, c.Replace(t.Context(), "s", []journal.Frame{frame(2, 4, "erased")}))
	assert.Equal(t, []journal.Frame{frame(1, 1, "one"), frame(2, 4, "erased"), frame(5, 5, "five")}, read(t, c, "s", 1))
	assert.Equal(t, []journal.Frame{frame(2, 4, "erased"), frame(5, 5, "five")}, read(t, c, "s", 3))
	assert.NotContains(t, files(t, dir), secret)
	require.NoError(t, c.Append(t.Context(), "s", frame(6, 6, "six")))
}
