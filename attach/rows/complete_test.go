package rows_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/rows"
)

// blank is a file of so many bytes.
type blank struct{ *io.SectionReader }

func (blank) ReadAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (blank) Close() error                          { return nil }

func blankOf(size int64) blank { return blank{io.NewSectionReader(blank{}, 0, size)} }

func TestAPayloadIsCompletedFromTheEndOfALongFile(t *testing.T) {
	for size, want := range map[int64]string{0: "0", 64 << 20: "0", 64<<20 + 5: "5"} {
		open := func(path string) (io.ReadSeekCloser, error) {
			assert.Equal(t, "/f", path)
			return blankOf(size), nil
		}
		got := rows.Complete([]byte(`{"a":1}`), "/f", open, func(end io.Reader) (int64, bool) {
			at, err := end.(io.Seeker).Seek(0, io.SeekCurrent)
			require.NoError(t, err)
			return at, true
		})
		assert.JSONEq(t, `{"a":1,"candor":`+want+`}`, string(got))
	}
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
		open := func(string) (io.ReadSeekCloser, error) { return blankOf(0), c.err }
		got := rows.Complete([]byte(c.payload), "/f", open, func(io.Reader) (int, bool) { return 1, c.found })
		assert.Equal(t, c.payload, string(got), name)
	}
}
