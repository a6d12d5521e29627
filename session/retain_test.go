package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal/sqlite"
)

// The size is that of a real engine, whose files do not shrink when something is erased.
func TestAboveItsSizeAStorageLosesItsOldestConversationsAndNoOthers(t *testing.T) {
	engine, err := sqlite.Open(t.TempDir(), sqlite.Options{Sync: sqlite.Interval})
	require.NoError(t, err)
	store := session.NewDurable(engine, nil, session.Limits{})
	t.Cleanup(func() { _ = store.Close() })
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	const threads = 40
	var ids []string
	for range threads {
		e, err := s.OpenThread()
		require.NoError(t, err)
		add(t, s, accept(t, s, e.Thread), session.TurnCompleted{Response: words(60_000)})
		ids = append(ids, e.Thread)
	}
	require.NoError(t, s.Save(t.Context()))
	limit := int(store.Status().Bytes * 3 / 4)
	n, err := store.Retain(t.Context(), session.Retention{Bytes: limit})
	require.NoError(t, err)
	assert.LessOrEqual(t, store.Status().Bytes, int64(limit))
	assert.Less(t, n, threads/2)
	assert.Len(t, s.Threads(), threads-n)
	for i, id := range ids {
		_, err := s.Thread(id)
		assert.Equal(t, i < n, err != nil, "thread %d", i)
	}
	n, err = store.Retain(t.Context(), session.Retention{Bytes: limit})
	require.NoError(t, err)
	assert.Zero(t, n, "it fits now")
}
