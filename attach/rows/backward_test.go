package rows_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/rows"
)

// backward returns the lines of a file, the last first, each as its beginning and its length.
func backward(t *testing.T, in io.ReadSeeker) (starts []string, lengths []int) {
	t.Helper()
	require.NoError(t, rows.Backward(in, func(line []byte) bool {
		starts, lengths = append(starts, string(line[:min(len(line), 8)])), append(lengths, len(line))
		return true
	}))
	return starts, lengths
}

func TestLinesAreReadBackwards(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "one end": "\n", "a last end": "a\nb\n", "no last end": "a\n\nb",
		"more than a block":     strings.Repeat("a", 300<<10) + "\n" + strings.Repeat("b", 10) + "\nc",
		"more than two blocks":  "a\n" + strings.Repeat("b", 600<<10) + "\nc\n",
		"an end between blocks": strings.Repeat("a", 9) + "\n" + strings.Repeat("b", 256<<10),
		"an end ends a block":   strings.Repeat("a", 9) + "\n" + strings.Repeat("b", 256<<10-1),
	} {
		var want []int
		for _, line := range slices.Backward(strings.Split(text, "\n")) {
			want = append(want, len(line))
		}
		_, got := backward(t, strings.NewReader(text))
		assert.Equal(t, want, got, name)
	}
	read := 0
	require.NoError(t, rows.Backward(strings.NewReader("a\nb\nc"), func([]byte) bool { read++; return read < 2 }))
	assert.Equal(t, 2, read, "it ends when nobody wants more")
}

// counted is a file that counts what is read of it.
type counted struct {
	*strings.Reader
	bytes int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += n
	return n, err
}

func TestOfALongFileTheEndIsRead(t *testing.T) {
	row := strings.Repeat("r", 1<<20-1) + "\n"
	in := &counted{Reader: strings.NewReader("first\n" + strings.Repeat(row, 70))}
	starts, _ := backward(t, in)
	assert.Len(t, starts, 64, "63 rows and what stands behind the last: the 64th is there in part")
	assert.Equal(t, 64<<20, in.bytes)

	in = &counted{Reader: in.Reader}
	require.NoError(t, rows.Backward(in, func(line []byte) bool { return len(line) == 0 }))
	assert.LessOrEqual(t, in.bytes, 2<<20, "no more than is wanted")

	long := strings.NewReader("first\n" + strings.Repeat("x", rows.MaxRow+1) + "\nlast")
	starts, _ = backward(t, long)
	assert.Equal(t, []string{"last", "first"}, starts)
}

// broken is a file that cannot be read.
type broken struct{ *strings.Reader }

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestAFileThatCannotBeReadBackwardsIsAnError(t *testing.T) {
	err := rows.Backward(broken{strings.NewReader("a")}, func([]byte) bool { panic("there is no line") })
	assert.ErrorContains(t, err, "broken")
}
