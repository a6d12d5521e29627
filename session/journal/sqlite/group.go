package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	"candor/session/journal"
)

// row is a session's row. Its head and tail are what an append compares with, a read ends at, and the witness
// repeats.
type row struct {
	id    int64
	name  string
	owner []byte // a checksum of the user whose session it is; empty if it is nobody's
	head  uint64 // number of the last event
	tail  int64  // checksum of the last frame
}

// sum returns the row's checksum.
func (r row) sum() int64 {
	return checksum(rowSession, []int64{r.id, int64(r.head), r.tail}, []byte(r.name), r.owner)
}

// ending returns what the witness has to know of the row.
func (r row) ending() ending { return ending{r.head, r.tail, string(r.owner)} }

// statements are the writer's, compiled once. The others run too seldom to be worth it.
type statements struct {
	session, insertSession, updateSession *sql.Stmt
	insertFrame                           *sql.Stmt
	page, updatePage                      *sql.Stmt
}

// texts returns the statements and their texts.
func (s *statements) texts() map[**sql.Stmt]string {
	return map[**sql.Stmt]string{
		&s.session:       "SELECT id, owner, head, tail, sum FROM sessions WHERE name = ?",
		&s.insertSession: "INSERT INTO sessions (id, name, owner, head, tail, sum) VALUES (?, ?, ?, ?, ?, ?)",
		&s.updateSession: "UPDATE sessions SET head = ?, tail = ?, sum = ? WHERE id = ?",
		&s.insertFrame:   "INSERT INTO frames (id, first, data, sum) VALUES (?, ?, ?, ?)",
		&s.page:          "SELECT data FROM sqlite_dbpage WHERE pgno = ?",
		&s.updatePage:    "UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?",
	}
}

// compile prepares the statements.
func (s *statements) compile(c *sql.Conn) (err error) {
	for to, text := range s.texts() {
		if *to, err = c.PrepareContext(background(), text); err != nil {
			return err
		}
	}
	return nil
}

// close ends the statements. SQLite keeps a database open, and its log beside it, as long as one is left.
func (s *statements) close() error {
	var errs []error
	for made := range s.texts() {
		if *made != nil {
			errs = append(errs, (*made).Close())
		}
	}
	return errors.Join(errs...)
}

// group is a transaction that is being made. The rows of its sessions are written at its end, once each, however
// many frames were appended to them.
type group struct {
	w    *writer
	rows map[string]row
	gone map[string]bool // sessions that it removes

	written int // about how many bytes it adds to the write-ahead log

	before []byte // lines that the witness has to have before the transaction is committed
}

// commit does changes, and commits what they did.
func (g *group) commit(all []*change) error {
	if err := g.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, c := range all {
		c.err = c.do(g)
		if errorCode(c.err) != 0 {
			return c.err
		}
	}
	g.written += pageSize * (2 + len(g.rows))
	for _, r := range g.rows {
		if _, err := g.w.sql.updateSession.ExecContext(background(), r.head, r.tail, r.sum(), r.id); err != nil {
			return err
		}
	}
	if len(g.before) > 0 {
		if err := g.w.witness.write(g.before); err != nil {
			return fmt.Errorf("%w: the file witness cannot be written: %w", journal.ErrUnavailable, err)
		}
	}
	return g.exec("COMMIT")
}

// lines returns what the witness has to have after the transaction was committed.
func (g *group) lines() (lines []byte) {
	for name, r := range g.rows {
		lines = append(lines, witnessLine(g.w.lineKind(), name, r.ending())...)
	}
	return lines
}

// remember keeps the rows that were written for the next group, which then need not be read. There is no other
// writer that could change them. When there are many, all are dropped, which costs a look at each that is needed again.
func (g *group) remember() {
	if len(g.w.rows)+len(g.rows) > maxRows {
		clear(g.w.rows)
	}
	for name := range g.gone {
		delete(g.w.rows, name)
		g.w.engine.findings.forget(name)
	}
	maps.Copy(g.w.rows, g.rows)
}

// exec runs a statement that is not compiled.
func (g *group) exec(text string, args ...any) error {
	_, err := g.w.conn.ExecContext(background(), text, args...)
	return err
}

// session returns the row of a session; ok is false if there is none. It fails if the session is damaged.
func (g *group) session(name string) (r row, ok bool, err error) {
	if err := g.w.engine.findings.of(name); err != nil {
		return row{}, false, err
	}
	return g.lookUp(name)
}

// lookUp returns the row of a session, even if its end is gone.
func (g *group) lookUp(name string) (r row, ok bool, err error) {
	if r, ok = g.rows[name]; ok {
		return r, true, nil
	}
	if g.gone[name] {
		return row{}, false, nil
	}
	if r, ok = g.w.rows[name]; ok {
		return r, true, nil
	}
	return scanSession(g.w.sql.session.QueryRowContext(background(), []byte(name)), name)
}

// scanSession reads the row of a session and checks it.
func scanSession(found *sql.Row, name string) (r row, ok bool, err error) {
	var sum int64
	r.name = name
	err = found.Scan(&r.id, &r.owner, &r.head, &r.tail, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row{}, false, nil
	case errorCode(err) != 0 || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone):
		return row{}, false, err
	case err != nil, sum != r.sum():
		return row{}, false, &journal.Damage{Session: name, First: 1, Last: r.head, Reason: "its row was altered"}
	}
	return r, true, nil
}

// open returns the row of a session, which it makes if there is none. A session that nobody has in the directory has
// no owner, and no user's removal takes it along.
func (g *group) open(name string, owner []byte) (row, error) {
	r, ok, err := g.session(name)
	if err != nil || ok {
		return r, err
	}
	r = row{name: name, owner: owner}
	if r.id, err = g.nextID(); err != nil {
		return row{}, err
	}
	_, err = g.w.sql.insertSession.ExecContext(background(), r.id, []byte(name), blob(owner), r.head, r.tail, r.sum())
	g.rows[name] = r
	return r, err
}

// nextID returns an id for a new session. The id of one that was removed may come again: its rows are gone, and the
// checksum of a frame has the session's name in it.
func (g *group) nextID() (id int64, err error) {
	found := g.w.conn.QueryRowContext(context.Background(), "SELECT coalesce(max(id), 0) + 1 FROM sessions")
	if err := found.Scan(&id); err != nil {
		return 0, err
	}
	if id > maxSession {
		return 0, fmt.Errorf("%w: it has %d sessions already", journal.ErrUnavailable, maxSession)
	}
	return id, nil
}
