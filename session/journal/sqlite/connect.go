package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
)

// Settings of connections. The writer's are set before the first page is written.
var (
	//
	// Pages of 4 KB take three frames of 1 KB. Larger ones would waste less of them, and each append would write
	// more. With secure_delete SQLite overwrites rows and pages with zeros when it deletes them. What it keeps for
	// the time of a statement stays in memory, since nobody would erase it from a file.
	//
	// Readers see the state before a transaction while it is written, and the writer waits for no reader: that is
	// what the write-ahead log is for.
	writePragmas = []string{
		fmt.Sprintf("page_size(%d)", pageSize),
		fmt.Sprintf("max_page_count(%d)", maxPages),
		"secure_delete(on)",
		"temp_store(memory)",
		"journal_mode(wal)",
		"wal_autocheckpoint(0)", // the writer does that, after it has tidied
		patience,
	}
	readPragmas = []string{"query_only(on)", "temp_store(memory)"}
)

// patience is for how many milliseconds a connection waits for those of another process, which reads short
// batches for a backup: to empty the log, the writer needs a moment in which nobody reads it.
const patience = "busy_timeout(5000)"

// readers is how many connections read at the same time. Others wait. Each has a cache of pages of its own, two
// megabytes at most, so that many readers at once do not cost much memory.
const readers = 4

// connect opens the database of a directory. It makes no connection yet, so an error shows at the first statement.
// Quotes around a name that does not exist are an error and no string.
func connect(dir string, pragmas []string) (*sql.DB, error) {
	return connectAs(dir, url.Values{"_pragma": pragmas})
}

// connectToRead is connect for a process that is not the one that writes. SQLite opens the file for reading only, so
// that this process does not move the log into the database when it is the last to close it: the writer tidies first.
func connectToRead(dir string) (*sql.DB, error) {
	return connectAs(dir, url.Values{"_pragma": append(slices.Clone(readPragmas), patience), "mode": {"ro"}})
}

// connectAs is connect with further settings.
func connectAs(dir string, settings url.Values) (*sql.DB, error) {
	path, err := filepath.Abs(filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	settings.Set("_dqs", "0")
	name.RawQuery = settings.Encode()
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db, nil
}

// checkFormat makes the tables of an empty database, and refuses one that is not ours or of another version.
func checkFormat(ctx context.Context, c *sql.Conn) error {
	err := checkMade(ctx, c)
	if errors.Is(err, errEmpty) {
		return makeTables(ctx, c)
	}
	return err
}

// errEmpty means that a database has no tables.
var errEmpty = errors.New("the database is empty")

// checkMade refuses a database that is not ours, of another version, or empty. A
// database of our version with other tables is damaged: without this check, a flipped bit in the name of a column
// would make statements fail one by one, without saying why.
func checkMade(ctx context.Context, c *sql.Conn) error {
	var application, version int
	if err := errors.Join(
		c.QueryRowContext(ctx, "PRAGMA application_id").Scan(&application),
		c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
	); err != nil {
		return err
	}
	found, err := tables(ctx, c)
	switch {
	case err != nil:
		return err
	case application == 0 && version == 0 && len(found) == 0:
		return errEmpty
	case application != applicationID:
		return fmt.Errorf("%s there is a database of another program; name another directory", databaseFile)
	case version != formatVersion:
		return fmt.Errorf("%s there has format %d, and this Candor knows format %d only; "+
			"use the Candor that wrote it, or name another directory", databaseFile, version, formatVersion)
	case !slices.Equal(found, schema):
		return fmt.Errorf("%s there is damaged: its tables are not as they were made; "+
			"restore the directory from a backup", databaseFile)
	}
	return nil
}

// tables returns how the database says that its tables were made, by name.
func tables(ctx context.Context, c *sql.Conn) (found []string, err error) {
	rows, err := c.QueryContext(ctx, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var made string
		if err := rows.Scan(&made); err != nil {
			return nil, err
		}
		found = append(found, made)
	}
	return found, rows.Err()
}

// makeTables makes the tables in one transaction, with the version. A process that is killed here leaves a database
// that is empty, and the next one makes the tables.
func makeTables(ctx context.Context, c *sql.Conn) error {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	steps := append(slices.Clone(schema), fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", formatVersion))
	for _, step := range steps {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	return tx.Commit()
}
