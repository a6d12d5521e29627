package mew

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// The bounds of what waits for the gateway.
const (
	maxUnsettled      = 1024
	maxUnsettledBytes = 8 << 20
	maxOutgoing       = 256 << 10 // bytes of a message, which is what gateways take
	maxAttempts       = 5         // connections over which a message is sent
)

var (
	errNoGateway = errors.New("the gateway has not accepted earlier messages, and the queue is full")
	errTooLong   = errors.New("the message is longer than gateways accept")
)

// parcel is an encoded message, or a frame of a stream, on its way to the gateway.
type parcel struct {
	id, kind string // both empty for a frame
	raw      []byte
	sent     bool // over the current connection
	attempts int
}

// isFrame reports whether the parcel belongs to a stream. A lost frame does no harm.
func (p parcel) isFrame() bool { return p.id == "" }

// outbox keeps the messages until the gateway has settled them: it has broadcast them, which
// their sender sees as well, or refused them. A gateway takes the messages of a connection in
// order, so whatever was sent before a settled message is settled, too. After a lost connection
// all others are sent again, under the same ids. It is safe for concurrent use.
type outbox struct {
	mu      sync.Mutex
	waiting []parcel
	bytes   int
	held    bool          // only acknowledgements may leave
	up      bool          // there is a connection
	writing bool          // a parcel is being written to it
	fast    bool          // the gateway has refused a message because it came too fast
	wake    chan struct{} // receives a token when something may be sent, if there is room
	moved   chan struct{} // likewise when something was sent
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), moved: make(chan struct{}, 1)}
}

// signal puts a token into a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// add queues a parcel. Frames are dropped while they could not be sent at once.
func (o *outbox) add(p parcel) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.isFrame() && (!o.up || o.held) {
		return nil
	}
	if len(p.raw) > maxOutgoing {
		return errTooLong
	}
	if len(o.waiting) >= maxUnsettled || o.bytes+len(p.raw) > maxUnsettledBytes {
		return errNoGateway
	}
	o.waiting = append(o.waiting, p)
	o.bytes += len(p.raw)
	signal(o.wake)
	return nil
}

// next returns what to send next; ok is false if there is nothing. The parcel before counts as
// written from then on.
func (o *outbox) next() (p parcel, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := o.firstUnsent()
	if o.writing = i >= 0; !o.writing {
		return parcel{}, false
	}
	p = o.waiting[i]
	if p.isFrame() {
		o.remove(func(at int) bool { return at == i })
	} else {
		o.waiting[i].sent = true
		o.waiting[i].attempts++
	}
	return p, true
}

// firstUnsent returns the place of the parcel to be sent next, or -1. The caller holds mu.
func (o *outbox) firstUnsent() int {
	return slices.IndexFunc(o.waiting, func(p parcel) bool {
		return !p.sent && (!o.held || speaksInPause(p.kind))
	})
}

// speaksInPause reports whether a paused participant may send a kind: acknowledgements and
// cancellations, and answers to what keeps it under control.
func speaksInPause(kind string) bool {
	switch kind {
	case "chat/acknowledge", "chat/cancel", "reasoning/cancel", "mcp/withdraw", "mcp/reject":
		return true
	}
	return strings.HasPrefix(kind, "participant/") || strings.HasPrefix(kind, "capability/")
}

// remove drops the parcels at the places that gone selects. The caller holds mu.
func (o *outbox) remove(gone func(at int) bool) {
	kept := make([]parcel, 0, len(o.waiting))
	o.bytes = 0
	for i, p := range o.waiting {
		if !gone(i) {
			kept, o.bytes = append(kept, p), o.bytes+len(p.raw)
		}
	}
	o.waiting = kept
}

// settle forgets the message with this id and those that were sent before it.
func (o *outbox) settle(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := slices.IndexFunc(o.waiting, func(p parcel) bool { return p.id == id && p.sent })
	if id != "" && last >= 0 {
		o.remove(func(i int) bool { return i <= last && o.waiting[i].sent })
	}
}

// repeat makes a message wait again that the gateway refused because it came too fast.
func (o *outbox) repeat(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, p := range o.waiting {
		if p.id == id && id != "" {
			o.waiting[i].sent, o.fast = false, true
			signal(o.wake)
		}
	}
}

// isTooFast reports once whether the gateway has asked to slow down since the last call.
func (o *outbox) isTooFast() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	fast := o.fast
	o.fast = false
	return fast
}

// connected begins or ends a connection: what was not settled will be sent over the next one. A
// message that several connections did not settle may be what ends them, so it is dropped.
func (o *outbox) connected(up bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.up, o.writing = up, false
	for i := range o.waiting {
		o.waiting[i].sent = false
	}
	o.remove(func(i int) bool { return o.waiting[i].isFrame() || o.waiting[i].attempts >= maxAttempts })
	signal(o.wake)
}

// hold makes everything but acknowledgements wait, or lets it go.
func (o *outbox) hold(held bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = held
	signal(o.wake)
}

// drain waits until everything that may be sent has been written, or ctx ends.
func (o *outbox) drain(ctx context.Context) {
	for {
		o.mu.Lock()
		empty := o.firstUnsent() < 0 && !o.writing
		o.mu.Unlock()
		if empty {
			return
		}
		select {
		case <-o.moved:
		case <-ctx.Done():
			return
		}
	}
}
