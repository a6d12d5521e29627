package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"candor/session/journal"
)

// Bounds of a batch of frames that are read at once.
const (
	batchFrames = 256
	batchBytes  = 1 << 20
)

// Append keeps f behind the last frame of a session.
func (e *engine) Append(ctx context.Context, session string, f journal.Frame) error {
	if err := checkFrame(session, f); err != nil {
		return err
	}
	sum := frameSum(session, f)
	return e.writer.submitSized(ctx, pageSize+len(f.Data), &change{frees: journal.MayUseHeldBack(ctx),
		do: func(g *group) error { return g.append(session, f, sum) }})
}

// checkFrame refuses what no journal sends.
func checkFrame(session string, f journal.Frame) error {
	if session == "" || f.First == 0 || f.Last < f.First || f.Last > maxNumber {
		return fmt.Errorf("a frame of session %q cannot have the events %d to %d", session, f.First, f.Last)
	}
	return nil
}

// frameSum returns the checksum of a frame's row.
func frameSum(session string, f journal.Frame) int64 {
	return checksum(rowFrame, []int64{int64(f.First), int64(f.Last)}, []byte(session), f.Data)
}

// append keeps a frame if it follows the session's last.
func (g *group) append(session string, f journal.Frame, sum int64) error {
	r, ok, err := g.session(session)
	switch {
	case err != nil:
		return err
	case f.First != r.head+1:
		return fmt.Errorf("%w: the session ends with event %d", journal.ErrConflict, r.head)
	case !ok:
		if r, err = g.open(session, nil); err != nil {
			return err
		}
	}
	_, err = g.w.sql.insertFrame.ExecContext(background(), frameID(r.id, f.Last), f.First, blob(f.Data), sum)
	r.head, r.tail = f.Last, sum
	g.written += pageSize + len(f.Data)
	g.rows[session] = r
	return err
}

// blob returns data as SQLite needs it, which takes nil for NULL.
func blob(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// Read yields the frames of a session in order.
func (e *engine) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		c := cursor{engine: e, session: session, next: max(from, 1), frames: int(min(batchFrames, journal.Wanted(ctx)))}
		for !c.ended {
			e.giveWay(ctx)
			frames, err := c.batch(ctx)
			for _, f := range frames {
				if !yield(f, nil) {
					return
				}
			}
			if err != nil {
				yield(journal.Frame{}, err)
				return
			}
		}
	}
}

// cursor is a reader's place in the log of a session.
type cursor struct {
	engine  *engine
	session string
	id      int64  // of the session; 0 before the first batch
	end     uint64 // number of the last event that was there at the first batch
	next    uint64 // number of an event of the frame to read next
	began   bool   // a frame was read
	frames  int    // in the next batch, at most
	ended   bool
}

// batch reads some frames, and sets ended if they were the last. All of a batch comes from one state of the database.
// Between batches nothing is held, so that a reader may take as long as it likes, and may append or erase itself.
func (c *cursor) batch(ctx context.Context) (frames []journal.Frame, err error) {
	if err := errors.Join(ctx.Err(), c.engine.findings.of(c.session)); err != nil {
		return nil, err
	}
	c.engine.erasing.RLock()
	defer c.engine.erasing.RUnlock()
	// A statement that is interrupted costs its connection, and a batch is short.
	tx, err := c.engine.reads.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, c.failed(err)
	}
	defer tx.Rollback()
	if err := c.find(tx); err != nil || c.ended {
		return nil, c.failed(err)
	}
	frames, err = c.scan(tx)
	return frames, c.failed(err)
}

// find looks up the session, and sets ended if there is nothing to read.
func (c *cursor) find(tx *sql.Tx) error {
	r, ok, err := scanSession(tx.QueryRow("SELECT id, owner, head, tail, sum FROM sessions WHERE name = ?",
		[]byte(c.session)), c.session)
	switch {
	case err != nil:
		return err
	case c.id == 0 && (!ok || r.head < c.next):
		c.ended = true
	case c.id == 0:
		c.id, c.end = r.id, r.head
	case !ok || c.id != r.id:
		return fmt.Errorf("%w: the session was removed while it was read", journal.ErrConflict)
	}
	return nil
}

// scan reads the frames of a batch.
func (c *cursor) scan(tx *sql.Tx) (frames []journal.Frame, err error) {
	rows, err := tx.Query("SELECT id, first, data, sum FROM frames WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
		frameID(c.id, c.next), frameID(c.id, maxNumber), c.frames)
	c.frames = batchFrames
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for size := 0; size < batchBytes && c.next <= c.end && rows.Next(); {
		f, err := c.frame(rows)
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
		size += len(f.Data)
	}
	c.ended = c.next > c.end
	if err := rows.Err(); err != nil {
		return frames, err
	}
	if len(frames) == 0 {
		return nil, c.damage(c.next, c.end, "they are missing")
	}
	return frames, nil
}

// frame reads a frame and checks that it is as it was written and follows the one before it. The frames of a session
// have no gaps, as Replace keeps the numbers, so a gap is damage. A frame that begins before the event that is
// due, behind others that were read, has come in the place of several since the last batch.
func (c *cursor) frame(rows *sql.Rows) (f journal.Frame, err error) {
	var id, sum int64
	if err := rows.Scan(&id, &f.First, &f.Data, &sum); err != nil {
		return f, err
	}
	f.Last = uint64(id & maxNumber)
	switch {
	case sum != frameSum(c.session, f):
		return f, c.damage(c.next, f.Last, "their row was altered")
	case f.First > c.next:
		return f, c.damage(c.next, f.First-1, "they are missing")
	case f.First < c.next && c.began:
		return f, fmt.Errorf("%w: frames were replaced while they were read", journal.ErrConflict)
	}
	c.next, c.began = f.Last+1, true
	return f, nil
}

// damage returns an error that names the cursor's session.
func (c *cursor) damage(first, last uint64, reason string) error {
	return &journal.Damage{Session: c.session, First: first, Last: last, Reason: reason}
}

// failed returns an error of a read in the words of package journal.
func (c *cursor) failed(err error) error {
	if err != nil && isCorrupt(err) {
		return c.damage(c.next, c.end, "SQLite cannot read the page of it")
	}
	return c.engine.failed(err)
}
