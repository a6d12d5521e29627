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
	}
	readPragmas = []string{"query_only(on)", "temp_store(memory)"}
)

// readers is how many connections read at the same time. Others wait. Each has a cache of pages of its own, two
// megabytes at most, so that many readers at once do not cost much memory.
const readers = 4

// connect opens the database of a directory. It makes no connection yet, so an error shows at the first statement.
// Quotes around a name that does not exist are an error and no string.
func connect(dir string, pragmas []string) (*sql.DB, error) {
	path, err := filepath.Abs(filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	name.RawQuery = url.Values{"_pragma": pragmas, "_dqs": {"0"}}.Encode()
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db, nil
}

// checkFormat makes the tables of an empty database, and refuses one that is not ours or of another version. A
// database of our version with other tables is damaged: without this check, a flipped bit in the name of a column
// would make statements fail one by one, without saying why.
func checkFormat(ctx context.Context, c *sql.Conn) error {
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
		return makeTables(ctx, c)
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
