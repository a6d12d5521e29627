package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

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
	frees  bool               // it may use the room that is held back
	size   int64              // about how many bytes it adds
	err    error              // of do
	answer chan error         // has room for one
}

// writer keeps changes in the database, in groups. It owns the connection that writes and one goroutine,
// which stop ends and awaits. Everything that is not guarded or atomic belongs to that goroutine, from newWriter to
// stop.
type writer struct {
	engine *engine
	db     *sql.DB
	conn   *sql.Conn
	sql    statements
	rows   map[string]row // of sessions, as they are in the database

	reserve *reserve
	witness witness
	logged  int // about how many bytes the write-ahead log has that are not in the database
	mode    Sync
	soft    bool             // something was answered and is not yet on the disk
	due     <-chan time.Time // when to sync the disk, or to try whether it works again
	state   atomic.Pointer[condition]

	queue   chan *change
	waiting atomic.Int64
	sending sync.RWMutex // held for reading while sending to queue, for writing while closing it
	stopped bool         // guarded by sending
	ended   chan struct{}
}

// newWriter connects to the engine's database, checks its format, and starts the goroutine.
func newWriter(e *engine, o Options) (w *writer, err error) {
	w = &writer{engine: e, rows: map[string]row{}, queue: make(chan *change, maxQueued), ended: make(chan struct{}),
		mode: o.Sync, witness: witness{dir: e.dir}}
	w.state.Store(&condition{})
	if w.reserve, err = newReserve(e.dir); err != nil {
		return nil, err
	}
	if w.db, err = connect(e.dir, append([]string{synchronous(o.Sync)}, writePragmas...)); err != nil {
		return nil, err
	}
	if err = w.prepare(); err != nil {
		return nil, errors.Join(err, w.disconnect())
	}
	w.refuse(w.reserve.hold())
	go w.run()
	return w, nil
}

// synchronous returns the setting of SQLite that a way of Sync needs. With full, SQLite syncs the log at each commit;
// with normal, before it moves the log, so that the database itself is sound in both.
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
	if err := w.sql.compile(w.conn); err != nil {
		return err
	}
	return w.examine()
}

// examine compares the database with the witness, and writes the witness anew. It stays as it is if the comparison
// cannot be made.
func (w *writer) examine() error {
	inv, err := takeInventory(w.conn)
	if err != nil {
		return err
	}
	said, err := readWitness(w.engine.dir)
	if err != nil {
		return err
	}
	w.engine.findings = compare(inv, said)
	if err := w.engine.findings.recover(w.conn, inv); err != nil {
		return err
	}
	// A process that was killed may have left in the log what is not on the disk, and the witness is about to vouch
	// for it.
	if err := syncFile(filepath.Join(w.engine.dir, walFile)); err != nil {
		return err
	}
	return w.renewWitness()
}

// disconnect closes what prepare opened. It empties the log first: SQLite itself would move it into the database
// without tidying it.
func (w *writer) disconnect() error {
	var errs []error
	if w.state.Load().full != nil {
		errs = append(errs, w.reserve.release())
	}
	if w.engine.findings != nil {
		errs = append(errs, w.moveLog("TRUNCATE"))
	}
	errs = append(errs, w.sql.close())
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(append(errs, w.db.Close(), w.witness.close())...)
}

// submit hands a change to the writer and returns what came of it. If ctx ends before the change is in the queue,
// it is not done, and the error is ErrUnavailable. If ctx ends later, the writer does it all the same, and the error
// is ErrUnknown.
func (w *writer) submit(ctx context.Context, erases bool, do func(*group) error) error {
	return w.submitSized(ctx, 0, &change{do: do, erases: erases, frees: erases})
}

