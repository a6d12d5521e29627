package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // registers the driver

	"candor/session/journal"
)

// Sync says when a frame is on the disk.
type Sync int

// Always and Interval are the ways of Sync.
const (
	// Always answers an append when it is on the disk.
	Always Sync = iota
	// Interval answers at once, and syncs the disk a second later at the latest. The frames survive the end of
	// the process, however it ends. If the machine fails, what was answered within the last second may be gone.
	Interval
)

// Options chooses how an engine keeps frames.
type Options struct {
	Sync Sync
}

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// The files of the directory.
const (
	databaseFile = "candor.db"
	walFile      = databaseFile + "-wal"
	shmFile      = databaseFile + "-shm"
	witnessFile  = "witness"
	lockName     = "lock"
)

// engine is an opened directory. It has two pools of connections: the writer's, with a single one, and the one for
// reads.
type engine struct {
	dir   string
	lock  *os.File
	reads *sql.DB

	// erasing is held for reading by every batch of reads, and for writing while the write-ahead log is
	// truncated, which needs that nobody reads it.
	erasing sync.RWMutex

	writer   *writer
	findings *findings
	guest    bool // another process writes
}

// Open opens the directory dir, which it makes if there is none. It fails with journal.ErrLocked if another
// process uses it.
//
// It also fails if the directory cannot be written, is a file, or has a database of another program or of a later
// Candor, and if SQLite cannot read the database at all. Damage to some of the sessions is no reason to fail: these
// sessions are refused, the others serve, and the warnings of the status name them.
//
// The time it takes grows with the number of sessions, not with that of frames.
func Open(dir string, o Options) (journal.Engine, error) {
	e := &engine{dir: dir}
	if err := e.open(o); err != nil {
		return journal.Engine{}, fmt.Errorf("cannot keep sessions in %s: %w", dir, err)
	}
	return journal.Engine{Frames: e, Directory: e, Snapshots: e, Status: e.status, Close: e.close, Size: e.size}, nil
}

// open opens what the engine is made of, and closes it again if a part fails.
func (e *engine) open(o Options) (err error) {
	if err := prepareDir(e.dir); err != nil {
		return err
	}
	e.lock, err = lockFile(filepath.Join(e.dir, lockName))
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w; name a directory that Candor may write to", err)
	} else if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.release())
		}
	}()
	if err := prepareFile(filepath.Join(e.dir, databaseFile)); err != nil {
		return err
	}
	e.writer, err = newWriter(e, o)
	switch {
	case isCorrupt(err):
		return fmt.Errorf("%s there is damaged and cannot be opened; restore the directory from a backup: %w",
			databaseFile, err)
	case err != nil:
		return err
	}
	e.reads, err = connect(e.dir, readPragmas)
	return err
}

// prepareDir makes the directory if it is not there. One that is there keeps its mode, which whoever made it chose;
// the files in it are closed to others in any case.
func prepareDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return errors.New("it is a file; name a directory")
	}
	return os.MkdirAll(dir, dirMode)
}

// prepareFile makes a file, if it is not there, that nobody but its owner may open. SQLite gives the files
// that it makes beside the database the same mode.
func prepareFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(fileMode), f.Close())
}

// status is the engine's Status. It waits for nobody.
func (e *engine) status() journal.Status {
	s := journal.Status{Name: "SQLite in " + e.dir, Waiting: int(e.writer.waiting.Load())}
	s.Ready, s.Warnings = e.writer.ready(), e.findings.warnings()
	if err := e.writer.state.Load().silent; err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("The file witness cannot be written (%v): "+
			"what is kept now is kept, but if it were damaged later, nobody might notice.", err))
	}
	if errors.Is(s.Ready, journal.ErrDiskFull) {
		s.Warnings = append(s.Warnings, s.Ready.Error()+".")
	}
	s.Bytes = e.used()
	return s
}

// used returns how many bytes the files have, without the pages of the database that are free to be used again;
// 0 if that cannot be told now.
func (e *engine) used() (bytes int64) {
	if !e.erasing.TryRLock() {
		return 0
	}
	defer e.erasing.RUnlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var free, size int64
	const freePages = "SELECT freelist_count, page_size FROM pragma_freelist_count, pragma_page_size"
	if err := e.reads.QueryRowContext(ctx, freePages).Scan(&free, &size); err != nil {
		return 0
	}
	for _, name := range []string{databaseFile, walFile, shmFile, witnessFile} {
		if info, err := os.Stat(filepath.Join(e.dir, name)); err == nil {
			bytes += info.Size()
		}
	}
	indexes, _ := os.ReadDir(filepath.Join(e.dir, indexDir)) // none before somebody has searched
	for _, entry := range indexes {
		if info, err := entry.Info(); err == nil {
			bytes += info.Size()
		}
	}
	return max(1, bytes-free*size)
}

// size returns how many bytes the frames and the index of a session take.
func (e *engine) size(ctx context.Context, session string) (bytes int64, err error) {
	e.erasing.RLock()
	defer e.erasing.RUnlock()
	ctx = context.WithoutCancel(ctx)
	r, ok, err := scanSession(e.reads.QueryRowContext(ctx,
		"SELECT id, owner, head, tail, sum FROM sessions WHERE name = ?", []byte(session)), session)
	if err == nil && ok {
		const sum = "SELECT coalesce(sum(length(data) + ?), 0) FROM frames WHERE id BETWEEN ? AND ?"
		err = e.reads.QueryRowContext(ctx, sum, rowSize, frameID(r.id, 0), frameID(r.id, maxNumber)).Scan(&bytes)
	}
	if info, failed := os.Stat(IndexPath(e.dir, session)); failed == nil {
		bytes += info.Size()
	}
	return bytes, e.failed(err)
}

// rowSize is about what a row takes beside its data.
const rowSize = 32

// failed returns an error of a read in the words of package journal. database/sql has an error of its own for
// a pool that is closed, which it does not export. The answers of a closed engine are all the same, so that a caller
// can tell the end of the program from trouble.
func (e *engine) failed(err error) error {
	if err != nil && errorCode(err) == 0 && e.writer.closed() {
		return journal.ErrClosed
	}
	return translated(err)
}

// close awaits what waits to be kept, and closes everything.
func (e *engine) close() error {
	if !e.writer.stop() {
		return nil
	}
	return e.release()
}

// release closes what is open.
func (e *engine) release() error {
	var errs []error
	if e.reads != nil {
		errs = append(errs, e.reads.Close())
	}
	if e.writer != nil {
		errs = append(errs, e.writer.disconnect())
	}
	return errors.Join(append(errs, e.lock.Close())...)
}

// background is the context of statements that nobody may interrupt halfway.
func background() context.Context { return context.Background() }
