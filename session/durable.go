package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"candor/session/journal"
)

// snapshotEvery is after how many events a session that is in use gets a new snapshot.
const snapshotEvery = 1 << 10

// Durable is a Store whose sessions are in an engine of package journal and outlive the process.
// Its memory is a cache: a session is read when it is opened, what has ended is unloaded when its
// budget is used up, and a session that is idle is forgotten until it is opened again, with
// the same id, numbers and times.
type Durable struct {
	engine journal.Engine
	writer uuid.UUID
	newID  func() uuid.UUID
	budget *budget
	memory *Memory                // of the sessions that are not kept
	apart  func(user string) bool // whose these are; nil means nobody's

	shared atomic.Bool                                              // other processes append, too
	others func(ctx context.Context, writer uuid.UUID) (alive bool) // nil while there are none

	loads context.Context // of all that read sessions; ends with Close
	stop  context.CancelFunc

	mu       sync.Mutex
	sessions map[string]*opening // by user
	said     map[string]string   // what loads found to be damaged, by session
	closed   bool
}

var _ Store = (*Durable)(nil)

// NewDurable returns a store whose sessions are in an engine, which the store closes. newID makes
// the ids of new sessions; nil means random ones. A turn that was running when the process before
// ended is interrupted when its session is opened.
func NewDurable(engine journal.Engine, newID func() uuid.UUID, l Limits) *Durable {
	memory := NewMemory(newID).Within(l)
	loads, stop := context.WithCancel(context.Background())
	return &Durable{
		engine: engine, writer: uuid.New(), newID: memory.newID, budget: memory.budget, memory: memory,
		loads: loads, stop: stop, sessions: map[string]*opening{}, said: map[string]string{},
	}
}

// Except makes the sessions of some users end with the process, before the first is opened, and
// returns the store.
func (d *Durable) Except(apart func(user string) bool) *Durable {
	d.apart = apart
	return d
}

// Held returns what all sessions in memory are charged together, in bytes.
func (d *Durable) Held() int { return d.budget.total() }

// Count returns how many sessions are in memory.
func (d *Durable) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.memory.Count() + len(d.sessions)
}

// Ready returns why the store takes nothing at present, nil if it does.
func (d *Durable) Ready() error {
	if err := d.memory.Ready(); err != nil {
		return err
	}
	return storageError(d.Status().Ready)
}

// Status returns what the engine says of itself.
func (d *Durable) Status() journal.Status {
	s := d.engine.Status()
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Warnings = slices.Concat(s.Warnings, slices.Sorted(maps.Values(d.said)))
	return s
}

// Open implements Store. It fails with ErrStorage if the engine cannot be read, and with ErrDamaged
// if it does not know the user's session any more. A session of which the engine lost or altered a part opens, read
// only, and its conversations that are whole can be read; see [Session.Harm].
func (d *Durable) Open(ctx context.Context, user string) (*Session, error) {
	if d.apart != nil && d.apart(user) {
		return d.memory.Open(ctx, user)
	}
	o, mine, err := d.slot(user)
	if err != nil {
		return nil, err
	}
	s, err := d.await(ctx, user, o, mine)
	if err != nil {
		return nil, err
	}
	if s != nil && s.touch() {
		if d.shared.Load() && !mine {
			err = s.CatchUp()
		}
		return s, err
	}
	select {
	case <-o.gone: // it was being evicted or removed
		return d.Open(ctx, user)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load reads a user's session. It does not depend on the request that needs it first, since others
// wait for it, too.
func (d *Durable) load(user string) (*Session, error) {
	ctx, cancel := context.WithTimeout(d.loads, loadTimeout)
	defer cancel()
	id, err := d.engine.Open(ctx, user, d.newID().String())
	if err != nil {
		return nil, storageError(err)
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return nil, fmt.Errorf("%w: the session of user %s has the id %q", ErrDamaged, user, id)
	}
	s := newSession(parsed, user, d.budget)
	s.log.journal = journal.Open(d.engine, id, d.writer)
	s.sizeOf = d.engine.Size
	if err := s.measure(ctx); err != nil {
		return nil, err
	}
	kept, err := loadSnapshot(ctx, d.engine, id, s.log.journal)
	if err == nil {
		err = s.load(ctx, kept)
	}
	if err == nil && s.Harm() == nil {
		s.snapshots = d.engine
		s.saved.Store(kept.Seq)
		err = s.seal(s.mend(ctx, d.others))
	}
	d.report(s)
	if err != nil {
		s.end()
		if d.loads.Err() != nil {
			err = ErrClosed
		}
		return nil, err
	}
	s.untouched()
	return s, nil
}

// loadTimeout bounds how long a session may take to be read.
const loadTimeout = 5 * time.Minute

// Evict implements Store. What it evicts is only forgotten: the next Open reads it again. It also
// saves snapshots of sessions that have grown since their last one.
func (d *Durable) Evict(ctx context.Context, idleSince time.Time) (n int, err error) {
	n, _ = d.memory.Evict(ctx, idleSince) // never fails
	for user, o := range d.opened() {
		s := o.session
		retired := s.retire(idleSince)
		if retired || s.Head() >= s.saved.Load()+snapshotEvery {
			err = errors.Join(err, s.Save(ctx))
		}
		if retired { // whoever opens it now does not read what is older than the snapshot
			d.release(user, o)
			n++
		}
	}
	return n, err
}

// opened yields the sessions in memory.
func (d *Durable) opened() iter.Seq2[string, *opening] {
	d.mu.Lock()
	all := make(map[string]*opening, len(d.sessions))
	for user, o := range d.sessions {
		select {
		case <-o.done:
			if o.session != nil && o.err == nil {
				all[user] = o
			}
		default:
		}
	}
	d.mu.Unlock()
	return func(yield func(string, *opening) bool) {
		for user, o := range all {
			if !yield(user, o) {
				return
			}
		}
	}
}

// Remove erases a user's session at once, in use or not: nothing of it is left in the engine. Its
// readers receive the events that are left and then stop; appending to it fails with ErrEvicted.
func (d *Durable) Remove(ctx context.Context, user string) error {
	if d.apart != nil && d.apart(user) {
		return d.memory.Remove(ctx, user)
	}
	empty, err := d.vacate(ctx, user)
	if err != nil {
		return err
	}
	defer d.release(user, empty)
	return storageError(d.engine.Remove(ctx, user))
}

// Close implements Store. It saves snapshots, closes the engine and returns its error. It may be
// called more than once.
func (d *Durable) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	d.stop()
	ctx, cancel := context.WithTimeout(context.Background(), storageTimeout)
	defer cancel()
	d.awaitLoads(ctx)
	err := d.memory.Close()
	for _, o := range d.opened() {
		o.session.log.end(ErrClosed)
		err = errors.Join(err, o.session.Save(ctx))
		o.session.closeIndex()
	}
	d.budget.indexing.Wait()
	return errors.Join(err, d.engine.Close())
}
