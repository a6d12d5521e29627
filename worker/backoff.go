package worker

import (
	"cmp"
	"context"
	"time"

	"candor/session/pause"
)

// defaultBackoff is the pause between attempts unless a test wants shorter ones.
var defaultBackoff = pause.Backoff{First: 200 * time.Millisecond, Longest: 30 * time.Second}

// waitAgain pauses after a failed attempt, which are counted from 0, for at least the time
// that the server asked for. It returns ctx's error if ctx ends first.
func waitAgain(ctx context.Context, b pause.Backoff, attempt int, atLeast time.Duration) error {
	return pause.For(ctx, max(cmp.Or(b, defaultBackoff).After(attempt), atLeast))
}

// withGrace returns a context that ends the given time after ctx has ended, for the
// requests that have to be made even then. The caller has to call release.
func withGrace(ctx context.Context, grace time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = pause.For(late, grace)
		cancel()
	})
	return late, func() { stop(); cancel() }
}
