package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"candor/web/client"
)

// errInterrupted is the end of an import by a signal.
var errInterrupted = errors.New("interrupted; run it again: what is known changes nothing")

// importSender posts the batches of an import, and counts what became of their facts. It is not safe for concurrent
// use.
type importSender struct {
	client *client.Client // nil for a dry run, which posts nothing
	stderr io.Writer
	// With follow a server that is away is tried again at this interval; else it is an error.
	follow bool
	every  time.Duration

	// What the server said, and of how many facts it said that. It answers a batch as a whole, so that a batch whose
	// answer did not come was taken, or was not: nobody knows, and the next import finds out.
	taken    client.Attached
	answered int
	// Facts that were posted when the import ended, before the server answered.
	open int
}

// send posts a batch with n facts, and with follow waits for a server that is away. An error ends the import: what the
// server did not answer is not posted again, since an import that is run again posts it anyway.
func (p *importSender) send(ctx context.Context, batch []byte, n int) error {
	if p.client == nil {
		return nil
	}
	a, err := p.client.Attach(ctx, batch)
	if p.follow && isAway(err) {
		a, err = p.wait(ctx, batch)
	}
	switch {
	case err == nil:
		p.answered += n
	// The server may have read all of it.
	case ctx.Err() != nil && !errors.Is(err, errAway):
		p.open += n
	}
	p.taken.Taken += a.Taken
	p.taken.Known += a.Known
	return err
}

// errAway is the end of an import whose server was away.
var errAway = errors.New("the server is away")

// wait posts a batch until the server is back: who follows has time, so the batch waits here, and with it the reading.
func (p *importSender) wait(ctx context.Context, batch []byte) (a client.Attached, err error) {
	fmt.Fprintln(p.stderr, "The server is away; what is new waits for it.")
	for {
		select {
		case <-time.After(p.every):
		case <-ctx.Done():
			return a, errAway
		}
		if a, err = p.client.Attach(ctx, batch); !isAway(err) {
			break
		}
	}
	if err == nil {
		fmt.Fprintln(p.stderr, "The server is back.")
	}
	return a, err
}

// isAway reports whether an error is that of a server that does not answer.
func isAway(err error) bool {
	_, away := errors.AsType[*client.Unreachable](err)
	return away
}
