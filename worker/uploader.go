package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"candor/session/pause"
)

// Bounds of one post, which are below the server's, and of the posts held in memory.
const (
	maxPostBytes = 768 << 10
	maxHeld      = 1000
	maxHeldBytes = 8 << 20
)

// warnAfter is the attempt after which a server that does not answer is logged.
const warnAfter = 3

// sender posts encoded events; a Client is one.
type sender interface {
	post(ctx context.Context, events []json.RawMessage) ([]uint64, error)
}

// uploader posts events in the order in which they are added. add never waits for the
// network: the goroutine that start begins does the posting, and Close waits for it.
type uploader struct {
	to      sender
	run     int // the job's run; part of the events' ids
	backoff pause.Backoff
	log     *slog.Logger
	onStop  func(error) // called at most once, with the error that stopped the uploader

	mu     sync.Mutex // guards the fields below
	queue  queue
	last   int // number of the event added last
	closed bool
	err    error // why no more events are accepted
	lost   int   // events that were added and will not be posted

	wake chan struct{} // holds one token while there may be something to do
	done chan struct{} // closed when the goroutine has ended
	stop context.CancelFunc
}

// errClosed is returned by add after Close.
var errClosed = errors.New("the uploader is closed")

// start begins to post. The caller has to call Close.
func (u *uploader) start() {
	ctx, stop := context.WithCancel(context.Background())
	u.wake, u.done, u.stop = make(chan struct{}, 1), make(chan struct{}), stop
	go func() {
		defer close(u.done)
		u.upload(ctx)
	}()
}

// add numbers an event and queues it. If add fails, the number is not used, so that the
// numbers have no gap.
func (u *uploader) add(e Event) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.err != nil:
		return u.err
	case u.closed:
		return errClosed
	}
	e.ID = fmt.Sprintf("r%d-%d", u.run, u.last+1)
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("an event of kind %s cannot be encoded: %T", e.Kind, err)
	}
	spilling, err := u.queue.put(raw)
	if err != nil {
		return err
	}
	u.last++
	if spilling {
		folder := filepath.Dir(u.queue.file.Name())
		u.log.Warn("memory for waiting events is full; further ones wait in a file", "folder", folder)
	}
	u.signal()
	return nil
}

// signal wakes the goroutine, now or when it next looks.
func (u *uploader) signal() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// upload posts the queued events until the uploader is closed and empty, ctx ends, or a
// post fails for good.
func (u *uploader) upload(ctx context.Context) {
	for {
		batch, closed := u.next()
		switch {
		case len(batch) > 0:
			if err := u.deliver(ctx, batch); err != nil {
				u.fail(err, len(batch))
				return
			}
		case closed:
			return
		default:
			select {
			case <-u.wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

// next takes the next batch from the queue: all that was added while the last post was
// on its way, as far as it fits. It also reports whether the uploader is closed.
func (u *uploader) next() (batch []json.RawMessage, closed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	batch, lost, err := u.queue.take(MaxPost, maxPostBytes)
	if err != nil {
		u.lost += lost
		u.log.Error("waiting events are lost", "count", lost, "error", err)
	}
	return batch, u.closed
}

// deliver posts a batch. If the server refuses its content, the events are posted one
// by one, and one that is refused by itself is replaced by a note under its number.
func (u *uploader) deliver(ctx context.Context, batch []json.RawMessage) error {
	err := u.postUntilFinal(ctx, batch)
	if err == nil || !isRefusal(err) {
		return err
	}
	if len(batch) > 1 {
		for _, e := range batch {
			if err := u.deliver(ctx, []json.RawMessage{e}); err != nil {
				return err
			}
		}
		return nil
	}
	u.log.Error("the server refuses an event", "error", err)
	u.mu.Lock()
	u.lost++
	u.mu.Unlock()
	note, err := refusalNote(batch[0], err)
	if err != nil {
		return err
	}
	return u.postUntilFinal(ctx, []json.RawMessage{note})
}

// refusalNote returns an event that replaces a refused one and says why it is missing.
func refusalNote(raw json.RawMessage, reason error) (json.RawMessage, error) {
	var e Event
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("a queued event cannot be decoded: %T", err)
	}
	note := Status("refused", fmt.Sprintf("The server refused an event of kind %s: %v.", e.Kind, reason))
	note.ID = e.ID
	return json.Marshal(note)
}

// postUntilFinal repeats a post until it succeeds or fails for good.
func (u *uploader) postUntilFinal(ctx context.Context, batch []json.RawMessage) error {
	for attempt := 0; ; attempt++ {
		_, err := u.to.post(ctx, batch)
		e, again := asTemporary(err)
		if !again {
			return err
		}
		if attempt == warnAfter {
			u.log.Warn("the server does not accept events; they wait", "error", err)
		}
		if err := waitAgain(ctx, u.backoff, attempt, e.RetryAfter); err != nil {
			return err
		}
	}
}

// fail stops the uploader. The batch that failed and everything queued are lost.
func (u *uploader) fail(err error, batch int) {
	u.mu.Lock()
	u.err = err
	u.lost += batch + u.queue.len()
	u.mu.Unlock()
	u.onStop(err)
}

// Close refuses further events, waits until the others are posted or ctx ends, and
// removes the spill file. Its error says why posting stopped and how many events were
// lost.
func (u *uploader) Close(ctx context.Context) error {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.signal()
	select {
	case <-u.done:
	case <-ctx.Done():
	}
	u.stop()
	<-u.done
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.lost += u.queue.len()
	}
	if err := u.queue.close(); err != nil {
		u.log.Warn("the spill file cannot be removed", "error", err)
	}
	if u.lost > 0 {
		return errors.Join(u.err, fmt.Errorf("%d events were not posted", u.lost))
	}
	return u.err
}

// defaultBackoff is the pause between attempts unless a test wants shorter ones.
var defaultBackoff = pause.Backoff{First: 200 * time.Millisecond, Longest: 30 * time.Second}

// waitAgain pauses after a failed attempt, which are counted from 0, for at least the time
// that the server asked for. It returns ctx's error if ctx ends first.
func waitAgain(ctx context.Context, b pause.Backoff, attempt int, atLeast time.Duration) error {
	return pause.For(ctx, max(cmp.Or(b, defaultBackoff).After(attempt), atLeast))
}

// withGrace returns a context that ends the given time after ctx has ended, for the
// requests that have to be made even then. The caller has to call release.
func withGrace(ctx context.Context, grace time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = pause.For(late, grace)
		cancel()
	})
	return late, func() { stop(); cancel() }
}
