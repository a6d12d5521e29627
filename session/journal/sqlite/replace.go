package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"candor/session/journal"
)

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
