package rows_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/rows"
)

// file is a file in memory.
type file struct{ *strings.Reader }

func (file) Close() error { return nil }

func TestAPayloadIsCompletedFromItsFile(t *testing.T) {
	open := func(path string) (io.ReadSeekCloser, error) {
		assert.Equal(t, "/f", path)
		return file{strings.NewReader("row")}, nil
	}
	got := rows.Complete([]byte(`{"a":1}`), "/f", open, func(file io.ReadSeeker) (string, bool) {
		raw, err := io.ReadAll(file)
		require.NoError(t, err)
		return string(raw), true
	})
	assert.JSONEq(t, `{"a":1,"candor":"row"}`, string(got))
}

// TestAPayloadStaysAsItIsWhereItsFileTellsNothing holds that a hook is passed on whatever its file is like.
func TestAPayloadStaysAsItIsWhereItsFileTellsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		err     error
		found   bool
	}{
		"a file that is gone":      {`{"a": 1}`, errors.New("gone"), true},
		"nothing found":            {`{"a": 1}`, nil, false},
		"a payload that is a list": {`[]`, nil, true},
		"a payload that is none":   {`{`, nil, true},
		"a payload that is null":   {`null`, nil, true},
	} {
		open := func(string) (io.ReadSeekCloser, error) { return file{strings.NewReader("")}, c.err }
		got := rows.Complete([]byte(c.payload), "/f", open, func(io.ReadSeeker) (int, bool) { return 1, c.found })
		assert.Equal(t, c.payload, string(got), name)
	}
}
