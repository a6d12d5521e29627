package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal"
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

// What could not be erased is not counted as erased.
func TestRetentionCountsWhatItErased(t *testing.T) {
	f := newFakeEngine()
	e := f.engine()
	e.Status = func() journal.Status { return journal.Status{Bytes: 100} }
	e.Size = func(context.Context, string) (int64, error) { return 100, nil }
	store := session.NewDurable(e, nil, session.Limits{})
	t.Cleanup(func() { _ = store.Close() })
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	_, err = s.OpenThread()
	require.NoError(t, err)
	f.fail = func() error { return journal.ErrUnavailable }
	n, err := store.Retain(t.Context(), session.Retention{Bytes: 1})
	assert.ErrorIs(t, err, session.ErrStorage)
	assert.Zero(t, n)
	f.fail = nil
	n, err = store.Retain(t.Context(), session.Retention{Bytes: 1})
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}

// Facts about any turn of an observed thread may still come, so that its turns go with it, and not before.
func TestAnObservedThreadKeepsItsFirstTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := openDurable(t, newFakeEngine(), session.Limits{})
		defer store.Close()
		id, err := s.OpenObserved("claude/1", billing)
		require.NoError(t, err)
		for _, key := range []string{"p1", "p2", "p3", "p4"} {
			_, err := s.Sight(id, session.Sighted{Key: key, Channel: session.FromHooks,
				Sightings: []session.Sighting{prompted("go"), ended("done", 1)}})
			require.NoError(t, err)
		}
		time.Sleep(48 * time.Hour)
		_, err = s.Sight(id, session.Sighted{Key: "p5", Channel: session.FromHooks,
			Sightings: []session.Sighting{prompted("go")}})
		require.NoError(t, err)
		_, err = store.Retain(t.Context(), session.Retention{Age: 24 * time.Hour})
		require.NoError(t, err)
		h, err := s.History(id, session.Page{})
		require.NoError(t, err)
		assert.Len(t, h.Turns, 5)
	})
}
