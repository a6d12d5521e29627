package journaltest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// reopened opens the engine again and again, and goes on where it was each time. Numbers go on, too: what an engine
// remembers of the ends of sessions has to come from what it keeps.
func reopened(t *testing.T, b *bench) {
	_, err := b.Open(t.Context(), "alice", "s")
	require.NoError(t, err)
	frames := fill(t, b.Engine, "s", 10)
	require.NoError(t, b.Save(t.Context(), "s", []byte("snapshot")))
	for range 2 {
		b.reopen(t)
		assert.Equal(t, frames, read(t, b.Engine, "s", 1))
		assert.Equal(t, map[string]string{"alice": "s"}, users(t, b.Engine))
		got, err := b.Load(t.Context(), "s")
		require.NoError(t, err)
		assert.Equal(t, "snapshot", string(got))
		assert.Empty(t, b.Status().Warnings)
		next := uint64(len(frames) + 1)
		require.ErrorIs(t, b.Append(t.Context(), "s", frame(next+1, next+1, "early")), journal.ErrConflict)
		require.NoError(t, b.Append(t.Context(), "s", frame(next, next, "s")))
		frames = append(frames, frame(next, next, "s"))
	}
}

// reopenedErasure opens the engine after a replacement and a removal, which must not look like damage.
func reopenedErasure(t *testing.T, b *bench) {
	for _, name := range []string{"alice", "bob"} {
		_, err := b.Open(t.Context(), name, "of "+name)
		require.NoError(t, err)
		fill(t, b.Engine, "of "+name, 5)
	}
	require.NoError(t, b.Replace(t.Context(), "of alice", []journal.Frame{erased(3, 5)}))
	require.NoError(t, b.Remove(t.Context(), "bob"))
	b.reopen(t)
	assert.Empty(t, b.Status().Warnings)
	got := read(t, b.Engine, "of alice", 3)
	assert.Equal(t, []journal.Frame{erased(3, 5)}, got)
	assert.Empty(t, read(t, b.Engine, "of bob", 1))
	assert.Equal(t, map[string]string{"alice": "of alice"}, users(t, b.Engine))
}

// closed calls every method of a closed engine. None may block, and each says why it refuses, so that a caller can
// tell the end of the program from trouble with the storage.
func closed(t *testing.T, b *bench) {
	fill(t, b.Engine, "s", 3)
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "closing again")
	require.ErrorIs(t, b.Append(t.Context(), "s", frame(4, 4, "late")), journal.ErrClosed)
	require.ErrorIs(t, b.Replace(t.Context(), "s", []journal.Frame{erased(1, 1)}), journal.ErrClosed)
	require.ErrorIs(t, b.Remove(t.Context(), "alice"), journal.ErrClosed)
	require.ErrorIs(t, b.Save(t.Context(), "s", []byte("late")), journal.ErrClosed)
	_, err := b.Open(t.Context(), "alice", "a1")
	require.ErrorIs(t, err, journal.ErrClosed)
	_, err = b.Load(t.Context(), "s")
	require.ErrorIs(t, err, journal.ErrClosed)
	for _, err := range b.Read(t.Context(), "s", 1) {
		require.ErrorIs(t, err, journal.ErrClosed)
	}
	for _, err := range b.Users(t.Context()) {
		require.ErrorIs(t, err, journal.ErrClosed)
	}
	require.ErrorIs(t, b.Status().Ready, journal.ErrClosed)
}

// ready reads the status of an engine that has no reason to complain. Warnings of a new engine would be read by an
// operator who can do nothing about them.
func ready(t *testing.T, b *bench) {
	fill(t, b.Engine, "s", 3)
	s := b.Status()
	require.NoError(t, s.Ready)
	assert.NotEmpty(t, s.Name)
	assert.Empty(t, s.Warnings)
	assert.Zero(t, s.Waiting)
	if b.place.Dir != "" {
		assert.Positive(t, s.Bytes)
	}
}
