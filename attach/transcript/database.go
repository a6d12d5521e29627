package transcript

import (
	"context"
	"errors"
	"io/fs"

	"candor/attach/opencode"
)

// databaseName is the database of OpenCode.
const databaseName = "opencode.db"

// isDatabase reports whether a file is a database, by its name. Whether it is one of OpenCode its tables say.
var isDatabase = named(".db")

// lookInto reads what is new in a database. One that cannot be read is told of, and does not end the walk; in one that
// is followed it is told once.
func (w *Walk) lookInto(ctx context.Context, path string) error {
	r := w.databases[path]
	if r == nil {
		r = opencode.NewReader(path)
		r.Count = w.Count
		r.Told = func(what string) { w.tell(path, what) }
		w.databases[path] = r
	}
	// A server that is slow holds the look up. The program goes on meanwhile: nobody waits for a reader.
	for s, err := range r.Read(ctx) {
		if err != nil {
			return w.failed(ctx, path, err)
		}
		if err := w.add(ctx, s); err != nil {
			return err
		}
	}
	delete(w.failures, path)
	return nil
}

// failed tells why a database cannot be read, unless that was told at the last look.
func (w *Walk) failed(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, fs.ErrNotExist) && w.failures[path] != err.Error() { // else it has just gone
		w.failures[path] = err.Error()
		w.tell(path, err.Error())
	}
	return nil
}
