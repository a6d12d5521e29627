package session

import (
	"context"
	"maps"
	"slices"
)

// This file has the places of a Durable store: each user has one while their session is in memory, is
// being read, or is being removed. Whoever finds a place taken waits for it, so that no two of
// these go on for one user.

// opening is the place of a session that is open, or being opened, evicted or removed.
type opening struct {
	done    chan struct{} // closed when session or err is set, or neither, while a user is removed
	gone    chan struct{} // closed when the place is empty again
	session *Session
	err     error
}

// await returns the session of a place, after it has read it if the caller has to.
func (d *Durable) await(ctx context.Context, user string, o *opening, mine bool) (*Session, error) {
	if mine {
		if o.session, o.err = d.load(user); o.err != nil {
			d.release(user, o)
		}
		close(o.done)
	}
	select {
	case <-o.done:
		return o.session, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// slot returns the place of a user's session, and whether the caller has to fill it.
func (d *Durable) slot(user string) (o *opening, mine bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, false, ErrClosed
	}
	if o, ok := d.sessions[user]; ok {
		return o, false, nil
	}
	o = &opening{done: make(chan struct{}), gone: make(chan struct{})}
	d.sessions[user] = o
	return o, true, nil
}

// release empties the place of a session, unless another has taken it.
func (d *Durable) release(user string, o *opening) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[user] == o {
		delete(d.sessions, user)
		close(o.gone)
	}
}

// vacate ends a user's session, if there is one, and returns a place in which nobody opens another
// until it is released.
func (d *Durable) vacate(ctx context.Context, user string) (*opening, error) {
	for {
		o, mine, err := d.slot(user)
		if err != nil {
			return nil, err
		}
		if mine {
			close(o.done)
			return o, nil
		}
		s, err := d.await(ctx, user, o, false)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			continue // it could not be opened, and its place is empty
		case s != nil:
			s.end()
			s.detach()
			d.release(user, o)
		}
		select {
		case <-o.gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// awaitLoads waits until no session is being read, or ctx ends. The store is closed.
func (d *Durable) awaitLoads(ctx context.Context) {
	d.mu.Lock()
	all := slices.Collect(maps.Values(d.sessions))
	d.mu.Unlock()
	for _, o := range all {
		select {
		case <-o.done:
		case <-ctx.Done():
		}
	}
}

// evicted reports whether the log has ended because its session was evicted or removed.
func (l *Log) evicted() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.ended == ErrEvicted
}
