package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"
)

// Bounds of one post, under what a server takes, and of what waits in memory.
const (
	maxPostBytes = 768 << 10
	maxHeld      = 1000
	maxHeldBytes = 8 << 20
)

// sender is what the poster needs of a Client.
type sender interface {
	post(ctx context.Context, events []json.RawMessage) ([]uint64, error)
}

// poster sends events in the order in which it is given them, with one goroutine
// that run is. add never waits for the network. Whatever stops it for good goes to
// onStop, once.
type poster struct {
	to      sender
	run     int // the job's; part of the events' ids
	backoff backoff
	log     *slog.Logger
	onStop  func(error)

	mu     sync.Mutex
	queue  queue
	last   int // the number of the event added last
	closed bool
	err    error // why nothing more is taken
	lost   int   // events that were taken and will not be posted

	wake chan struct{} // holds one token: there is something to look at
	done chan struct{} // closed when the goroutine has ended
	stop context.CancelFunc
}

// errClosed is the end of a poster that was closed.
var errClosed = errors.New("the poster is closed")

// start begins to send. Close has to follow.
func (p *poster) start() {
	ctx, stop := context.WithCancel(context.Background())
	p.wake, p.done, p.stop = make(chan struct{}, 1), make(chan struct{}), stop
	go func() {
		defer close(p.done)
		p.send(ctx)
	}()
}

// add numbers an event and queues it. An event that it fails for has no number, so
// that the numbers stay without a gap.
func (p *poster) add(e Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
		return p.err
	case p.closed:
		return errClosed
	}
	e.ID = fmt.Sprintf("r%d-%d", p.run, p.last+1)
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("an event of kind %s cannot be encoded: %T", e.Kind, err)
	}
	spilling, err := p.queue.put(raw)
	if err != nil {
		return err
	}
	p.last++
	if spilling {
		p.log.Warn("events wait for the server in a file, since memory has no room for more", "folder", filepath.Dir(p.queue.file.Name()))
	}
	p.nudge()
	return nil
}

func (p *poster) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// send posts what there is until the poster is closed and empty, or cannot go on.
func (p *poster) send(ctx context.Context) {
	for {
		batch, closed := p.next()
		if len(batch) == 0 {
			if closed {
				return
			}
			select {
			case <-p.wake:
			case <-ctx.Done():
				return
			}
			continue
		}
		if err := p.deliver(ctx, batch); err != nil {
			p.fail(err, len(batch))
			return
		}
	}
}

// next takes what is to be posted now. What has gathered while the last post was
// under way makes the next batch.
func (p *poster) next() (batch []json.RawMessage, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	batch, lost, err := p.queue.take(MaxPost, maxPostBytes)
	if err != nil {
		p.lost += lost
		p.log.Error("events are lost", "count", lost, "error", err)
	}
	return batch, p.closed
}

// deliver posts a batch, again and again while waiting helps. A batch that the
// server refuses for what is in it goes event by event, and an event that is refused
// by itself is replaced by one that says so, under its number.
func (p *poster) deliver(ctx context.Context, batch []json.RawMessage) error {
	err := p.insist(ctx, batch)
	if err == nil || !refusal(err) {
		return err
	}
	if len(batch) > 1 {
		for _, e := range batch {
			if err := p.deliver(ctx, []json.RawMessage{e}); err != nil {
				return err
			}
		}
		return nil
	}
	p.log.Error("the server refuses an event", "error", err)
	p.mu.Lock()
	p.lost++
	p.mu.Unlock()
	note, err := refusedNote(batch[0], err)
	if err != nil {
		return err
	}
	return p.insist(ctx, []json.RawMessage{note})
}

// refusedNote stands in for an event that the server does not take.
func refusedNote(raw json.RawMessage, why error) (json.RawMessage, error) {
	var e Event
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("a queued event cannot be read: %T", err)
	}
	note := Status("refused", fmt.Sprintf("The server refused an event of kind %s: %v.", e.Kind, why))
	note.ID = e.ID
	return json.Marshal(note)
}

// insist posts until the answer is final.
func (p *poster) insist(ctx context.Context, batch []json.RawMessage) error {
	for try := 0; ; try++ {
		_, err := p.to.post(ctx, batch)
		e, again := temporary(err)
		if !again {
			return err
		}
		if try == 3 {
			p.log.Warn("the server does not take events; they wait", "error", err)
		}
		if err := p.backoff.wait(ctx, try, e.RetryAfter); err != nil {
			return err
		}
	}
}

// fail stops the poster; what it held is lost.
func (p *poster) fail(err error, inHand int) {
	p.mu.Lock()
	p.err = err
	p.lost += inHand + p.queue.len()
	p.mu.Unlock()
	p.onStop(err)
}

// Close takes no more events, waits until all are posted or ctx ends, and removes
// the file. It reports what kept events from being posted.
func (p *poster) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.nudge()
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	p.stop()
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.lost += p.queue.len()
	}
	if err := p.queue.close(); err != nil {
		p.log.Warn("spill file not removed", "error", err)
	}
	if p.lost > 0 {
		return errors.Join(p.err, fmt.Errorf("%d events were not posted", p.lost))
	}
	return p.err
}

// backoff is how long to wait between tries: half of it for certain, the other half
// by chance, so that workers that lost a server together do not return together.
type backoff struct{ first, most time.Duration }
