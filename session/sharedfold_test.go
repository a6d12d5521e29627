package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// appendAtRandom appends count events to the turns of two threads at random.
func appendAtRandom(t *testing.T, s *session.Session, threads []string, count int) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	open := map[string]session.Ref{}
	for i := range count {
		id := threads[random.IntN(len(threads))]
		ref, running := open[id]
		switch {
		case !running:
			open[id] = accept(t, s, id)
		case random.IntN(5) > 0:
			add(t, s, ref, toolCall(fmt.Sprintf("call_%d", i), 1+random.IntN(3)))
		default:
			add(t, s, ref, session.TurnCompleted{})
			delete(open, id)
		}
	}
}

// Readers that ask for every turn, for some and for none go on beside each other and beside the
// appends. What they get has to be what a reader gets that folds the whole log for itself.
func TestReadersThatShareAFoldSeeTheTurnsOfOneThatFoldsForItself(t *testing.T) {
	const before, count = 300, 600 // a reader of either is behind for a while
	s, one := newThread(t)
	e, err := s.OpenThread()
	require.NoError(t, err)
	appendAtRandom(t, s, []string{one, e.Thread}, before)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	appended := make(chan struct{})
	seen := make([]map[uint64]session.Turn, 8)
	var readers sync.WaitGroup
	for i := range seen {
		seen[i] = map[uint64]session.Turn{}
		readers.Go(func() {
			for up, err := range s.WatchLive(ctx, uint64(i%3)) {
				assert.NoError(t, err)
				if int(up.Event.Seq)%(i+1) == 0 {
					turn, err := up.Folded()
					assert.NoError(t, err)
					seen[i][up.Event.Seq] = turn
				}
				switch up.Event.Seq {
				case before + 2 + 50:
					if i%2 == 0 {
						<-appended // it falls behind
					}
				case before + count + 2:
					return
				}
			}
		})
	}
	two, err := s.OpenThread()
	require.NoError(t, err)
	appendAtRandom(t, s, []string{two.Thread}, count-1)
	close(appended)
	readers.Wait()
	for _, up := range updates(t, s, 0) {
		for i := range seen {
			if got, asked := seen[i][up.Event.Seq]; asked {
				require.Equal(t, up.Turn, got, "reader %d, event %d", i, up.Event.Seq)
			}
		}
	}
}
