package worker

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// backoff is the pause between attempts. It doubles from first up to longest; 0 means
// 200 ms and 30 s. Half of each pause is random, so that workers that lost their server
// together do not return to it together.
type backoff struct{ first, longest time.Duration }

// wait pauses after a failed attempt, which are counted from 0, for at least the time
// that the server asked for. It returns ctx's error if ctx ends first.
func (b backoff) wait(ctx context.Context, attempt int, atLeast time.Duration) error {
	first, longest := cmp.Or(b.first, 200*time.Millisecond), cmp.Or(b.longest, 30*time.Second)
	d := min(first<<min(attempt, 20), longest)
	return pause(ctx, max(d/2+rand.N(d/2+1), atLeast))
}

// pause waits for d, or returns ctx's error if ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// withGrace returns a context that ends the given time after ctx has ended, for the
// requests that have to be made even then. The caller has to call release.
func withGrace(ctx context.Context, grace time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = pause(late, grace)
		cancel()
	})
	return late, func() { stop(); cancel() }
}
