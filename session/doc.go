// Package session keeps what agents did and why: a session is an append-only
// log of events, a turn is a fold of that log, and every view is a projection
// of the two.
//
// # Order
//
// A [Log] numbers its events 1, 2, 3, … without a gap and dates them so that no
// two carry the same time. Every reader sees the same events in the same order.
//
// # Loss
//
// A log drops nothing while its session lives. [Log.Follow] first yields what is
// past and then what is new, by the same code, so a reader that reconnects with
// the last number it saw misses nothing and sees nothing twice.
//
// # Blocking
//
// Appending never waits for a reader. A reader holds no lock while it works, so a
// slow one delays nobody; it only falls behind.
//
// # Lifetime
//
// A session lives in memory until it has been idle for long enough, and is then
// evicted whole. A session with a running turn or a reader is never idle. Turn
// numbers start at 1 in each thread and are never used again for another turn.
//
// Everything in this package that came from a model, a tool, a worker or a user
// is a [safety.Text] or a [safety.JSON]: it cannot hold raw text. The package
// starts no goroutine.
package session
