package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"candor/session/journal"
)

// commands are requests on a subject that the process which serves a key listens to.
type commands struct{ s *store }

// The bounds of commands.
const (
	maxCommand   = 256 << 10 // bytes of a command or a reply
	maxAnswering = 64        // commands that a process answers at a time
	maxQueued    = 256       // commands of a key that wait for that
)

// What a reply begins with.
const (
	replyDone   = 'k'
	replyFailed = 'e'
)

// serving are the keys that a process serves.
type serving struct {
	slots chan struct{}
	once  sync.Once

	mu    sync.Mutex
	next  int
	stops map[int]func()
}

// Serve answers in goroutines of its own, maxAnswering at most. Others are told that it is busy.
func (e commands) Serve(key string, do journal.Handler) (stop func(), err error) {
	sv := &e.s.serving
	sv.once.Do(func() { sv.slots = make(chan struct{}, maxAnswering) })
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	// In a queue group one of several processes gets a command, should an old one still believe that it
	// serves the key.
	sub, err := e.s.nc.QueueSubscribe(e.s.names.command(key), "candor", func(m *nats.Msg) {
		select {
		case sv.slots <- struct{}{}:
			running.Go(func() {
				defer func() { <-sv.slots }()
				_ = m.Respond(respond(ctx, do, m.Data))
			})
		default:
			_ = m.Respond(failure(errors.New("the process that runs it is busy; try again")))
		}
	})
	if err == nil {
		err = errors.Join(sub.SetPendingLimits(maxQueued, maxQueued*maxCommand), e.s.flush())
	}
	if err != nil {
		cancel()
		return nil, askError(err)
	}
	return sv.keep(sync.OnceFunc(func() {
		_ = sub.Unsubscribe()
		_ = e.s.flush()
		cancel()
		running.Wait()
	})), nil
}

// flush waits until the server has all that was sent. A lost connection sends it when it is back.
func (c *client) flush() error {
	if !c.nc.IsConnected() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	return c.nc.FlushWithContext(ctx)
}

// keep remembers how to stop serving a key, and returns a function that does and forgets it.
func (sv *serving) keep(stop func()) func() {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if sv.stops == nil {
		sv.stops = map[int]func(){}
	}
	sv.next++
	id := sv.next
	sv.stops[id] = stop
	return func() {
		stop()
		sv.mu.Lock()
		defer sv.mu.Unlock()
		delete(sv.stops, id)
	}
}

// stopAll stops serving all keys.
func (sv *serving) stopAll() {
	sv.mu.Lock()
	// They are stopped without the lock, which each of them takes to forget itself.
	stops := sv.stops
	sv.stops = nil
	sv.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}

// respond returns the reply to a command.
func respond(ctx context.Context, do journal.Handler, payload []byte) []byte {
	if len(payload) > maxCommand {
		return failure(journal.ErrTooLarge)
	}
	reply, err := do(ctx, payload)
	if err != nil {
		return failure(err)
	}
	if len(reply) > maxCommand {
		return failure(journal.ErrTooLarge)
	}
	return append([]byte{replyDone}, reply...)
}

// failure returns the reply that has an error. It stands in the payload, since the text of an error may
// have line breaks, which would begin another header.
func failure(err error) []byte {
	text := err.Error()
	return append([]byte{replyFailed}, text[:min(len(text), maxCommand)]...)
}

// Send asks and waits for the reply, for the timeout of the store or until ctx ends.
func (e commands) Send(ctx context.Context, key string, payload []byte) ([]byte, error) {
	if len(payload) > maxCommand {
		return nil, fmt.Errorf("%w: it has %d bytes, and %d may be sent", journal.ErrTooLarge, len(payload), maxCommand)
	}
	ctx, cancel := context.WithTimeout(ctx, e.s.timeout)
	defer cancel()
	m, err := e.s.nc.RequestWithContext(ctx, e.s.names.command(key), payload)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, journal.ErrNobody
	case err != nil:
		return nil, sendError(err)
	case len(m.Data) == 0:
		return nil, fmt.Errorf("%w: the reply is empty", journal.ErrUnknown)
	case m.Data[0] == replyFailed:
		return nil, errors.New(string(m.Data[1:]))
	}
	return m.Data[1:], nil
}
