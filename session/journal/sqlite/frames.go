package sqlite

import (
	"cmp"
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

// Read yields the frames of a session in order. Behind a *journal.Damage it goes on.
func (e *engine) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		c := cursor{engine: e, session: session, next: max(from, 1), frames: int(min(batchFrames, journal.Wanted(ctx)))}
		for !c.ended {
			e.giveWay(ctx)
			pieces, err := c.batch(ctx)
			for _, p := range pieces {
				if !yield(p.frame, p.err) {
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

// piece is a frame, or the damage in its place.
type piece struct {
	frame journal.Frame
	err   error
}

// cursor is a reader's place in the log of a session.
type cursor struct {
	engine  *engine
	session string
	known   *journal.Damage // from when the directory was opened; nil if there is none
	claim   ending          // of the witness, if there is known damage
	id      int64           // of the session; 0 before the first batch
	end     uint64          // number of the last event that was there at the first batch
	next    uint64          // number of an event of the frame to read next
	seek    int64           // the least id of the rows to look at next
	began   bool            // a frame was read
	frames  int             // in the next batch, at most
	ended   bool

	found  []byte  // of the altered row in the place of the next frame
	reason string  // why the next frame is not there; empty if it may be
	astray bool    // the tree of frames leads nowhere; places are where they were found without it
	places []place // in their order
	wrecks map[uint64][]byte
}

// batch reads some frames, and sets ended if they were the last. All of a batch comes from one state of the database.
// Between batches nothing is held, so that a reader may take as long as it likes, and may append or erase itself.
func (c *cursor) batch(ctx context.Context) (pieces []piece, err error) {
	if err := ctx.Err(); err != nil {
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
	if !c.astray {
		if pieces, err = c.scan(tx); err != nil && !isCorrupt(err) {
			return pieces, c.failed(err)
		}
		if err != nil {
			c.reason, err = "SQLite cannot read the page of it", c.stray(tx)
		}
	} else {
		pieces, err = c.follow(tx)
	}
	if c.next > c.end {
		c.ended = true
	}
	return pieces, c.failed(err)
}

// find looks up the session, and sets ended if there is nothing to read. A session whose row is gone is read from its
// frames, which name it in their checksums.
func (c *cursor) find(tx *sql.Tx) error {
	if c.astray && c.id == 0 {
		return nil
	}
	r, ok, err := scanSession(tx.QueryRow("SELECT id, owner, head, tail, sum FROM sessions WHERE name = ?",
		[]byte(c.session)), c.session)
	if c.id == 0 {
		c.known, c.claim = c.engine.findings.about(c.session)
	}
	if isCorrupt(err) || errors.Is(err, journal.ErrDamaged) || !ok && c.known != nil {
		if r, ok = c.engine.findings.rowOf(c.session); !ok {
			return c.findFrames(tx, err)
		}
		err = nil
	}
	switch {
	case err != nil:
		return err
	case c.id == 0:
		if c.known != nil {
			r.head = max(r.head, c.claim.last)
		}
		c.id, c.end, c.ended = r.id, r.head, !ok || r.head < c.next && c.known == nil
		c.seek = frameID(c.id, c.next)
	case !ok || c.id != r.id:
		return fmt.Errorf("%w: the session was removed while it was read", journal.ErrConflict)
	}
	return nil
}

// findFrames reads a session without a row.
func (c *cursor) findFrames(tx *sql.Tx, failed error) (err error) {
	if c.known == nil {
		c.known = &journal.Damage{Session: c.session, Reason: rowGone}
	}
	c.astray, c.end, c.reason = true, c.claim.last, "they are missing"
	if c.places, c.wrecks, err = framesOf(tx, c.session, 0, c.next); err != nil {
		return errors.Join(failed, err)
	}
	for _, p := range c.places {
		c.end = max(c.end, p.last)
	}
	return nil
}

// scan reads the frames of a batch.
func (c *cursor) scan(tx *sql.Tx) (pieces []piece, err error) {
	limit := c.frames
	c.frames = batchFrames
	rows, err := tx.Query("SELECT id, first, data, sum FROM frames WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
		c.seek, frameID(c.id, maxNumber), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	size, seen := 0, 0
	for size < batchBytes && c.next <= c.end && rows.Next() {
		var f journal.Frame
		var id, sum int64
		misread := rows.Scan(&id, &f.First, &f.Data, &sum) // the types of its columns were altered
		f.Last = uint64(id & maxNumber)
		disordered := id < c.seek
		seen, size, c.seek = seen+1, size+len(f.Data), id+1
		switch {
		case disordered:
			rows.Close()
			c.reason = "SQLite cannot read the page of it"
			return pieces, c.stray(tx)
		case misread != nil || c.altered(f, sum):
			c.found, c.reason = f.Data, "their row was altered"
			continue
		case f.First > c.next && c.reason == "":
			rows.Close()
			c.reason = "they are missing"
			return pieces, c.stray(tx)
		case f.First < c.next && c.began && c.reason == "":
			return pieces, fmt.Errorf("%w: frames were replaced while they were read", journal.ErrConflict)
		case f.First < c.next && c.began:
			continue
		}
		pieces = c.pass(pieces, f)
	}
	if err := rows.Err(); err != nil {
		return pieces, err
	}
	if c.next <= c.end && size < batchBytes && seen < limit { // there is no more
		rows.Close()
		c.reason = cmp.Or(c.reason, "they are missing")
		return pieces, c.stray(tx)
	}
	return pieces, nil
}

// altered reports whether a frame is not the one that was kept.
func (c *cursor) altered(f journal.Frame, sum int64) bool {
	other := c.known != nil && f.Last == c.claim.last && c.claim.tail != 0 && sum != c.claim.tail
	return other || sum != frameSum(c.session, f)
}

// pass adds a frame, and before it the damage between it and the one before. The frames of a session have no gaps, as
// Replace keeps the numbers. A frame that begins before the event that is due, behind others that were read, has come
// in the place of several since the last batch.
func (c *cursor) pass(pieces []piece, f journal.Frame) []piece {
	if f.First > c.next {
		pieces = append(pieces, c.lost(f.First-1))
	}
	c.next, c.began, c.reason, c.found = f.Last+1, true, "", nil
	return append(pieces, piece{frame: f})
}

// lost returns the damage from the next event to another.
func (c *cursor) lost(last uint64) piece {
	d := c.damage(c.next, last, cmp.Or(c.reason, "they are missing"))
	d.Found = c.found
	for at, wreck := range c.wrecks {
		if d.First <= at && at <= last {
			d.Found = append(d.Found, wreck...)
		}
	}
	return piece{err: d}
}

// stray looks for the frames that are left without the tree that should lead to them.
func (c *cursor) stray(tx *sql.Tx) (err error) {
	c.astray = true
	c.places, c.wrecks, err = framesOf(tx, c.session, c.id, c.next)
	return err
}

// follow reads the frames of a batch from where they were found.
func (c *cursor) follow(tx *sql.Tx) (pieces []piece, err error) {
	for size := 0; size < batchBytes && len(pieces) < batchFrames && c.next <= c.end; {
		if len(c.places) == 0 {
			pieces = append(pieces, c.lost(c.end))
			c.next = c.end + 1
			break
		}
		p := c.places[0]
		c.places = c.places[1:]
		if p.last < c.next || p.first < c.next && c.began || p.last > c.end {
			continue
		}
		_, f, sum, ok := frameIn(tx, c.session, pageOf(tx, p.page), p.at)
		if !ok || f.First != p.first || f.Last != p.last {
			return pieces, fmt.Errorf("%w: frames were moved while they were read", journal.ErrConflict)
		}
		if c.altered(f, sum) {
			c.found = f.Data
			continue
		}
		pieces = c.pass(pieces, f)
		size += len(f.Data)
	}
	return pieces, nil
}

// damage returns an error that names the cursor's session.
func (c *cursor) damage(first, last uint64, reason string) *journal.Damage {
	return &journal.Damage{Session: c.session, First: first, Last: last, Reason: reason}
}

// failed returns an error of a read in the words of package journal.
func (c *cursor) failed(err error) error {
	if err != nil && isCorrupt(err) {
		return c.damage(c.next, c.end, "SQLite cannot read the page of it")
	}
	return c.engine.failed(err)
}

// Replace puts each of the frames in the place of those within its numbers.
func (e *engine) Replace(ctx context.Context, session string, with []journal.Frame) error {
	for i, f := range with {
		if err := checkFrame(session, f); err != nil {
			return err
		}
		if i > 0 && f.First <= with[i-1].Last {
			return fmt.Errorf("the frames to put into session %s overlap at event %d", session, f.First)
		}
	}
	return e.writer.submit(ctx, true, func(g *group) error { return g.replace(session, with) })
}

// replace checks all frames before it writes the first, so that a refusal has changed nothing. What is replaced is
// overwritten by SQLite when its row is deleted; its copies elsewhere go when the log is moved.
func (g *group) replace(session string, with []journal.Frame) error {
	r, ok, err := g.session(session)
	if err != nil {
		return err
	}
	for _, f := range with {
		if !ok || f.Last > r.head {
			return fmt.Errorf("session %s has no events %d to %d to replace", session, f.First, f.Last)
		}
		if err := g.checkCovered(r, f); err != nil {
			return err
		}
	}
	for _, f := range with {
		sum := frameSum(session, f)
		if err := g.exec("DELETE FROM frames WHERE id BETWEEN ? AND ?",
			frameID(r.id, f.First), frameID(r.id, f.Last)); err != nil {
			return err
		}
		if _, err := g.w.sql.insertFrame.ExecContext(background(), frameID(r.id, f.Last), f.First, blob(f.Data),
			sum); err != nil {
			return err
		}
		if f.Last == r.head {
			r.tail = sum
			// Should we be killed before the witness has the new checksum, the old one must not accuse.
			g.before = append(g.before, witnessLine(lineDoubt, session, ending{})...)
		}
		g.rows[session] = r
	}
	return nil
}

// checkCovered holds that the frames within the numbers of f begin and end with it, so that none is cut and none of its
// numbers is left without a frame.
func (g *group) checkCovered(r row, f journal.Frame) error {
	var first, last sql.NullInt64
	found := g.w.conn.QueryRowContext(background(), "SELECT min(first), max(id) FROM frames WHERE id BETWEEN ? AND ?",
		frameID(r.id, f.First), frameID(r.id, f.Last))
	if err := found.Scan(&first, &last); err != nil {
		return err
	}
	if uint64(first.Int64) != f.First || last.Int64 != frameID(r.id, f.Last) {
		return fmt.Errorf("events %d to %d of session %s cut a frame", f.First, f.Last, r.name)
	}
	return nil
}
