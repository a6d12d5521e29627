package wrapper

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/attach"
)

// errAway is what a server that is away looks like.
var errAway = errors.New("away")

// sink takes batches unless it has an error. It is used within a synctest bubble, one call at a time.
type sink struct {
	err     atomic.Pointer[error]
	tries   atomic.Int32
	batches []string
	said    []error
}

// fail has further batches fail; nil has them taken.
func (s *sink) fail(err error) { s.err.Store(&err) }

// record returns a recorder that sends to the sink.
func (s *sink) record() *Recorder {
	return Record(func(_ context.Context, batch []byte) error {
		s.tries.Add(1)
		if err := s.err.Load(); err != nil && *err != nil {
			return *err
		}
		s.batches = append(s.batches, string(batch))
		return nil
	}, func(err error) { s.said = append(s.said, err) })
}

// fact is one whose call has a name.
func fact(call string) []attach.Sighting {
	return []attach.Sighting{{Call: call, Returned: &attach.Returned{Error: strings.Repeat("x ", 30_000)}}}
}

// calls returns the names of the calls in batches.
func (s *sink) calls() (names []string) {
	for _, batch := range s.batches {
		for one := range strings.SplitSeq(strings.TrimSuffix(batch, "\n"), "\n") {
			_, after, _ := strings.Cut(one, `"call":"`)
			name, _, _ := strings.Cut(after, `"`)
			names = append(names, name)
		}
	}
	return names
}

func TestFactsAreSentInOrderAndInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sink
		r := s.record()
		for name := range strings.SplitSeq("a b c d", " ") {
			r.Add(fact(name))
		}
		r.Add(nil)
		synctest.Wait()
		assert.Equal(t, []string{"a", "b", "c", "d"}, s.calls(), "before the end")
		r.Add(fact("e"))
		assert.Zero(t, r.Close())
		assert.Equal(t, []string{"a", "b", "c", "d", "e"}, s.calls())
		for _, batch := range s.batches {
			assert.LessOrEqual(t, len(batch), maxBatch)
		}
	})
}

func TestFactsWaitForAServerThatIsAwayAndTheOldestAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sink
		s.fail(errAway)
		r := s.record()
		start := time.Now()
		for range 300 {
			r.Add(fact("old"))
		}
		r.Add(fact("new"))
		assert.Zero(t, time.Since(start), "nobody waited")
		assert.LessOrEqual(t, r.bytes, maxWaiting)
		dropped := r.lost
		assert.Greater(t, dropped, 100)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Less(t, s.tries.Load(), int32(130), "tried more and more seldom")
		assert.Equal(t, []error{errAway}, s.said, "once")
		s.fail(nil)
		time.Sleep(maxPause)
		synctest.Wait()
		calls := s.calls()
		assert.Len(t, calls, 301-dropped)
		assert.Equal(t, "new", calls[len(calls)-1])
		assert.Equal(t, dropped, r.Close())
	})
}

func TestWhatIsRefusedIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sink
		s.fail(Refused(errAway))
		r := s.record()
		r.Add(fact("a"))
		synctest.Wait()
		s.fail(nil)
		r.Add(fact("b"))
		synctest.Wait()
		assert.Equal(t, []string{"b"}, s.calls())
		assert.ErrorIs(t, s.said[0], errAway)
		assert.Equal(t, 1, r.Close())
	})
}

func TestTheEndWaitsForASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Record(func(ctx context.Context, _ []byte) error { <-ctx.Done(); return ctx.Err() }, func(error) {})
		r.Add(fact("a"))
		start := time.Now()
		assert.Equal(t, 1, r.Close())
		assert.Equal(t, endTime, time.Since(start))
		r.Add(fact("b"))
		assert.LessOrEqual(t, time.Since(start), endTime, "late facts wait for nobody")
	})
	synctest.Test(t, func(t *testing.T) {
		var s sink
		s.fail(errAway)
		r := s.record()
		r.Add(fact("a"))
		synctest.Wait()
		start := time.Now()
		assert.Equal(t, 1, r.Close())
		assert.Zero(t, time.Since(start), "one more try is enough")
		assert.Equal(t, int32(2), s.tries.Load())
	})
}

func TestADroppedFactThatArrivesIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken := make(chan struct{})
		r := Record(func(context.Context, []byte) error { <-taken; return nil }, func(error) {})
		r.Add(fact("a"))
		synctest.Wait()
		for range 200 {
			r.Add(fact("b"))
		}
		r.mu.Lock()
		dropped := r.lost
		r.mu.Unlock()
		close(taken)
		assert.Equal(t, dropped-1, r.Close(), "the one that was under way")
	})
}
