package jetstream

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

const secret = "the words that are to be gone"

// storeOf returns the store of a cluster, to do half of what it does.
func storeOf(c *journal.Cluster) *store { return c.Frames.(frames).s }

func TestAnErasureThatWasCutShortIsFinished(t *testing.T) {
	for name, steps := range map[string]int{"before the frames were replaced": 1, "before the bytes were gone": 2} {
		for _, how := range []string{"when a store is opened", "when it is repeated"} {
			t.Run(name+" "+how, func(t *testing.T) {
				dir := t.TempDir()
				srv, _ := startServer(t, dir)
				c := openStore(t, srv)
				for i, text := range []string{"one", secret, secret} {
					require.NoError(t, c.Append(t.Context(), "s", frame(uint64(i+1), uint64(i+1), text)))
				}
				halfErase(t, storeOf(c), steps)
				require.Contains(t, files(t, dir), secret)
				if how == "when a store is opened" {
					c = openStore(t, srv)
				} else {
					require.NoError(t, c.Replace(t.Context(), "s", []journal.Frame{frame(2, 3, "erased")}))
				}
				if steps == 2 || how == "when it is repeated" {
					assert.Equal(t, []journal.Frame{frame(1, 1, "one"), frame(2, 3, "erased")}, read(t, c, "s", 1))
					assert.NotContains(t, files(t, dir), secret)
				} else {
					assert.Len(t, read(t, c, "s", 1), 3, "nothing was erased")
				}
				require.ErrorIs(t, c.Append(t.Context(), "s", frame(3, 3, "again")), journal.ErrConflict)
				require.NoError(t, c.Append(t.Context(), "s", frame(4, 4, "four")))
				m, err := storeOf(c).cell(t.Context(), cellErasing, "s")
				require.NoError(t, err)
				assert.Zero(t, m.seq, "no note is left")
			})
		}
	}
}

// halfErase does the first steps of replacing the events 2 and 3, as a process does that dies then.
func halfErase(t *testing.T, s *store, steps int) {
	t.Helper()
	with := []journal.Frame{frame(2, 3, "erased")}
	n, err := s.plan(t.Context(), "s", with, nil)
	require.NoError(t, err)
	require.NoError(t, s.keepTail(t.Context(), "s", 3))
	value, err := json.Marshal(n)
	require.NoError(t, err)
	_, err = s.setCell(t.Context(), cellErasing, "s", value, 0)
	require.NoError(t, err)
	if steps > 1 {
		_, err = s.setCell(t.Context(), cellErased, "s", erased(with).encode(), 0)
		require.NoError(t, err)
	}
}

func TestAReadThatFramesWereErasedUnderGivesWhatReplacedThem(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	for i := range uint64(2 * batchLength) {
		require.NoError(t, c.Append(t.Context(), "s", frame(i+1, i+1, "text")))
	}
	const first, last = batchLength + 44, 2 * batchLength
	var got []journal.Frame
	for f, err := range c.Frames.Read(t.Context(), "s", 1) {
		require.NoError(t, err)
		if got = append(got, f); len(got) == 1 {
			require.NoError(t, c.Replace(t.Context(), "s", []journal.Frame{frame(first, last, "erased")}))
		}
	}
	require.Len(t, got, first)
	assert.Equal(t, frame(first-1, first-1, "text"), got[first-2])
	assert.Equal(t, frame(first, last, "erased"), got[first-1])
}

func TestAReadOfASessionThatIsRemovedMeanwhileEnds(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	_, err := c.Directory.Open(t.Context(), "alice", "s")
	require.NoError(t, err)
	for i := range uint64(batchLength + 10) {
		require.NoError(t, c.Append(t.Context(), "s", frame(i+1, i+1, "text")))
	}
	got := 0
	for _, err := range c.Frames.Read(t.Context(), "s", 1) {
		require.NoError(t, err)
		if got++; got == 1 {
			require.NoError(t, c.Remove(t.Context(), "alice"))
		}
	}
	assert.LessOrEqual(t, got, batchLength)
}

func TestTheKeyOfAFormerSnapshotIsGone(t *testing.T) {
	dir := t.TempDir()
	srv, _ := startServer(t, dir)
	c := openStore(t, srv)
	var keys []string
	for _, text := range []string{"first ", "second ", ""} {
		require.NoError(t, c.Save(t.Context(), "s", []byte(strings.Repeat(text, 200_000))))
		all := files(t, dir)
		for _, former := range keys {
			assert.NotContains(t, all, former)
		}
		assert.NotContains(t, all, "first first")
		if text == "" {
			break
		}
		m, err := storeOf(c).cell(t.Context(), cellSnapshot, "s")
		require.NoError(t, err)
		var in index
		require.NoError(t, json.Unmarshal(m.data, &in))
		keys = append(keys, base64.StdEncoding.EncodeToString(in.Key))
		require.Contains(t, all, keys[len(keys)-1])
	}
}

func TestASnapshotThatIsNotWholeIsNone(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	s := storeOf(c)
	require.NoError(t, c.Save(t.Context(), "s", make([]byte, 3*pieceSize)))
	_, err := s.js.Publish(t.Context(), s.names.snapshot("s"), []byte("another process saves at the same time"))
	require.NoError(t, err)
	got, err := c.Load(t.Context(), "s")
	require.NoError(t, err)
	require.Len(t, got, 3*pieceSize)
	// Two processes save at the same time: the pieces of the one stand among those of the other.
	other, err := (snapshots{s}).write(t.Context(), "s", []byte("another snapshot"))
	require.NoError(t, err)
	cell, err := s.cell(t.Context(), cellSnapshot, "s")
	require.NoError(t, err)
	var first index
	require.NoError(t, json.Unmarshal(cell.data, &first))
	mixed := other
	mixed.First = first.First
	value, err := json.Marshal(mixed)
	require.NoError(t, err)
	seq, err := s.setCell(t.Context(), cellSnapshot, "s", value, cell.seq)
	require.NoError(t, err)
	got, err = c.Load(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, "another snapshot", string(got))
	_, err = s.setCell(t.Context(), cellSnapshot, "s", cell.data, seq)
	require.NoError(t, err)
	m, err := s.get(t.Context(), s.names.pieces(), question{Seq: 2})
	require.NoError(t, err)
	require.NoError(t, s.erase(t.Context(), s.names.pieces(), m.seq))
	_, err = c.Load(t.Context(), "s")
	require.ErrorIs(t, err, journal.ErrNoSnapshot)
	require.NoError(t, (snapshots{s}).purge(t.Context(), "s", 0))
	_, err = c.Load(t.Context(), "s")
	require.ErrorIs(t, err, journal.ErrNoSnapshot)
	require.ErrorContains(t, c.Save(t.Context(), "s", make([]byte, maxSnapshot+1)), "too large")
}

// The pieces of former snapshots are noise, and still take room.
func TestFormerSnapshotsTakeNoRoom(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	s := storeOf(c)
	for range 3 {
		require.NoError(t, c.Save(t.Context(), "s", make([]byte, 2*pieceSize)))
	}
	pieces, err := s.js.Stream(t.Context(), s.names.pieces())
	require.NoError(t, err)
	assert.EqualValues(t, 2, pieces.CachedInfo().State.Msgs)
}
