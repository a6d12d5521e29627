package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"candor/session/journal"
)

// Save keeps data in the place of the session's snapshot. It erases what was there, which costs two syncs of the disk
// more than an append, so snapshots should be few.
func (e *engine) Save(ctx context.Context, session string, data []byte) error {
	if session == "" {
		return errors.New("a snapshot needs a session")
	}
	return e.writer.submit(ctx, true, func(g *group) error { return g.save(session, data) })
}

// save writes or deletes the row of a snapshot.
func (g *group) save(session string, data []byte) error {
	if len(data) == 0 {
		r, ok, err := g.session(session)
		if err != nil || !ok {
			return err
		}
		return g.exec("DELETE FROM snapshots WHERE id = ?", r.id)
	}
	r, err := g.open(session, nil)
	if err != nil {
		return err
	}
	return g.exec("INSERT OR REPLACE INTO snapshots (id, data, sum) VALUES (?, ?, ?)",
		r.id, data, snapshotSum(session, data))
}

// snapshotSum returns the checksum of a snapshot's row.
func snapshotSum(session string, data []byte) int64 {
	return checksum(rowSnapshot, nil, []byte(session), data)
}

// Load returns the session's snapshot. It fails with journal.ErrDamaged if the snapshot was altered. The snapshot of a
// session whose frames are damaged is given back: it may be all that is left.
func (e *engine) Load(ctx context.Context, session string) (data []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.erasing.RLock()
	defer e.erasing.RUnlock()
	var sum int64
	err = e.reads.QueryRowContext(context.WithoutCancel(ctx),
		"SELECT data, snapshots.sum FROM snapshots JOIN sessions USING (id) WHERE name = ?",
		[]byte(session)).Scan(&data, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, journal.ErrNoSnapshot
	case err != nil:
		return nil, e.failed(err)
	case sum != snapshotSum(session, data):
		return nil, fmt.Errorf("%w: the snapshot of session %s was altered", journal.ErrDamaged, session)
	}
	return data, nil
}
