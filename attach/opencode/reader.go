package opencode

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// The bounds of what is held of a database: its sessions, and how many of them may be at work at once.
const (
	maxSessions = 20_000
	maxLive     = 32
)

// Reader reads the sessions of one database and remembers how far it read each. NewReader makes a Reader, which is not
// safe for concurrent use.
type Reader struct {
	// Told receives what a person should know about the database, as the end of a sentence. It may be nil.
	Told func(what string)
	// Count receives all rows that are read, for a progress bar. It may be nil.
	Count io.Writer

	// Closed says that nobody is waiting for more of the database, so that a turn which nothing in it ends is over.
	Closed bool
	// Settled is how long a session was not changed when its last turn is taken to be over; 0 for no such time.
	Settled time.Duration

	path   string
	report rows.Report
	read   int64
	stamp  stamp
	// What was read, by the session's id.
	known map[string]*progress
}

// progress is how far a session was read.
type progress struct {
	// When the program changed the session last, by its own clock; and what was told of it.
	updated millis
	model   string
	// The latest answer of the model and when it began. Only from there on do messages still change.
	last string
	from int64
	// The rows from there on, with the time of their last change.
	rows map[string]int64
	*course
}

// course is what a session's messages came to so far.
type course struct {
	// The turns that are not over, with what the model said last in each, unless it asked for calls with it.
	unended map[string]openTurn
	// Messages of a person that the client made of a command of a shell, and what calls are named.
	commands map[string]bool
	names    rows.Calls
}

// openTurn is a turn that is not over. The sighting has what its facts share.
type openTurn struct {
	at       attach.Sighting
	spoken   string
	answered bool
}

// NewReader returns a reader of the database at a path.
func NewReader(path string) *Reader { return &Reader{path: path} }

// Report returns what was counted so far. A row that changed is counted again.
func (r *Reader) Report() rows.Report { return r.report.Clone() }

// Bytes returns how many bytes of rows were read.
func (r *Reader) Bytes() int64 { return r.read }

// Read yields what is new in the database since the last Read: one look, in one transaction. If the database cannot be
// read, it ends with an error that names no file. If the caller stops early, the rest of that session's news is never
// yielded.
func (r *Reader) Read(ctx context.Context) iter.Seq2[attach.Sighting, error] {
	return func(yield func(attach.Sighting, error) bool) {
		now, err := stampOf(r.path)
		if err == nil && r.stamp.same(now) {
			return
		}
		if err == nil {
			r.meet(now)
			err = r.look(ctx, yield)
		}
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(attach.Sighting{}, explain(err))
		default:
			r.stamp = now
		}
	}
}

// errStopped ends a look whose reader wants no more.
var errStopped = errors.New("stopped")

// meet forgets what was read of a file that is no longer the one at the path.
func (r *Reader) meet(now stamp) {
	if r.stamp.file != nil && !os.SameFile(r.stamp.file, now.file) {
		r.tell("was replaced by another file: it is read again from its start")
		r.known = nil
	}
	if r.known == nil {
		r.known = map[string]*progress{}
	}
	// A look that fails is made again.
	r.stamp = stamp{file: now.file, partial: true}
}

// tell says what a person should know.
func (r *Reader) tell(what string) {
	if r.Told != nil {
		r.Told(what)
	}
}

// look reads what is new.
func (r *Reader) look(ctx context.Context, yield func(attach.Sighting, error) bool) error {
	db, err := open(r.path)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	// Nothing was written. As long as the transaction is open the program's log cannot be emptied, which costs it a
	// little disk and no time.
	defer func() { _ = tx.Rollback() }()
	l := &looking{Reader: r, ctx: ctx, tx: tx, yield: yield, sessions: map[string]*session{},
		statements: map[string]*sql.Stmt{}}
	if err := l.haveTables(); err != nil {
		return err
	}
	list, err := l.list()
	if err != nil {
		return err
	}
	l.forget()
	// A call changes its part while it runs, and its session only at the end of the answer. So the sessions that were
	// changed last are looked at each time.
	live := map[*session]bool{}
	for _, s := range list[:min(len(list), maxLive)] {
		live[s] = true
	}
	// Sub-agents come behind the session that began them.
	slices.SortStableFunc(list, func(a, b *session) int { return cmp.Compare(a.Time.Created, b.Time.Created) })
	for _, s := range list {
		if err := l.readSession(s, live[s]); err != nil {
			return err
		}
	}
	return nil
}

// looking is one look at the database.
type looking struct {
	*Reader
	ctx   context.Context
	tx    *sql.Tx
	yield func(attach.Sighting, error) bool
	// What the look found, and the statements that it has prepared.
	sessions   map[string]*session
	statements map[string]*sql.Stmt
}

// list returns the sessions, the one that was changed last first.
func (l *looking) list() (all []*session, err error) {
	// This reads an index of all rows, so it is done once.
	if len(l.known) == 0 {
		if err := l.countLost(); err != nil {
			return nil, err
		}
	}
	list, err := l.tx.QueryContext(l.ctx, listSessions, maxSessions)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	for list.Next() {
		s := &session{}
		var folder, title, version sql.NullString
		var created, updated sql.NullInt64
		if err := list.Scan(&s.ID, &s.ParentID, &folder, &title, &version, &created, &updated); err != nil {
			return nil, err
		}
		s.Directory, s.Title, s.Version = folder.String, title.String, version.String
		s.Time.Created, s.Time.Updated = millis(created.Int64), millis(updated.Int64)
		// Sessions are no rows of the report unless one is lost.
		if !s.valid() {
			l.report.Rows++
			l.report.Malformed++
			continue
		}
		all = append(all, s)
		l.sessions[s.ID] = s
	}
	if len(all) == maxSessions {
		l.tell(fmt.Sprintf("has more than %d sessions, of which the latest are read", maxSessions))
	}
	return all, list.Err()
}

// countLost counts rows that belong to nothing.
func (l *looking) countLost() error {
	for statement, kind := range map[string]string{
		countLostMessages: "message without its session", countLostParts: "part without its message",
	} {
		n := 0
		if err := l.tx.QueryRowContext(l.ctx, statement).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			l.report.Rows += n
			l.report.SkipMany(kind, n)
		}
	}
	return nil
}

// forget forgets sessions that are no longer there.
func (l *looking) forget() {
	gone := 0
	for id := range l.known {
		if l.sessions[id] == nil {
			delete(l.known, id)
			gone++
		}
	}
	if gone > 0 {
		l.tell(fmt.Sprintf("no longer has %d of the sessions that were read; what was taken of them stays", gone))
	}
}

// give hands on sightings.
func (l *looking) give(list []attach.Sighting) error {
	for _, s := range list {
		l.report.Sightings++
		if !l.yield(s, nil) {
			return errStopped
		}
	}
	return nil
}

// count counts a row that was read.
func (l *looking) count(r row) {
	l.report.Rows++
	l.read += int64(len(r.data))
	if l.Count != nil {
		_, _ = l.Count.Write(r.data) // a bar
	}
}

// decode decodes a message; ok is false if it is none that is known.
func (r row) decode() (m message, ok bool) {
	ok = json.Unmarshal(r.data, &m) == nil
	m.ID = r.id
	return m, ok && m.valid()
}
