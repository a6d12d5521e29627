package worker

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// wait is the pause after a try that failed; tries count from 0. The server's wish
// is kept where it is longer. It ends early, with an error, when ctx does.
func (b backoff) wait(ctx context.Context, try int, wish time.Duration) error {
	first, most := cmp.Or(b.first, 200*time.Millisecond), cmp.Or(b.most, 30*time.Second)
	d := min(first<<min(try, 20), most)
	d = max(d/2+rand.N(d/2+1), wish)
	return pause(ctx, d)
}

// pause waits, or returns ctx's error when it ends first.
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

// graceAfter is a context that ends a while after ctx has, for what is still to be
// said then. Call release when done.
func graceAfter(ctx context.Context, grace time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = pause(late, grace)
		cancel()
	})
	return late, func() { stop(); cancel() }
}
