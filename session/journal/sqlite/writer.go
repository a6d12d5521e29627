package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"candor/session/journal"
)

// Bounds of what waits and of what is kept at once.
const (
	maxQueued = 256  // changes that wait for the writer; further callers wait to be let in
	maxGroup  = 256  // changes in a transaction
	maxRows   = 4096 // rows of sessions that the writer remembers
)

// change is what a caller wants done to the database.
type change struct {
	do     func(*group) error // changes nothing if it returns an error that is not SQLite's
	erases bool               // the bytes of what it replaces or removes have to be gone
	err    error              // of do
	answer chan error         // has room for one
}

// writer keeps changes in the database, in groups. It owns the connection that writes and one goroutine,
// which stop ends and awaits.
type writer struct {
	engine *engine
	db     *sql.DB
	conn   *sql.Conn
	sql    statements
	rows   map[string]row // of sessions, as they are in the database

	queue   chan *change
	waiting atomic.Int64
	sending sync.RWMutex // held for reading while sending to queue, for writing while closing it
	stopped bool         // guarded by sending
	ended   chan struct{}
}

// newWriter connects to the engine's database, checks its format, and starts the goroutine.
func newWriter(e *engine, o Options) (w *writer, err error) {
	w = &writer{engine: e, rows: map[string]row{}, queue: make(chan *change, maxQueued), ended: make(chan struct{})}
	if w.db, err = connect(e.dir, append([]string{synchronous(o.Sync)}, writePragmas...)); err != nil {
		return nil, err
	}
	if err = w.prepare(); err != nil {
		return nil, errors.Join(err, w.disconnect())
	}
	go w.run()
	return w, nil
}

// synchronous returns the setting of SQLite that a way of Sync needs.
func synchronous(s Sync) string {
	if s == Interval {
		return "synchronous(normal)"
	}
	return "synchronous(full)"
}

// prepare opens the connection, checks the format, and compiles the statements.
func (w *writer) prepare() (err error) {
	if w.conn, err = w.db.Conn(background()); err != nil {
		return err
	}
	if err := checkFormat(background(), w.conn); err != nil {
		return err
	}
	return w.sql.compile(w.conn)
}

// disconnect closes what prepare opened.
func (w *writer) disconnect() error {
	var err error
	if w.conn != nil {
		err = w.conn.Close()
	}
	return errors.Join(err, w.db.Close())
}

// submit hands a change to the writer and returns what came of it.
func (w *writer) submit(ctx context.Context, erases bool, do func(*group) error) error {
	c := &change{do: do, erases: erases, answer: make(chan error, 1)}
	w.waiting.Add(1)
	defer w.waiting.Add(-1)
	if err := w.enqueue(ctx, c); err != nil {
		return err
	}
	select {
	case err := <-c.answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", journal.ErrUnknown, ctx.Err())
	}
}

// enqueue puts a change into the queue. If it fails, the change will not be done.
func (w *writer) enqueue(ctx context.Context, c *change) error {
	w.sending.RLock()
	defer w.sending.RUnlock()
	if w.stopped {
		return journal.ErrClosed
	}
	select {
	case w.queue <- c:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", journal.ErrUnavailable, ctx.Err())
	}
}

// stop lets the writer finish what is in its queue, and awaits that. It reports whether this call stopped it.
func (w *writer) stop() bool {
	w.sending.Lock()
	first := !w.stopped
	if first {
		w.stopped = true
		close(w.queue)
	}
	w.sending.Unlock()
	<-w.ended
	return first
}

// run keeps groups until the queue is closed and empty.
func (w *writer) run() {
	defer close(w.ended)
	for c := range w.queue {
		w.keep(w.gather(c))
	}
}

// gather returns c and what waits behind it.
func (w *writer) gather(c *change) []*change {
	all := []*change{c}
	for len(all) < maxGroup {
		select {
		case next, ok := <-w.queue:
			if !ok {
				return all
			}
			all = append(all, next)
		default:
			return all
		}
	}
	return all
}

// keep does changes in one transaction. If SQLite fails at one of them, each is done by itself, so that a
// damaged session does not keep the others from being written.
func (w *writer) keep(all []*change) {
	err := w.transact(all)
	if err != nil && len(all) > 1 {
		for i := range all {
			w.keep(all[i : i+1])
		}
		return
	}
	if err == nil {
		w.erase(all)
	}
	for _, c := range all {
		if c.err == nil {
			c.err = err
		}
		c.answer <- translated(c.err)
	}
}

// transact does changes in one transaction, all of them or, if SQLite fails, none.
func (w *writer) transact(all []*change) error {
	g := &group{w: w, rows: map[string]row{}, gone: map[string]bool{}}
	err := g.commit(all)
	if err != nil {
		clear(w.rows)
		_ = g.exec("ROLLBACK") // fails if SQLite has rolled back by itself
		return err
	}
	g.remember()
	return nil
}

// erase sees to it that the bytes are gone which changes of a committed group erased.
func (w *writer) erase(all []*change) {
	var err error
	truncated := false
	for _, c := range all {
		if !c.erases || c.err != nil {
			continue
		}
		if !truncated {
			err, truncated = w.truncateLog(), true
		}
		c.err = err
	}
}

// truncateLog moves the write-ahead log into the database and empties it, so that what was overwritten in the
// database stands in no file.
func (w *writer) truncateLog() error {
	w.engine.erasing.Lock()
	defer w.engine.erasing.Unlock()
	var busy, inLog, moved int
	found := w.conn.QueryRowContext(background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	if err := found.Scan(&busy, &inLog, &moved); err != nil || busy != 0 {
		return fmt.Errorf("%w: it is done, but former bytes may still be in the files: %v", journal.ErrUnknown, err)
	}
	return nil
}

// closed reports whether stop was called.
func (w *writer) closed() bool {
	w.sending.RLock()
	defer w.sending.RUnlock()
	return w.stopped
}
