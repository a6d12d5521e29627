package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"candor/session/journal"
)

// interval is how long Interval leaves an answered frame off the disk, and how long a writer that failed waits
// before it tries again.
const interval = time.Second

// condition is what the status says of the writer. A new one is stored for each change, since others read it.
type condition struct {
	unready error // of the last transaction; nil if it was kept
	failed  error // for good
	full    error // why only what frees room is taken; nil if everything is
	silent  error // why the witness lacks what was kept; nil if it has everything
}

// ready returns why the writer can keep nothing; nil if it can.
func (w *writer) ready() error {
	s := w.state.Load()
	switch {
	case w.closed():
		return journal.ErrClosed
	case s.failed != nil:
		return s.failed
	case s.full != nil:
		return s.full
	default:
		return s.unready
	}
}

// judge notes whether the last transaction was kept. A damaged page is no reason to be unready: it concerns the
// sessions that are on it.
func (w *writer) judge(err error) {
	s := *w.state.Load()
	s.unready = nil
	if errorCode(err) != 0 && !isCorrupt(err) {
		s.unready = translated(err)
	}
	w.state.Store(&s)
}

// say notes whether the witness was written. What was kept is kept without it.
func (w *writer) say(err error) {
	s := *w.state.Load()
	s.silent = err
	w.state.Store(&s)
}

// plan sets the time of the next sync or try, if one is needed and none is set.
func (w *writer) plan() {
	if w.due == nil && (w.soft || w.state.Load().unready != nil || w.state.Load().full != nil) {
		w.due = time.NewTimer(interval).C
	}
}

// probe tries whether a transaction can be kept again, after one could not. It writes the format's version, which
// changes a page and nothing else.
func (w *writer) probe() {
	if w.state.Load().unready == nil {
		return
	}
	g := &group{w: w}
	err := errors.Join(g.exec("BEGIN IMMEDIATE"), g.exec(fmt.Sprintf("PRAGMA user_version = %d", formatVersion)))
	if err == nil {
		err = g.exec("COMMIT")
	}
	if err != nil {
		_ = g.exec("ROLLBACK")
	}
	w.judge(err)
}

// lineKind is the kind of the witness's lines about what was just committed: with Interval, a soft line accuses
// nobody before a synced line stands behind it.
func (w *writer) lineKind() string {
	if w.mode == Interval {
		return lineSoft
	}
	return lineKept
}

// syncLog brings to the disk what was answered before it was there. SQLite has no call for it that does not move the
// log into the database as well, so the file is opened and synced from outside; a sync concerns the file, whoever
// has it open. If the disk refuses, the writer takes
// nothing more: the system may have dropped what it could not write, and a second try may lie.
func (w *writer) syncLog() {
	if !w.soft {
		return
	}
	if err := syncFile(filepath.Join(w.engine.dir, walFile)); err != nil {
		s := *w.state.Load()
		s.failed = fmt.Errorf("%w: the disk refuses to sync what was answered already; stop Candor, mend the disk, "+
			"and start it again: %w", journal.ErrUnavailable, err)
		w.state.Store(&s)
		return
	}
	w.synced()
}

// syncFile syncs a file, if it is there.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// synced notes that everything is on the disk.
func (w *writer) synced() {
	if w.soft {
		w.soft = false
		w.say(w.witness.write(witnessLine(lineSynced, "", ending{})))
	}
}

// renewWitness writes the witness anew, from the database and what is known to be damaged.
func (w *writer) renewWitness() error {
	w.syncLog()
	return w.witness.renew(func(line func([]byte) error) error {
		claims := w.engine.findings.claims
		for session, end := range claims {
			if err := line(witnessLine(lineKept, session, end)); err != nil {
				return err
			}
		}
		err := eachRow(w.conn, allSessions, func(rows *sql.Rows) error {
			r, ok := scanRow(rows)
			if _, damaged := claims[r.name]; !ok || damaged {
				return nil
			}
			return line(witnessLine(lineKept, r.name, r.ending()))
		})
		if isCorrupt(err) {
			return nil // the rest is among the claims
		}
		return err
	})
}
