package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/backup"
)

// restore puts a backup into a new engine.
func restore(t *testing.T, file []byte, last bool) (*memory, backup.Contents, error) {
	t.Helper()
	to := newMemory()
	c, err := backup.Restore(t.Context(), bytes.NewReader(file), backup.Target{Engine: to.engine(), EntriesLast: last})
	return to, c, err
}

// The second backup has the same bytes as the first, so nothing at all was lost on the way.
func TestARestoredEngineHasTheSameFramesAndUsers(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 5)
	from.add(t, "bob", "two", 1)
	from.add(t, "\x00\xff", "three", 0)
	file, r := written(t, from, backup.Item{Name: "key", Content: []byte("k\x00")})
	assert.Equal(t, backup.Report{Created: made, Sessions: 3, Frames: 6, Events: 12, Bytes: int64(len(file))}, r)
	for _, last := range []bool{false, true} {
		to, c, err := restore(t, file, last)
		require.NoError(t, err)
		assert.Equal(t, from.frames, to.frames)
		assert.Equal(t, from.users, to.users)
		assert.Equal(t, r, c.Report)
		assert.Equal(t, []backup.Item{{Name: "key", Content: []byte("k\x00")}}, c.Items)
		again, _ := written(t, to, c.Items...)
		assert.Equal(t, file, again)
	}
}

// A server that already runs on the engine opens a session when the directory knows its user, so the order decides
// whether anybody can see a part.
func TestUsersAreKnownLastIfTheEngineAllowsIt(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 1)
	from.add(t, "bob", "two", 1)
	file, _ := written(t, from)
	to, _, err := restore(t, file, true)
	require.NoError(t, err)
	assert.Equal(t, []string{"frame one", "frame two", "user ann", "user bob"}, to.order)
	to, _, err = restore(t, file, false)
	require.NoError(t, err)
	assert.Equal(t, []string{"user ann", "frame one", "user bob", "frame two"}, to.order)
}

// Erased frames are in the backup as the engine has them: with the hashes that link their neighbours, and nothing else.
func TestWhatWasErasedIsNotInABackup(t *testing.T) {
	from := newMemory()
	j := from.add(t, "ann", "one", 5)
	require.NoError(t, j.Erase(t.Context(), batches(t, from, "one")[1:3]))
	file, _ := written(t, from)
	assert.Contains(t, string(file), "one says a")
	assert.NotContains(t, string(file), "one says b")
	assert.NotContains(t, string(file), "one says c")
	to, _, err := restore(t, file, false)
	require.NoError(t, err)
	assert.Equal(t, batches(t, from, "one"), batches(t, to, "one"))
	assert.True(t, batches(t, to, "one")[1].Erased)
}

// The engine says so by journal.ErrConflict when it comes to frames that were replaced since the read began. What was
// written before stays in the file and does not count.
func TestASessionThatIsErasedWhileItIsReadIsReadAgain(t *testing.T) {
	from := newMemory()
	j := from.add(t, "ann", "one", 5)
	from.add(t, "bob", "two", 2)
	erased := false
	from.during = func(_ string, f journal.Frame) error {
		if f.First != 5 || erased {
			return nil
		}
		erased = true
		from.during = nil
		require.NoError(t, j.Erase(t.Context(), batches(t, from, "one")[1:4]))
		return fmt.Errorf("%w: replaced", journal.ErrConflict)
	}
	file, r := written(t, from)
	assert.True(t, erased)
	assert.Equal(t, 2, r.Sessions)
	assert.Empty(t, r.LeftOut)
	to, c, err := restore(t, file, false)
	require.NoError(t, err)
	assert.Equal(t, r, c.Report)
	assert.Equal(t, from.frames, to.frames)
}

// Removal is not damage: whoever removed the user wanted the session gone, also from the next backup.
func TestAUserWhoIsRemovedMeanwhileIsLeftOut(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 5)
	from.add(t, "bob", "two", 2)
	from.during = func(session string, f journal.Frame) error {
		if session != "one" || f.First != 5 {
			return nil
		}
		require.NoError(t, from.Remove(t.Context(), "ann"))
		return journal.ErrConflict
	}
	file, r := written(t, from)
	assert.Equal(t, 1, r.Sessions)
	assert.Empty(t, r.LeftOut, "nobody misses it")
	to, _, err := restore(t, file, true)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"bob": "two"}, to.users)
	assert.NotContains(t, to.frames, "one")
}

func TestASessionThatIsChangedAllTheTimeEndsTheBackup(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 1)
	from.during = func(string, journal.Frame) error { return journal.ErrConflict }
	_, err := backup.Write(t.Context(), &bytes.Buffer{}, from, made, nil)
	assert.ErrorIs(t, err, journal.ErrConflict)
}

