package worker

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheFileShrinksOnceItIsRead(t *testing.T) {
	q := queue{dir: t.TempDir(), maxEvents: 1, maxBytes: 1 << 20}
	defer func() { assert.NoError(t, q.close()) }()
	next, due := 0, 0
	for range 50 {
		for range 5 {
			_, err := q.put(json.RawMessage(fmt.Sprint(next)))
			require.NoError(t, err)
			next++
		}
		for range 3 { // two at a time, so that reading stops in mid-file
			batch, _, err := q.take(2, 1<<20)
			require.NoError(t, err)
			for _, e := range batch {
				require.Equal(t, fmt.Sprint(due), string(e))
				due++
			}
		}
	}
	assert.Equal(t, next, due)
	info, err := q.file.Stat()
	require.NoError(t, err)
	assert.Zero(t, info.Size())
}

func TestASpillFileThatCannotBeReadIsReportedWithItsLoss(t *testing.T) {
	q := queue{dir: t.TempDir(), maxEvents: 1, maxBytes: 1 << 20}
	for i := range 4 {
		_, err := q.put(json.RawMessage(fmt.Sprint(i)))
		require.NoError(t, err)
	}
	require.NoError(t, q.file.Truncate(0), "somebody cut the file")
	batch, lost, err := q.take(10, 1<<20)
	require.ErrorContains(t, err, "spill file")
	assert.Equal(t, 3, lost)
	assert.Equal(t, []json.RawMessage{json.RawMessage("0")}, batch, "what was in memory is still posted")
	assert.Zero(t, q.len())
	spilling, err := q.put(json.RawMessage("4"))
	require.NoError(t, err)
	assert.False(t, spilling, "there is room in memory again")
	require.NoError(t, q.close())
}

// What a disk that is full took of a line must be neither posted nor in the way of the next line.
func TestAWriteThatFailsInTheMiddleOfALineLeavesTheQueueAsItWas(t *testing.T) {
	q := queue{dir: t.TempDir(), maxEvents: 1, maxBytes: 1 << 20}
	put := func(e string) error {
		_, err := q.put(json.RawMessage(e))
		return err
	}
	require.NoError(t, put("0"))
	require.NoError(t, put("1"))
	writable, whole := q.file, q.written
	full, err := os.Open(os.DevNull) // refuses to be written, since it is open for reading
	require.NoError(t, err)
	defer full.Close()
	q.file = full
	require.ErrorContains(t, put(`"the third event, which is lost"`), "spill file")
	assert.Equal(t, 2, q.len())
	_, err = writable.WriteAt([]byte(`"the third ev`), whole)
	require.NoError(t, err)
	q.file = writable
	require.NoError(t, put("2"))
	batch, lost, err := q.take(10, 1<<20)
	require.NoError(t, err)
	assert.Zero(t, lost)
	assert.Equal(t, []json.RawMessage{json.RawMessage("0"), json.RawMessage("1"), json.RawMessage("2")}, batch)
	require.NoError(t, q.close())
}

func TestAFileWithANameIsRemovedOnClose(t *testing.T) {
	dir := t.TempDir()
	file, err := os.CreateTemp(dir, "candor-worker-*.spill")
	require.NoError(t, err)
	q := queue{file: file, named: true}
	require.NoError(t, q.close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, q.close(), "closing twice is harmless")
}

func TestMemoryIsFilledToItsLastByte(t *testing.T) {
	q := &queue{dir: t.TempDir(), maxEvents: 10, maxBytes: 8}
	t.Cleanup(func() { _ = q.close() })
	for i, spills := range []bool{false, false, true} {
		spilling, err := q.put(json.RawMessage(`"ab"`))
		require.NoError(t, err)
		assert.Equal(t, spills, spilling, "event %d", i)
	}
}
