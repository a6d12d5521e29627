package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"candor/session/journal"
	"candor/session/pause"
)

// Reader reads a directory that another process may be using, without its lock and without changing it. Its methods
// are those of an engine, with the same checks.
type Reader struct {
	engine *engine
	copied string // the directory with the copy that is read; empty if the original is
}

// looks is how often OpenToRead looks for damage. What another process removes or replaces between reading the
// witness and reading the database looks like damage once, and true damage stays.
const looks = 3

// OpenToRead opens a directory for reading. It fails with fs.ErrNotExist if there is no database, and for the reasons
// for which [Open] does.
func OpenToRead(dir string) (*Reader, error) {
	e := &engine{dir: dir, writer: &writer{}, guest: true}
	if err := e.openToRead(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the sessions in %s: %w", dir, err), e.closeReads())
	}
	return &Reader{engine: e}, nil
}

// OpenDamaged is OpenToRead for a database whose first page may be damaged, which says where its tables are: it is the
// same in every database but for a few counts. Then a copy is read, with the first page of a new database.
func OpenDamaged(dir string) (*Reader, error) {
	r, err := OpenToRead(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	copied, failed := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".candor-salvage-*")
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	if failed = copyWithNewHead(dir, copied); failed == nil {
		if r, failed = OpenToRead(copied); failed == nil {
			r.copied = copied
			return r, nil
		}
	}
	return nil, errors.Join(err, failed, os.RemoveAll(copied))
}

// copyWithNewHead copies a directory and gives the database the first page of a new one.
func copyWithNewHead(dir, to string) error {
	fresh := filepath.Join(to, "new")
	e, err := Open(fresh, Options{})
	if err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	head, err := os.ReadFile(filepath.Join(fresh, databaseFile))
	if err != nil {
		return err
	}
	head = head[:pageSize]
	head[validFor] ^= 1 // so that SQLite takes the size of the file for that of the database
	for _, name := range []string{databaseFile, walFile, witnessFile} {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(filepath.Join(to, databaseFile), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(head, 0)
	return errors.Join(err, f.Close())
}

// validFor is where the header of a database has the number of the change for which its size holds.
const validFor = 95

// copyFile copies a file, if it is there.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// openToRead connects and looks for damage.
func (e *engine) openToRead() (err error) {
	if _, err := os.Stat(filepath.Join(e.dir, databaseFile)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no %s: %w", databaseFile, fs.ErrNotExist)
		}
		return err
	}
	if e.reads, err = connectToRead(e.dir); err != nil {
		return err
	}
	for range looks {
		if err := e.look(); err != nil || len(e.findings.damage)+len(e.findings.owners) == 0 {
			return err
		}
	}
	return nil
}

// look compares the database with the witness, which was read before and so is never ahead of it.
func (e *engine) look() error {
	said, err := readWitness(e.dir)
	if err != nil {
		return err
	}
	c, err := e.reads.Conn(background())
	if err != nil {
		return err
	}
	defer c.Close()
	if err := checkMade(background(), c); err != nil {
		return err
	}
	if _, err := c.ExecContext(background(), "BEGIN"); err != nil { // all of it is of one moment
		return err
	}
	inv, err := takeInventory(c)
	if e.findings = compare(inv, said); err == nil {
		err = e.findings.recover(c, inv)
	}
	_, ended := c.ExecContext(background(), "ROLLBACK")
	return errors.Join(err, ended)
}

// Users is that of [journal.Directory].
func (r *Reader) Users(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return r.engine.Users(ctx)
}

// Read is that of [journal.Frames].
func (r *Reader) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return r.engine.Read(ctx, session, from)
}

// Warnings returns what was found damaged, in sentences.
func (r *Reader) Warnings() []string { return r.engine.findings.warnings() }

// Close closes the database.
func (r *Reader) Close() error {
	err := r.engine.closeReads()
	if r.copied != "" {
		err = errors.Join(err, os.RemoveAll(r.copied))
	}
	return err
}

// pauseTime is how long a guest leaves the database alone between two batches, each of which takes a few milliseconds.
// SQLite does not let those who wait for their turn come first, and the writer has to come to it.
const pauseTime = 5 * time.Millisecond

// giveWay lets the writer of another process have the database for itself.
func (e *engine) giveWay(ctx context.Context) {
	if e.guest {
		_ = pause.For(ctx, pauseTime)
	}
}

// closeReads closes the connections that read, if there are any.
func (e *engine) closeReads() error {
	if e.reads == nil {
		return nil
	}
	return e.reads.Close()
}
