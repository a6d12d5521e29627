package sessiontest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// sameSession: Open returns one session for a user, however often it is called, and
// what is written through one reference is visible through the other.
func sameSession(t *testing.T, st session.Store) {
	a, b := openSession(t, st, "ann"), openSession(t, st, "ann")
	assert.Equal(t, a.ID(), b.ID())
	assert.Equal(t, "ann", a.User())
	_, err := b.Thread(openThread(t, a))
	assert.NoError(t, err)
}

// isolation: two users have two sessions, and a thread id of one is unknown to the
// other, with the same error as an id that never existed.
func isolation(t *testing.T, st session.Store) {
	a, b := openSession(t, st, "ann"), openSession(t, st, "bob")
	assert.NotEqual(t, a.ID(), b.ID())
	id := openThread(t, a)
	_, err := b.Thread(id)
	assert.ErrorIs(t, err, session.ErrNoThread)
	_, err = b.History(id, session.Page{})
	assert.ErrorIs(t, err, session.ErrNoThread)
	_, err = b.Turn(id, 1)
	assert.ErrorIs(t, err, session.ErrNoThread)
	_, err = b.Accept(id, hello, nil)
	assert.ErrorIs(t, err, session.ErrNoThread)
	_, err = b.Append(session.Ref{Thread: id, Turn: 1}, session.StepEnded{})
	assert.ErrorIs(t, err, session.ErrNoThread)
	assert.Empty(t, b.Threads())
}

// wholeOrAnewAfterEviction: a user who returns after an eviction gets either the session as it was,
// or one with another id, so that a cursor into the old log cannot be mistaken for one into the new
// log.
func wholeOrAnewAfterEviction(t *testing.T, st session.Store) {
	before := openSession(t, st, "ann")
	endTurn(t, before, beginTurn(t, before, openThread(t, before)))
	time.Sleep(time.Hour)
	assert.Equal(t, 1, evict(t, st))
	after := openSession(t, st, "ann")
	require.NotSame(t, before, after)
	if after.ID() != before.ID() {
		assert.Zero(t, after.Head())
		return
	}
	assert.Equal(t, before.Threads(), after.Threads())
	var was, is []session.Event
	for up, err := range before.Watch(t.Context(), 0) {
		if err == nil {
			was = append(was, up.Event)
		}
	}
	for e := range upToHead(t, after, 0) {
		is = append(is, e)
	}
	assert.Equal(t, was, is)
}
