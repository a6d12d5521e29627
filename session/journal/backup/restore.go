package backup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"candor/session/journal"
)

// ErrNotEmpty means that a storage into which a backup is to be restored has sessions.
var ErrNotEmpty = errors.New("there are sessions already; restore into a storage that has none")

// Contents is what a backup has beside the frames of its sessions.
type Contents struct {
	Report Report
	Items  []Item
	begins map[string]int64 // where each session begins; the last place counts
}

// Verify reads a backup from its first byte to its last and checks every record. It fails with a *Fault, ErrForeign
// or ErrNewer if it is not as it was written.
func Verify(ctx context.Context, r io.Reader) (Contents, error) {
	found := &places{at: map[string]int64{}}
	p, err := scan(ctx, r, found)
	return Contents{Report: p.report, Items: p.items, begins: found.at}, err
}

// places is the sink of Verify: it notes where the sessions of a backup begin.
type places struct {
	at  map[string]int64
	now string
}

// begin notes the place of a session in the stead of an earlier one.
func (p *places) begin(_ context.Context, at int64, e journal.Entry) error {
	p.now, p.at[e.Session] = e.Session, at
	return nil
}

// frame has nothing to note: the frame was checked before.
func (p *places) frame(ctx context.Context, _ journal.Frame) error { return ctx.Err() }

// end forgets a session that was left out.
func (p *places) end(_ context.Context, kept bool) error {
	if !kept {
		delete(p.at, p.now)
	}
	return nil
}

// Target is the engine into which a backup is restored.
type Target struct {
	journal.Engine
	// EntriesLast makes the sessions known to the engine's directory when all frames are there, so that nobody is
	// served a part of them. Not every engine takes frames before that.
	EntriesLast bool
}

// Restore checks a backup with Verify and then puts its sessions into an engine. It fails with ErrNotEmpty if that has
// sessions, and before it has changed anything if the backup cannot be used. What an engine that failed
// meanwhile has is for the caller to drop.
func Restore(ctx context.Context, r io.ReadSeeker, to Target) (Contents, error) {
	c, err := Verify(ctx, r)
	if err != nil {
		return c, err
	}
	for _, err := range to.Users(ctx) {
		if err == nil {
			err = ErrNotEmpty
		}
		return c, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return c, err
	}
	put := &putting{to: to, begins: c.begins}
	if _, err := scan(ctx, r, put); err != nil {
		return c, err
	}
	return c, put.enter(ctx)
}

// putting is the sink of Restore: it puts sessions into an engine. The file is checked once more on the way, since
// somebody may have changed it.
type putting struct {
	to      Target
	begins  map[string]int64 // as in Contents
	now     journal.Entry
	skips   bool            // the session stands in the file once more, or was left out
	waiting []journal.Entry // that the directory does not know yet
}

// begin decides whether the session that follows counts, and makes room for it.
func (p *putting) begin(ctx context.Context, at int64, e journal.Entry) error {
	found, ok := p.begins[e.Session]
	p.now, p.skips = e, !ok || found != at
	if p.skips {
		return nil
	}
	p.waiting = append(p.waiting, e)
	if p.to.EntriesLast {
		return nil
	}
	return p.enter(ctx)
}

// frame appends a frame as it stands in the file.
func (p *putting) frame(ctx context.Context, f journal.Frame) error {
	if p.skips {
		return nil
	}
	if err := p.to.Append(ctx, p.now.Session, f); err != nil {
		return fmt.Errorf("events %d to %d of session %s: %w", f.First, f.Last, p.now.Session, err)
	}
	return nil
}

// end has nothing to do: a session that was left out was skipped from its beginning on.
func (p *putting) end(context.Context, bool) error { return nil }

// enter makes the sessions known to the directory.
func (p *putting) enter(ctx context.Context) error {
	for _, e := range p.waiting {
		id, err := p.to.Open(ctx, e.User, e.Session)
		if err == nil && id != e.Session {
			err = fmt.Errorf("%w: somebody uses the storage", ErrNotEmpty)
		}
		if err != nil {
			return err
		}
	}
	p.waiting = nil
	return nil
}
