package journaltest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// sameSession opens a user twice with different new ids: the first one stays. The second is nobody's, and the caller
// throws it away.
func sameSession(t *testing.T, b *bench) {
	first, err := b.Open(t.Context(), "alice", "a1")
	require.NoError(t, err)
	assert.Equal(t, "a1", first)
	again, err := b.Open(t.Context(), "alice", "a2")
	require.NoError(t, err)
	assert.Equal(t, "a1", again)
	other, err := b.Open(t.Context(), "bob", "b1")
	require.NoError(t, err)
	assert.Equal(t, "b1", other)
}

// openingRace has many open the same user, each with an id of its own, of which one wins. Two sessions of one user
// would each have a part of what they said.
func openingRace(t *testing.T, b *bench) {
	got := make([]string, 16)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			var err error
			got[i], err = b.Open(t.Context(), "alice", fmt.Sprintf("session %d", i))
			assert.NoError(t, err)
		})
	}
	all.Wait()
	for _, session := range got {
		assert.Equal(t, got[0], session)
		assert.Contains(t, session, "session ")
	}
	assert.Len(t, users(t, b.Engine), 1)
}

// users returns the directory as a map from users to sessions. It fails the test if a user is there twice.
// Both are compared as they are, byte for byte.
func users(t *testing.T, e journal.Engine) map[string]string {
	t.Helper()
	all := map[string]string{}
	for u, err := range e.Users(t.Context()) {
		require.NoError(t, err)
		assert.NotContains(t, all, u.User, "is there once")
		all[u.User] = u.Session
	}
	return all
}

// allUsers lists more users than an engine is likely to read at once. An operator's tools and the removal of what is
// old go through all of them.
func allUsers(t *testing.T, b *bench) {
	assert.Empty(t, users(t, b.Engine))
	want := map[string]string{}
	for i := range 600 {
		user, session := fmt.Sprintf("user %d", i), fmt.Sprintf("session %d", i)
		_, err := b.Open(t.Context(), user, session)
		require.NoError(t, err)
		want[user] = session
	}
	assert.Equal(t, want, users(t, b.Engine))
	for range b.Users(t.Context()) {
		break // a loop may end early
	}
}

// anyBytes uses names that mean something to a database, a file system or a message broker.
func anyBytes(t *testing.T, b *bench) {
	want := map[string]string{}
	for i, user := range []string{"a'b\"; DROP TABLE users; --", "nul\x00nul", "\xff\xfe", "日本語", " ", "../..",
		"a.b.*.>", "line\nbreak", string(bytes.Repeat([]byte("x"), 500))} {
		session, err := b.Open(t.Context(), user, fmt.Sprintf("session-%d", i))
		require.NoError(t, err, "%q", user)
		require.NoError(t, b.Append(t.Context(), session, frame(1, 1, user)))
		want[user] = session
	}
	assert.Equal(t, want, users(t, b.Engine))
	for user, session := range want {
		assert.Equal(t, []journal.Frame{frame(1, 1, user)}, read(t, b.Engine, session, 1), "%q", user)
	}
}

// removeAndReturn removes a user, whose late writer must not bring the session back. The user may come back, and
// gets a session that has nothing of the old one.
func removeAndReturn(t *testing.T, b *bench) {
	_, err := b.Open(t.Context(), "alice", "a1")
	require.NoError(t, err)
	fill(t, b.Engine, "a1", 5)
	require.NoError(t, b.Save(t.Context(), "a1", []byte("snapshot")))
	for range 2 {
		require.NoError(t, b.Remove(t.Context(), "alice"), "also when there is nothing more to remove")
	}
	assert.Empty(t, read(t, b.Engine, "a1", 1))
	_, err = b.Load(t.Context(), "a1")
	require.ErrorIs(t, err, journal.ErrNoSnapshot)
	require.ErrorIs(t, b.Append(t.Context(), "a1", frame(6, 6, "late")), journal.ErrConflict, "it does not come back")
	assert.Empty(t, users(t, b.Engine))
	session, err := b.Open(t.Context(), "alice", "a2")
	require.NoError(t, err)
	assert.Equal(t, "a2", session)
}

// removeOne removes the user in the middle. The frames of the others may lie right beside those that go.
func removeOne(t *testing.T, b *bench) {
	for _, name := range []string{"alice", "bob", "carol"} {
		_, err := b.Open(t.Context(), name, "of "+name)
		require.NoError(t, err)
		fill(t, b.Engine, "of "+name, 4)
	}
	require.NoError(t, b.Remove(t.Context(), "bob"))
	assert.Equal(t, map[string]string{"alice": "of alice", "carol": "of carol"}, users(t, b.Engine))
	assert.Len(t, read(t, b.Engine, "of alice", 1), 4)
	assert.Len(t, read(t, b.Engine, "of carol", 1), 4)
}

// snapshots replaces a snapshot by shorter and longer ones, beside one of another session.
func snapshots(t *testing.T, b *bench) {
	fill(t, b.Engine, "s", 3)
	for _, data := range [][]byte{{1, 0, 2}, []byte("second"), bytes.Repeat([]byte{7, 0, 255}, 1_000_000)} {
		require.NoError(t, b.Save(t.Context(), "s", data))
		require.NoError(t, b.Save(t.Context(), "other", []byte("other's")))
		got, err := b.Load(t.Context(), "s")
		require.NoError(t, err)
		assert.True(t, bytes.Equal(data, got))
	}
	assert.Len(t, read(t, b.Engine, "s", 1), 3, "frames are where they were")
}

// noSnapshot asks for snapshots that were never there or were removed. A session need not have frames, nor a user,
// to have a snapshot.
func noSnapshot(t *testing.T, b *bench) {
	fill(t, b.Engine, "s", 1)
	for _, session := range []string{"s", "nobody's"} {
		_, err := b.Load(t.Context(), session)
		require.ErrorIs(t, err, journal.ErrNoSnapshot)
		require.NoError(t, b.Save(t.Context(), session, nil), "removing what is not there")
		require.NoError(t, b.Save(t.Context(), session, []byte("now there is one")))
		require.NoError(t, b.Save(t.Context(), session, []byte{}))
		_, err = b.Load(t.Context(), session)
		require.ErrorIs(t, err, journal.ErrNoSnapshot)
	}
}
