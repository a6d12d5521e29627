package opencode

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// The statements. Values may be of any type in SQLite, whatever a table declares, so each is made what it should be. A
// row that is too large comes without its data.
const (
	listSessions = `SELECT CAST(id AS TEXT), CAST(COALESCE(parent_id, '') AS TEXT),
		substr(CAST(directory AS TEXT), 1, 4096), substr(CAST(title AS TEXT), 1, 4096),
		substr(CAST(version AS TEXT), 1, 100), CAST(time_created AS INTEGER), CAST(time_updated AS INTEGER)
		FROM session ORDER BY time_updated DESC, id LIMIT ?`
	columns = ` CAST(id AS TEXT), CAST(time_created AS INTEGER), CAST(time_updated AS INTEGER),
		CASE WHEN COALESCE(octet_length(data), 0) <= ? THEN CAST(COALESCE(data, '') AS BLOB) END `
	listMessages = `SELECT` + columns + `FROM message WHERE session_id = ? AND time_created >= ?
		ORDER BY time_created, id`
	latestMessages = `SELECT` + columns + `FROM message WHERE session_id = ? AND time_created <= ?
		ORDER BY time_created DESC, id DESC LIMIT 8`
	oneMessage = `SELECT` + columns + `FROM message WHERE id = ?`
	listParts  = `SELECT` + columns + `FROM part WHERE message_id = ? ORDER BY id`
	// A view or a virtual table may compute whatever it likes, for as long as it likes.
	countTables = `SELECT count(*) FROM pragma_table_list
		WHERE schema = 'main' AND type = 'table' AND name IN ('session', 'message', 'part')`
	// What belongs to nothing that is there.
	countLostMessages = `SELECT count(*) FROM message WHERE session_id NOT IN (SELECT id FROM session)`
	countLostParts    = `SELECT count(*) FROM part WHERE message_id NOT IN (SELECT id FROM message)`
)

// The errors of a database that cannot be read. Each is the end of a sentence that begins with the file.
var (
	errLocked  = errors.New("is locked by another program; it is read again later")
	errDamaged = errors.New("is damaged or not a database; what could be read of it was imported")
	errTables  = errors.New("does not have the tables of an OpenCode database, so nothing of it is read")
)

// explain returns what is wrong with the database, in words.
func explain(err error) error {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code() & 0xff {
	case codeBusy, codeLocked:
		return errLocked
	case codeCorrupt, codeNotADatabase:
		return errDamaged
	case codeError: // a statement that does not fit the tables
		return fmt.Errorf("%w (%w)", errTables, err)
	}
	return err
}

// haveTables fails unless each of the names that are read is that of a table.
func (l *looking) haveTables() error {
	var n int
	if err := l.tx.QueryRowContext(l.ctx, countTables).Scan(&n); err != nil {
		return err
	}
	if n != 3 {
		return errTables
	}
	return nil
}

// Codes of SQLite.
const (
	codeError        = 1
	codeBusy         = 5
	codeLocked       = 6
	codeCorrupt      = 11
	codeNotADatabase = 26
)

// open opens a database to read it. Where the program left no log, the file is all there is: it is read as one that
// nobody changes, since SQLite would make an empty log beside it otherwise. With a log SQLite reads both, and whoever
// writes does not wait for it.
func open(path string) (*sql.DB, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Where SQLite does wait, for a program that repairs its log, it is not for long: the next look comes soon.
	settings := url.Values{"mode": {"ro"}, "_pragma": {"query_only(on)",
		"trusted_schema(off)", "temp_store(memory)", "busy_timeout(250)"}}
	if logSize(path) == 0 {
		settings.Set("immutable", "1")
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(whole), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // a look is one transaction
	return db, nil
}

// logSize returns the size of the database's log; 0 if there is none.
func logSize(path string) int64 {
	info, err := os.Stat(path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// stamp says in which state a database was read.
type stamp struct {
	file, log fs.FileInfo
	// Not all of it was read.
	partial bool
}

// stampOf returns the state of a database.
func stampOf(path string) (s stamp, err error) {
	if s.file, err = os.Stat(path); err != nil {
		return s, err
	}
	s.log, _ = os.Stat(path + "-wal") // there may be none
	return s, nil
}

// same reports whether nobody wrote to the database since.
func (s stamp) same(t stamp) bool {
	return s.file != nil && !s.partial && unchanged(s.file, t.file) && unchanged(s.log, t.log)
}

// unchanged reports whether a file is as it was.
func unchanged(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// row is a row of the table of messages or of parts, which have the same columns as far as they are read. What a row
// belongs to is not among them: rows are asked for by it.
type row struct {
	id               string
	created, updated int64
	data             []byte // nil if it is too large
}

// prepared returns a statement, which is prepared once in a look.
func (l *looking) prepared(statement string) (*sql.Stmt, error) {
	if known := l.statements[statement]; known != nil {
		return known, nil
	}
	made, err := l.tx.PrepareContext(l.ctx, statement)
	if err == nil {
		l.statements[statement] = made
	}
	return made, err
}

// each gives take the rows of a statement, each of which holds until take returns, which returns false to have no more.
func (l *looking) each(take func(row) bool, statement string, args ...any) error {
	made, err := l.prepared(statement)
	if err != nil {
		return err
	}
	list, err := made.QueryContext(l.ctx, args...)
	if err != nil {
		return err
	}
	defer list.Close()
	for list.Next() {
		// NULL is 0, and no data.
		var r row
		var created, updated sql.NullInt64
		var data sql.RawBytes
		if err := list.Scan(&r.id, &created, &updated, &data); err != nil {
			return err
		}
		r.created, r.updated, r.data = created.Int64, updated.Int64, data
		if !take(r) {
			return nil
		}
	}
	return list.Err()
}
