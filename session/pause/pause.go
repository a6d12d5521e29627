// Package pause waits: for a time, or between attempts, each time longer.
package pause

import (
	"context"
	"math/rand/v2"
	"time"
)

// For waits for a time. It returns ctx's error, at once, if ctx ends first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Backoff is the pause between attempts. It doubles from First up to Longest. Half of each pause is random, so that
// clients that lost their server together do not return to it together.
type Backoff struct{ First, Longest time.Duration }

// After returns how long to wait after a number of failed attempts, from 0.
func (b Backoff) After(attempt int) time.Duration {
	due := b.Longest
	if doubled := min(attempt, 30); b.First < b.Longest>>doubled {
		due = b.First << doubled
	}
	return due/2 + rand.N(due/2+1)
}