// submitSized is submit for a change that adds about so many bytes.
func (w *writer) submitSized(ctx context.Context, size int, c *change) error {
	c.size, c.answer = int64(size), make(chan error, 1)
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

// stop lets the writer finish what is in its queue, and awaits that. It reports whether this call stopped it. Whoever
// is let in to the queue before gets an answer, and everybody after gets ErrClosed.
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
	for {
		select {
		case c, ok := <-w.queue:
			if !ok {
				w.syncLog()
				return
			}
			if all := w.admit(w.gather(c)); len(all) > 0 {
				w.keep(all)
			}
			w.boundLog()
		case <-w.due:
			w.due = nil
			w.syncLog()
			w.probe()
			if w.state.Load().full != nil {
				w.refuse(w.reserve.admit(0, w.unused))
			}
		}
		w.plan()
	}
}

// gather returns c and what waits behind it. It waits for nothing: while a group is written, the next one
// gathers in the queue, so that groups become as large as the load.
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

// admit answers changes for which the disk has no room, and returns the others: all of them, or those that may use the
// room that is held back, which is then given up until it can be had again.
func (w *writer) admit(all []*change) (admitted []*change) {
	need := int64(0)
	for _, c := range all {
		need += c.size
	}
	full := w.reserve.admit(need, w.unused)
	w.refuse(full)
	if full == nil {
		return all
	}
	for _, c := range all {
		if !c.frees {
			c.answer <- full
			continue
		}
		admitted = append(admitted, c)
	}
	if len(admitted) > 0 {
		_ = w.reserve.release()
	}
	return admitted
}

// refuse notes why nothing is recorded that needs room; nil if all is.
func (w *writer) refuse(full error) {
	s := *w.state.Load()
	s.full = full
	w.state.Store(&s)
}

// unused returns how many bytes of the database can be used again.
func (w *writer) unused() (bytes int64) {
	_ = w.conn.QueryRowContext(background(), "SELECT freelist_count * page_size FROM pragma_freelist_count,"+
		" pragma_page_size").Scan(&bytes)
	return bytes
}

// keep does changes in one transaction. If SQLite fails at one of them, each is done by itself, so that a
// damaged session does not keep the others from being written, and a large frame for which there is no room does
// not keep out small ones.
//
// A change that is refused, such as an append with a stale number, has written nothing, and does not disturb the
// others. Answers are given last of all, when the status and the witness know what happened.
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
	w.judge(err)
	for _, c := range all {
		if c.err == nil {
			c.err = err
		}
		c.answer <- translated(c.err)
	}
}

// transact does changes in one transaction, all of them or, if something fails, none.
func (w *writer) transact(all []*change) error {
	if failed := w.state.Load().failed; failed != nil {
		return failed
	}
	if w.witness.isDue() {
		w.say(w.renewWitness())
	}
	g := &group{w: w, rows: map[string]row{}, gone: map[string]bool{}}
	if err := g.commit(all); err != nil {
		clear(w.rows)
		_ = g.exec("ROLLBACK") // fails if SQLite has rolled back by itself
		if len(g.before) > 0 {
			w.witness.broken = errors.New("it says what was not done")
		}
		return err
	}
	g.remember()
	w.logged += g.written
	if lines := g.lines(); len(lines) > 0 {
		w.soft = w.mode == Interval
		w.say(w.witness.write(lines))
	}
	return nil
}

// erase sees to it that the bytes are gone which changes of a committed group erased. If that fails the changes are
// done, and not as they promise: the caller may repeat them, since each is idempotent.
func (w *writer) erase(all []*change) {
	var err error
	truncated := false
	for _, c := range all {
		if !c.erases || c.err != nil {
			continue
		}
		if !truncated {
			err, truncated = w.moveLog("TRUNCATE"), true
		}
		if err != nil {
			c.err = fmt.Errorf("%w: it is done, but former bytes may still be in the files: %w",
				journal.ErrUnknown, err)
		}
	}
}

// closed reports whether stop was called.
func (w *writer) closed() bool {
	w.sending.RLock()
	defer w.sending.RUnlock()
	return w.stopped
}
