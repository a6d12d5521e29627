package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"candor/session/journal"
)

// Result codes of SQLite, as sqlite.org/rescode.html has them. The low byte of a code is its primary code, and the
// rest says more: 778 is 10, trouble with a file, while it was written.
const (
	codeIOError  = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeNotADB   = 26
	codeSync     = 1034
	codeSyncDir  = 1290
	primaryCodes = 0xff
)

// errorCode returns SQLite's result code; 0 for other errors. A change that fails without a code has refused what it
// was asked for, and has written nothing.
func errorCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// isCorrupt reports whether SQLite could not make sense of its own file.
func isCorrupt(err error) bool {
	c := errorCode(err) & primaryCodes
	return c == codeCorrupt || c == codeNotADB
}

// translated returns an error of SQLite as one of package journal. Others pass unchanged.
//
// What SQLite could not commit it has rolled back, so nothing was kept. The one exception is a sync that failed: the
// transaction is whole in the write-ahead log, and if we were killed before the next one overwrites it, SQLite would
// find it there.
func translated(err error) error {
	switch code := errorCode(err); {
	case code == 0, errors.Is(err, journal.ErrUnknown):
		return err
	case code == codeSync, code == codeSyncDir:
		return fmt.Errorf("%w: the disk refuses to sync: %w", journal.ErrUnknown, err)
	case isCorrupt(err):
		return fmt.Errorf("%w: SQLite cannot read a page of it", journal.ErrDamaged)
	case code&primaryCodes == codeFull:
		return fmt.Errorf("%w, or the room that the database may use is full", journal.ErrDiskFull)
	case code&primaryCodes == codeIOError:
		return fmt.Errorf("%w: the disk cannot be read or written, or is full: %w", journal.ErrUnavailable, err)
	default:
		return fmt.Errorf("%w: %w", journal.ErrUnavailable, err)
	}
}
