package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal/sqlite"
)

// onDisk returns a store in a folder of its own.
func onDisk(t *testing.T, l session.Limits) *session.Durable {
	t.Helper()
	engine, err := sqlite.Open(t.TempDir(), sqlite.Options{Sync: sqlite.Interval})
	require.NoError(t, err)
	store := session.NewDurable(engine, nil, l)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// told begins a thread of a user with one turn that has so many bytes, and returns the thread.
func told(t *testing.T, store *session.Durable, user string, bytes int) string {
	t.Helper()
	s, err := store.Open(t.Context(), user)
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	add(t, s, accept(t, s, e.Thread), session.TurnCompleted{Response: words(bytes)})
	return e.Thread
}

// threadsOf returns how many threads a user has.
func threadsOf(t *testing.T, store *session.Durable, user string) int {
	t.Helper()
	s, err := store.Open(t.Context(), user)
	require.NoError(t, err)
	return len(s.Threads())
}

// The conversations of who writes little are the oldest, and stay: it is others who take the room, one of them with a
// job that is open and cannot be erased.
func TestAboveItsSizeAStorageLosesNothingOfUsersWithinAnEqualShare(t *testing.T) {
	store := onDisk(t, session.Limits{})
	for range 3 {
		told(t, store, "ann", 10_000)
	}
	for range 20 {
		told(t, store, "bob", 60_000)
	}
	eve, err := store.Open(t.Context(), "eve")
	require.NoError(t, err)
	job, err := eve.OpenJob(session.JobOpened{Title: safety.Literal("a job"), Prompt: safety.Literal("that goes on")})
	require.NoError(t, err)
	for n := range 30 {
		_, err = eve.PostToJob(job.ID, []session.Post{{Key: fmt.Sprint(n),
			Body: session.JobMessage{Role: "assistant", Text: words(60_000)}}})
		require.NoError(t, err)
	}
	told(t, store, "eve", 10_000)
	_, err = store.Retain(t.Context(), session.Retention{Bytes: 1_500_000})
	require.NoError(t, err)
	assert.Equal(t, 3, threadsOf(t, store, "ann"), "within the share")
	assert.Zero(t, threadsOf(t, store, "eve"), "the open job counts for its owner")
	left := threadsOf(t, store, "bob")
	assert.Greater(t, left, 4, "down to an equal share")
	assert.Less(t, left, 10)
}
