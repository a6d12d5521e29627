package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"candor/web/client"
)

// errInterrupted is the end of an import by a signal.
var errInterrupted = errors.New("interrupted; run the import again: nothing is added twice")

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
	if isFull(err) {
		// What the turn has no room for shall not keep out what stands behind it, in this file and in others.
		return p.sendTurns(ctx, batch)
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

// sendTurns posts the turns of a batch one by one. What is not answered is said to be not taken.
func (p *importSender) sendTurns(ctx context.Context, batch []byte) error {
	runs := turnsIn(batch)
	if len(runs) == 1 {
		return nil
	}
	for _, one := range runs {
		if err := p.send(ctx, one, bytes.Count(one, []byte("\n"))); err != nil {
			return err
		}
	}
	return nil
}

// isFull reports whether an error says that a turn, or a session, has as many facts, or turns, as are kept of one.
func isFull(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Code == "too_many_sightings"
}

// turnsIn returns the parts of a batch whose lines are of one turn each, in their order.
func turnsIn(batch []byte) (runs [][]byte) {
	last := ""
	for line := range bytes.Lines(batch) {
		var of struct{ Session, Turn string }
		_ = json.Unmarshal(line, &of) // it was made here
		if turn := of.Session + "\x00" + of.Turn; len(runs) == 0 || turn != last {
			last = turn
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], line...)
	}
	return runs
}

// errAway is the end of an import whose server was away.
var errAway = errors.New("the server is not reachable")

// wait posts a batch until the server is back: who follows has time, so the batch waits here, and with it the reading.
func (p *importSender) wait(ctx context.Context, batch []byte) (a client.Attached, err error) {
	fmt.Fprintln(p.stderr, "The server is not reachable; new rows wait for it.")
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
