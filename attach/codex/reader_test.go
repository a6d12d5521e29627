package codex_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/codex"
	"candor/attach/rows"
)

var update = flag.Bool("update", false, "write what is read into testdata")

// rollouts are the recorded files.
var rollouts = []string{"session.jsonl", "sub1.jsonl", "sub2.jsonl", "fork.jsonl"}

// read returns the sightings of a rollout, and what was counted.
func read(t testing.TB, text string) ([]attach.Sighting, rows.Report) {
	t.Helper()
	return attachtest.Read(t, codex.NewReader(false), text)
}

// TestRecordedRolloutsGiveTheirSightings compares the sightings of recorded files with those that were read and found
// right, testdata/*.want.
func TestRecordedRolloutsGiveTheirSightings(t *testing.T) {
	for _, name := range rollouts {
		t.Run(name, func(t *testing.T) {
			list, report := read(t, attachtest.Recorded(t, name))
			got := attachtest.JSON(t, list)
			want := strings.TrimSuffix(name, ".jsonl") + ".want"
			if *update {
				require.NoError(t, os.WriteFile(filepath.Join("testdata", want), []byte(got), 0o644))
			}
			assert.Equal(t, attachtest.Recorded(t, want), got)
			assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut, "%+v", report)
			assert.Equal(t, len(list), report.Sightings)
		})
	}
}

// TestAFileThatGrowsGivesTheSame reads the recorded session in pieces, as it was written. An answer whose record
// has not come is left for the next piece, so that nothing is given twice under two names.
func TestAFileThatGrowsGivesTheSame(t *testing.T) {
	text := attachtest.Recorded(t, "session.jsonl")
	whole, report := read(t, text)
	for _, size := range []int{1, 100, 5000} {
		r := codex.NewReader(true)
		var list []attach.Sighting
		for end := size; ; end += size {
			end = min(end, len(text))
			for s, err := range r.Read(strings.NewReader(text[r.Offset():end])) {
				require.NoError(t, err)
				list = append(list, s)
			}
			if end == len(text) {
				break
			}
		}
		assert.Equal(t, attachtest.JSON(t, whole), attachtest.JSON(t, list), "in pieces of %d", size)
		assert.Equal(t, report, r.Report())
		if size == 1 && testing.Short() {
			break
		}
	}
}

// TestReadingEndsWithItsFileAndWithItsReader holds that a disk that fails is told as what it is, and that whoever wants
// no more sightings gets none.
func TestReadingEndsWithItsFileAndWithItsReader(t *testing.T) {
	for s, err := range codex.NewReader(false).Read(iotest.ErrReader(os.ErrClosed)) {
		require.ErrorIs(t, err, os.ErrClosed)
		assert.Zero(t, s)
	}
	r := codex.NewReader(false)
	for range r.Read(strings.NewReader(attachtest.Recorded(t, "session.jsonl"))) {
		break
	}
	assert.Equal(t, 1, r.Report().Sightings)
	assert.Less(t, r.Offset(), int64(1000))
}
