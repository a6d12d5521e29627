package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// leases keeps each lease as the last message of a subject, which NATS drops when its time is over.
// A message without a holder is that of a lease that was released, or dropped.
type leases struct{ s *store }

// leaseConfig is the stream of leases.
func (n names) leaseConfig(c js.StreamConfig) js.StreamConfig {
	c.Name, c.Subjects, c.Description = n.leaseStream(), []string{n.leaseSubject("*")}, "Candor: leases"
	c.MaxMsgsPerSubject, c.AllowMsgTTL, c.AllowRollup = 1, true, true
	c.Discard, c.SubjectDeleteMarkerTTL = js.DiscardOld, time.Minute
	return c
}

// leaseSubject is the subject of a lease, whose key is a token here.
func (n names) leaseSubject(token string) string { return n.prefix + ".lease." + token }

// lease is a lease that this process took.
type lease struct {
	s       *store
	subject string
	ttl     time.Duration
	holder  []byte
	fence   uint64

	mu  sync.Mutex
	seq uint64 // of the message that holds it
}

// Acquire writes a message that is taken only if nobody holds the lease.
func (e leases) Acquire(ctx context.Context, key string, ttl time.Duration) (journal.Lease, error) {
	if ttl < time.Second {
		return nil, errors.New("a lease has to last a second at least")
	}
	id := uuid.New()
	l := &lease{s: e.s, subject: e.s.names.leaseSubject(tokenOf(key)), ttl: ttl, holder: id[:]}
	for range attempts(ctx) {
		now, err := l.now(ctx)
		if err != nil {
			return nil, err
		}
		if len(now.data) > 0 && !bytes.Equal(now.data, l.holder) {
			return nil, journal.ErrHeld
		}
		if l.seq, err = l.write(ctx, l.holder, l.ttl, now.seq); err == nil {
			l.fence = l.seq
			return l, nil
		}
		if !errors.Is(err, journal.ErrConflict) && !errors.Is(err, journal.ErrUnknown) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: the lease could not be taken", journal.ErrUnavailable)
}

// now returns the message of the lease, or a zero one.
func (l *lease) now(ctx context.Context) (message, error) {
	m, err := l.s.get(ctx, l.s.names.leaseStream(), question{LastFor: l.subject})
	if errors.Is(err, errNone) {
		return message{}, nil
	}
	return m, err
}

// write puts a message in the place of the one before.
func (l *lease) write(ctx context.Context, b []byte, ttl time.Duration, before uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.s.timeout)
	defer cancel()
	ack, err := l.s.js.PublishMsg(ctx, &nats.Msg{Subject: l.subject, Data: b},
		js.WithExpectStream(l.s.names.leaseStream()), js.WithExpectLastSequencePerSubject(before), js.WithMsgTTL(ttl))
	if err != nil {
		return 0, sendError(err)
	}
	return ack.Sequence, nil
}

// Fence returns the number that the stream gave to the lease.
func (l *lease) Fence() uint64 { return l.fence }

// Renew writes the message anew. If it cannot tell whether that was done, the next Renew will.
func (l *lease) Renew(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Each message has a time of its own: a plain update of a NATS key-value bucket has none and would hold
	// the lease for ever.
	seq, err := l.write(ctx, l.holder, l.ttl, l.seq)
	if errors.Is(err, journal.ErrConflict) {
		// It may have been this process that wrote, in a Renew that could not tell.
		now, asked := l.now(ctx)
		if asked != nil {
			return asked
		}
		if !bytes.Equal(now.data, l.holder) {
			return journal.ErrLost
		}
		seq, err = l.write(ctx, l.holder, l.ttl, now.seq)
	}
	if err == nil {
		l.seq = seq
	}
	return err
}

// Release writes a message without a holder.
func (l *lease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := l.now(ctx)
	if err != nil || !bytes.Equal(now.data, l.holder) {
		return err
	}
	if _, err = l.write(ctx, nil, time.Second, now.seq); errors.Is(err, journal.ErrConflict) {
		return nil
	}
	return err
}

// Freed follows the messages that have no holder.
func (e leases) Freed(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		p := newPending()
		prefix := e.s.names.leaseSubject("")
		stop, err := e.s.follow(ctx, e.s.names.leaseStream(), p, func(m js.Msg) {
			if key, ok := untoken(strings.TrimPrefix(m.Subject(), prefix)); ok && m.Headers().Get(sizeHeader) == "0" {
				p.add(key)
			}
		})
		if err != nil {
			yield("", err)
			return
		}
		defer stop()
		defer e.s.bell.forget(e.s.bell.add(p))
		// What was freed before now is for the caller to find by trying to acquire it.
		p.everything()
		for key, err := range e.s.each(ctx, p) {
			if !yield(key, err) {
				return
			}
		}
	}
}

// sizeHeader says how large a message is of which a consumer gets the headers only.
const sizeHeader = "Nats-Msg-Size"