// One damaged session must not keep anybody from backing up the others, and must not be missing without a word.
func TestADamagedSessionIsLeftOutAndNamed(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 3)
	from.add(t, "bob", "two", 3)
	data := from.frames["one"][1].Data
	data[len(data)-1] ^= 1
	file, r := written(t, from)
	require.Len(t, r.LeftOut, 1)
	assert.Equal(t, "one", r.LeftOut[0].Session)
	assert.Contains(t, r.LeftOut[0].Reason, "events 3 to 4 of session one")
	to, c, err := restore(t, file, false)
	require.NoError(t, err)
	assert.Equal(t, r, c.Report)
	assert.Equal(t, map[string]string{"bob": "two"}, to.users)
	assert.Equal(t, from.frames["two"], to.frames["two"])
}

// What a salvage takes of a damaged session is a session again: an erased frame holds the place of what was lost, so
// that the chain goes on.
func TestASalvageTakesWhatIsWholeAndNamesTheRest(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 6)
	from.add(t, "bob", "two", 3)
	whole := batches(t, from, "one")
	data := from.frames["one"][2].Data
	data[len(data)-1] ^= 1
	from.frames["one"] = append(from.frames["one"][:3], from.frames["one"][4:]...)
	from.frames["two"][2].Data[100] ^= 1 // its last
	var file bytes.Buffer
	r, err := backup.Salvage(t.Context(), &file, from, made, nil)
	require.NoError(t, err)
	assert.Empty(t, r.LeftOut)
	assert.Equal(t, 2, r.Sessions)
	require.Len(t, r.Lost, 3)
	assert.Contains(t, r.Lost[0].Reason, "of session one: its frame was altered")
	assert.Contains(t, r.Lost[1].Reason, "of session one: they are missing")
	assert.Contains(t, r.Lost[2].Reason, "of session two: its frame was altered")
	to, _, err := restore(t, file.Bytes(), false)
	require.NoError(t, err)
	got := batches(t, to, "one")
	assert.Equal(t, whole[:2], got[:2])
	assert.True(t, got[2].Erased)
	assert.Equal(t, whole[4:], got[3:])
	assert.Len(t, batches(t, to, "two"), 2)
}

// Two histories of one user cannot be made one, so a restore never adds to what is there.
func TestAnEngineWithSessionsIsLeftAsItIs(t *testing.T) {
	to := newMemory()
	to.add(t, "bob", "two", 1)
	_, err := backup.Restore(t.Context(), bytes.NewReader(small(t)), backup.Target{Engine: to.engine()})
	assert.ErrorIs(t, err, backup.ErrNotEmpty)
	assert.Equal(t, map[string]string{"bob": "two"}, to.users)
	assert.NotContains(t, to.frames, "one")
}

// What an engine that failed has by then is for its owner to drop: a folder is removed, and streams nobody is served
// from are named.
func TestAnEngineThatFailsEndsTheRestore(t *testing.T) {
	to := newMemory()
	to.full = 1
	target := backup.Target{Engine: to.engine(), EntriesLast: true}
	_, err := backup.Restore(t.Context(), bytes.NewReader(small(t)), target)
	assert.ErrorIs(t, err, errFull)
	assert.Contains(t, err.Error(), "events 3 to 4 of session one")
	assert.Empty(t, to.users, "nobody is served a part")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = backup.Restore(ctx, bytes.NewReader(small(t)), backup.Target{Engine: newMemory().engine()})
	assert.ErrorIs(t, err, context.Canceled)
}

// Every error of the file and of the engine comes through as it is, so that the caller can say what to do.
func TestAWriterOrAReaderThatFailsEndsTheBackup(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 300)
	for n := 0; n < 30_000; n += 5000 {
		_, err := backup.Write(t.Context(), &shortWriter{n}, from, made, nil)
		assert.ErrorIs(t, err, errFull, n)
	}
	file, _ := written(t, from)
	_, err := backup.Verify(t.Context(), iotest.TimeoutReader(bytes.NewReader(file)))
	assert.ErrorIs(t, err, iotest.ErrTimeout)
	from.during = func(string, journal.Frame) error { return journal.ErrUnavailable }
	_, err = backup.Write(t.Context(), &bytes.Buffer{}, from, made, nil)
	assert.ErrorIs(t, err, journal.ErrUnavailable)
}

// shortWriter takes n bytes.
type shortWriter struct{ n int }

func (w *shortWriter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// Frames are checked and written as they are read: a backup needs no memory for what it has.
func TestABackupOfFortyMegabytesNeedsAFewOfMemory(t *testing.T) {
	from := newMemory()
	j := journal.Open(from, "one", uuid.New())
	_, err := from.Open(t.Context(), "ann", "one")
	require.NoError(t, err)
	payload := bytes.Repeat([]byte("x"), 1<<20)
	for range 40 {
		require.NoError(t, j.Append(t.Context(), 1, payload))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := backup.Write(t.Context(), io.Discard, from, made, nil)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	assert.Greater(t, r.Bytes, int64(40<<20))
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}
