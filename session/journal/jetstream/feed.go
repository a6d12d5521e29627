package jetstream

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// feed follows all logs, with one consumer for each of their streams.
type feed struct{ s *store }

// Changes yields what the consumers tell. They resume behind the last message they gave, so that a
// lost connection loses none; that everything may have changed is said nevertheless.
func (f feed) Changes(ctx context.Context) iter.Seq2[journal.Change, error] {
	return func(yield func(journal.Change, error) bool) {
		p := newPending()
		defer f.s.bell.forget(f.s.bell.add(p))
		for shard := range f.s.options.Shards {
			prefix := f.s.names.logSubject(shard) + "."
			stop, err := f.s.follow(ctx, f.s.names.logStream(shard), p, func(m js.Msg) {
				if session, ok := untoken(strings.TrimPrefix(m.Subject(), prefix)); ok {
					p.add(session)
				}
			})
			if err != nil {
				yield(journal.Change{}, err)
				return
			}
			defer stop()
		}
		// From here on nothing is missed, so that a caller who reads now is up to date.
		p.everything()
		for session, err := range f.s.each(ctx, p) {
			if !yield(journal.Change{Session: session}, err) {
				return
			}
		}
	}
}

// follow calls tell for each message that comes to a stream from now on, until stop is called.
func (s *store) follow(ctx context.Context, stream string, p *pending, tell func(js.Msg)) (stop func(), err error) {
	st, err := s.js.Stream(ctx, stream)
	if err != nil {
		return nil, askError(err)
	}
	// The consumer begins at a number, not at "new messages": when the library makes it anew after an
	// error, before a first message came, it begins at the same place.
	consumer, err := st.OrderedConsumer(ctx, js.OrderedConsumerConfig{
		DeliverPolicy: js.DeliverByStartSequencePolicy, OptStartSeq: st.CachedInfo().State.LastSeq + 1,
		HeadersOnly: true, InactiveThreshold: 30 * time.Second,
	})
	if err != nil {
		return nil, askError(err)
	}
	running, err := consumer.Consume(tell, js.PullExpiry(10*time.Second), js.PullHeartbeat(2*time.Second),
		js.ConsumeErrHandler(func(js.ConsumeContext, error) { p.everything() }))
	if err != nil {
		return nil, askError(err)
	}
	return func() {
		running.Stop()
		<-running.Closed()
	}, nil
}

// each yields what is added to p, and "" for everything, until ctx ends or the store is closed.
func (s *store) each(ctx context.Context, p *pending) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-p.wake:
			}
			if s.nc.IsClosed() {
				yield("", journal.ErrClosed)
				return
			}
			for name := range p.take() {
				if !yield(name, nil) {
					return
				}
			}
		}
	}
}

// maxPending is how many names are kept for one who is slow; more of them are everything.
const maxPending = 4096

// pending are the names that one reader has not got yet.
type pending struct {
	wake chan struct{} // has a value if there are any

	mu   sync.Mutex
	told map[string]struct{} // "" for everything
}

// newPending returns one that has none yet.
func newPending() *pending {
	return &pending{wake: make(chan struct{}, 1), told: map[string]struct{}{}}
}

// add keeps a name until it is taken, or everything in the place of too many.
func (p *pending) add(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.told) >= maxPending {
		clear(p.told)
		name = ""
	}
	if _, everything := p.told[""]; !everything {
		p.told[name] = struct{}{}
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// everything stands for all names.
func (p *pending) everything() { p.add("") }

// take returns the names and forgets them.
func (p *pending) take() map[string]struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.told
	p.told = map[string]struct{}{}
	if _, everything := taken[""]; everything {
		return map[string]struct{}{"": {}}
	}
	return taken
}

// bell tells all readers that everything may have changed.
type bell struct {
	mu  sync.Mutex
	all map[*pending]struct{}
}

// add has ring tell p.
func (b *bell) add(p *pending) *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[*pending]struct{}{}
	}
	b.all[p] = struct{}{}
	return p
}

// forget undoes add.
func (b *bell) forget(p *pending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, p)
}

// ring tells all that were added.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for p := range b.all {
		p.everything()
	}
}
