package jetstream

import (
	"context"
	"iter"
	"time"

	"candor/session/pause"
)

// The pauses between attempts, which double, and how many attempts there are: they take 3 to 4 seconds in all.
const (
	firstPause   = 2 * time.Millisecond
	longestPause = 500 * time.Millisecond
	maxAttempts  = 14
)

// attempts yields once for each attempt at a message that has to be the first behind another, until ctx
// ends or there were enough. It pauses between them.
//
// A server refuses such a message not only when it has one in that place. While the message of somebody else is
// on its way to the other servers, the one that leads refuses all others in its place, and still answers
// questions as if there were none. So whoever asks and tries again at once may be refused many times.
func attempts(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		next := firstPause
		for i := range maxAttempts {
			if !yield(i) || i == maxAttempts-1 {
				return
			}
			if pause.For(ctx, next) != nil {
				return
			}
			next = min(2*next, longestPause)
		}
	}
}
