package session_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// snapshotOf returns the snapshot of a session in which something was done.
func snapshotOf(t testing.TB) []byte {
	f := newFakeEngine()
	store := session.NewDurable(f.engine(), nil, session.Limits{})
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	_, err = s.Accept(e.Thread, words(20), nil)
	require.NoError(t, err)
	_, err = s.OpenJob(session.JobOpened{Title: words(3)})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	return f.snapshots[s.ID()]
}

func TestASnapshotWithAnAlteredByteIsIgnored(t *testing.T) {
	data := snapshotOf(t)
	again, ok := session.DecodeSnapshot(data)
	require.True(t, ok)
	assert.Equal(t, data, again)
	r := rand.New(rand.NewPCG(4, 4))
	for at := range data {
		data[at] ^= byte(1 + r.IntN(255))
		_, ok := session.DecodeSnapshot(data)
		require.False(t, ok, "byte %d", at)
		copy(data, again)
	}
}

func FuzzSnapshotsOfStrangers(f *testing.F) {
	data := snapshotOf(f)
	f.Add(data[1 : len(data)-sha256.Size])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		first, ok := session.DecodeSnapshot(session.WithChecksum(content))
		if !ok {
			return
		}
		again, ok := session.DecodeSnapshot(first)
		require.True(t, ok)
		require.Equal(t, first, again)
	})
}
