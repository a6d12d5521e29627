package sessiontest

import (
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// concurrentWriters: events of concurrent writers are numbered without gaps and each
// is later than the one before, even though the bubble's clock stands still. Writers
// and snapshots do not block one another.
func concurrentWriters(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for range writers {
		ref := beginTurn(t, s, openThread(t, s))
		wg.Go(func() {
			for step := range each {
				_, err := s.Append(ref, session.Narrated{Step: step + 1, Text: hello})
				assert.NoError(t, err)
				_, err = s.Turn(ref.Thread, ref.Turn)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, uint64(writers*(2+each)), s.Head())
	want, last := uint64(1), time.Time{}
	for e := range upToHead(t, s, 0) {
		require.Equal(t, want, e.Seq)
		require.True(t, e.At.After(last), "event %d is not later than the one before", e.Seq)
		want, last = want+1, e.At
	}
	assert.Equal(t, s.Head()+1, want)
}

// resumedReader: a reader that stops after any event and returns with its number
// receives exactly the events after it.
func resumedReader(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	ref := beginTurn(t, s, openThread(t, s))
	_, err := s.Append(ref, session.Narrated{Step: 1, Text: hello})
	require.NoError(t, err)
	endTurn(t, s, ref)
	// Stopping after 0 is a reader that starts late, stopping after the head one that
	// missed nothing.
	for stop := range s.Head() + 1 {
		var seen []uint64
		for e := range upToHead(t, s, 0) {
			if e.Seq > stop {
				break
			}
			seen = append(seen, e.Seq)
		}
		for e := range upToHead(t, s, stop) {
			seen = append(seen, e.Seq)
		}
		assert.Equal(t, []uint64{1, 2, 3, 4}, seen, "stopped after %d", stop)
	}
}

// stalledReader: a reader that does not return from its loop body delays neither
// writers nor other readers, and receives everything once it goes on.
func stalledReader(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	release, got := make(chan struct{}), 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for up, err := range s.Watch(t.Context(), 0) {
			assert.NoError(t, err)
			<-release
			if got++; up.Event.Seq == 21 {
				return
			}
		}
	})
	synctest.Wait() // the reader has the first event and holds it
	for range 10 {
		endTurn(t, s, beginTurn(t, s, id))
	}
	others := 0
	for range upToHead(t, s, 0) {
		others++
	}
	assert.Equal(t, 21, others)
	close(release)
	wg.Wait()
	assert.Equal(t, 21, got)
}

// upToHead yields the events after a number up to the head that the log has when the
// iteration begins. Unlike Watch it ends by itself, so a clause can range over it.
func upToHead(t *testing.T, s *session.Session, after uint64) iter.Seq[session.Event] {
	return func(yield func(session.Event) bool) {
		head := s.Head()
		if after == head {
			return
		}
		for up, err := range s.Watch(t.Context(), after) {
			require.NoError(t, err)
			if !yield(up.Event) || up.Event.Seq == head {
				return
			}
		}
	}
}
