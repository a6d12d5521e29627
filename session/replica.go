package session

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"candor/session/journal"
	"candor/session/pause"
)

// This file has what a store does when several processes share its engine. Each process holds a
// lease in the name of its writer. The turns that it began are its own: whoever reads their first
// events sees by which writer they were appended, and ends those whose writer has lost its lease.

const (
	// leaseTime is for how long a process that does not renew its lease counts as alive.
	leaseTime  = 3 * time.Second
	renewEvery = time.Second
	// ownerPrefix begins the keys of the leases.
	ownerPrefix = "process/"
)

// Share makes the store one of several on the same cluster. Call it before the first session is opened,
// which would take the turns of the others for lost. Until ctx ends the store reads what they append, and
// interrupts the turns of those that are gone; then it gives up its lease. wait waits for that.
func (d *Durable) Share(ctx context.Context, c journal.Cluster, log *slog.Logger) (wait func()) {
	own := ownerPrefix + d.writer.String()
	d.others = func(ctx context.Context, writer uuid.UUID) bool { return leaseHeld(ctx, c, writer) }
	d.shared.Store(true)
	wg := new(sync.WaitGroup)
	wg.Go(func() { holdLease(ctx, c, own, log) })
	wg.Go(func() { again(ctx, log, func() error { return d.followOthers(ctx, c) }) })
	wg.Go(func() { again(ctx, log, func() error { return d.replaceOthers(ctx, c) }) })
	wg.Go(func() { again(ctx, log, func() error { return d.replaceLost(ctx) }) })
	return wg.Wait
}

// again calls do until ctx ends, each time a second after it returned.
func again(ctx context.Context, log *slog.Logger, do func() error) {
	for ctx.Err() == nil {
		if err := do(); err != nil && ctx.Err() == nil {
			log.Warn("the cluster does not answer", "error", err)
		}
		_ = pause.For(ctx, renewEvery)
	}
}

// holdLease holds the lease of a key until ctx ends, and takes it anew when it was lost.
func holdLease(ctx context.Context, c journal.Leases, key string, log *slog.Logger) {
	for ctx.Err() == nil {
		lease, err := c.Acquire(ctx, key, leaseTime)
		for err == nil {
			_ = pause.For(ctx, renewEvery)
			if ctx.Err() != nil {
				released, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTime)
				defer cancel()
				_ = lease.Release(released) // or it ends by itself
				return
			}
			err = lease.Renew(ctx)
		}
		if ctx.Err() == nil {
			log.Warn("lease of this process not held", "error", err)
			_ = pause.For(ctx, renewEvery)
		}
	}
}

// leaseHeld reports whether the process of a writer holds its lease, or that cannot be known.
func leaseHeld(ctx context.Context, c journal.Leases, writer uuid.UUID) bool {
	lease, err := c.Acquire(ctx, ownerPrefix+writer.String(), renewEvery)
	if err != nil {
		return true
	}
	return lease.Release(ctx) != nil
}

// followOthers reads what the others append to the sessions in memory.
func (d *Durable) followOthers(ctx context.Context, c journal.Feed) error {
	for change, err := range c.Changes(ctx) {
		if err != nil {
			return err
		}
		for _, o := range d.opened() {
			if s := o.session; change.Session == "" || s.ID() == change.Session {
				err = errors.Join(err, s.CatchUp())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceOthers interrupts the turns of processes whose leases end.
func (d *Durable) replaceOthers(ctx context.Context, c journal.Leases) error {
	for key, err := range c.Freed(ctx) {
		if err != nil {
			return err
		}
		if key != "" && !strings.HasPrefix(key, ownerPrefix) {
			continue
		}
		if err := d.replaceLost(ctx); err != nil {
			return err
		}
	}
	return nil
}

// replaceLost interrupts the turns of processes that hold no lease. It is also called again and again,
// since a process may be taken for alive while the leases cannot be asked about.
func (d *Durable) replaceLost(ctx context.Context) (failed error) {
	for _, o := range d.opened() {
		failed = errors.Join(failed, o.session.interruptLost(ctx, d.others))
	}
	return failed
}

// interruptLost interrupts the open turns that another process began, unless it is alive.
func (s *Session) interruptLost(ctx context.Context, others func(context.Context, uuid.UUID) bool) error {
	if s.Harm() != nil {
		return nil // nothing can be added
	}
	failed := s.withdrawLost(others == nil, time.Now())
	asked := map[uuid.UUID]bool{}
	for ref, owner := range s.strangers() {
		lives, known := asked[owner]
		if !known {
			lives = others != nil && owner != s.log.journal.Writer() && others(ctx, owner)
			asked[owner] = lives
		}
		if !lives {
			failed = errors.Join(failed, s.interrupt(ref))
		}
	}
	return failed
}

// strangers returns the open turns that this process did not begin, as far as it knows, with the
// writers of their beginnings. That is its own if it was not told that the storage kept one.
func (s *Session) strangers() map[Ref]uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.claims, func(r Ref, _ uuid.UUID) bool {
		th := s.threads[r.Thread]
		return th == nil || r.Turn > th.total() || th.over(r.Turn)
	})
	return maps.Clone(s.claims)
}

// claim notes which process began a turn, by an event that it appended. The caller holds mu.
func (s *Session) claim(events []Event, writer uuid.UUID) {
	for _, e := range events {
		switch e.Body.(type) {
		case TurnQueued, TurnStarted:
			s.claims[e.turn()] = writer
		}
	}
}

// interrupt ends a turn whose process is gone, in one append, for which a full session has room, too.
// A turn that has ended meanwhile is left as it is.
func (s *Session) interrupt(ref Ref) error {
	t, err := s.Turn(ref.Thread, ref.Turn)
	if err != nil || t.State.Ended() {
		return err
	}
	last, err := s.log.between(t.LastSeq, t.LastSeq+1)
	if err != nil {
		return err
	}
	var heard time.Time
	for _, e := range last {
		heard = e.At
	}
	return s.charged(0, func() (used int, err error) {
		th, err := s.lookup(ref.Thread)
		if err != nil || th.over(ref.Turn) {
			return 0, err
		}
		before := s.charge()
		added, err := s.log.appendAll(th.turns[ref.Turn-1-th.cold].turn().interruption(heard))
		for _, e := range added {
			s.tell(s.fold(e))
		}
		return s.charge() - before, err
	})
}

// AwaitTurn waits until every earlier turn of a thread has ended, whoever runs it. It fails with
// ErrNoThread, or when ctx or the session's log has ended.
func (s *Session) AwaitTurn(ctx context.Context, ref Ref) error {
	for {
		head := s.Head()
		free, err := s.free(ref)
		if free || err != nil {
			return err
		}
		for _, err := range s.log.Follow(ctx, head) {
			if err != nil {
				return err
			}
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// free reports whether the turns before a turn have ended.
func (s *Session) free(ref Ref) (bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(ref.Thread)
	if err != nil {
		return false, err
	}
	before := th.turns[:max(0, ref.Turn-1-th.cold)]
	return !slices.ContainsFunc(before, func(f folding) bool { return !f.ended() }), nil
}
