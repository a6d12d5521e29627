package web

import "context"

const (
	// liveLag is how many events a stream that has caught up once may be behind without counting
	// again.
	liveLag = 64
	// shareTurn is how many events a stream sends before others of its user may go first.
	shareTurn = 64
)

// streamShare makes a stream within its user's share of the processors while the stream is behind,
// since a client may open many streams of all that ever happened. A stream that has caught up,
// and one that waits for its client, does not count. All calls come from one goroutine.
type streamShare struct {
	enter func(ctx context.Context) (leave func(), err error)

	held  func() // gives back what was entered; nil while the stream does not count
	spent int    // events since then
	live  bool   // the stream has caught up
}

// spend is called for each event, before the work for it, with how many come after it. It fails
// if ctx ends before the stream may go on.
func (c *streamShare) spend(ctx context.Context, behind uint64) (err error) {
	switch {
	case behind == 0 || c.live && behind <= liveLag:
		c.live = true
		c.leave()
		return nil
	case c.held != nil && c.spent < shareTurn:
		c.spent++
		return nil
	}
	c.leave()
	c.live, c.spent = false, 0
	c.held, err = c.enter(ctx)
	return err
}

// leave lets others go first until the next event.
func (c *streamShare) leave() {
	if c.held != nil {
		c.held()
		c.held = nil
	}
}
