package transcript

import (
	"context"

	"candor/attach/opencode"
)

// databaseName is the database of OpenCode.
const databaseName = "opencode.db"

// isDatabase reports whether a file is a database, by its name. Whether it is one of OpenCode its tables say.
var isDatabase = named(".db")

// lookInto reads what is new in a database. One that cannot be read is told of, once.
func (w *Walk) lookInto(ctx context.Context, path string, growing bool) error {
	r := w.databases[path]
	if r == nil {
		r = opencode.NewReader(path)
		r.Count = w.Count
		r.Told = func(what string) { w.tell(path, what) }
		w.databases[path] = r
	}
	r.Closed, r.Settled = !growing, settled
	// A server that is slow holds the look up. The program goes on meanwhile: nobody waits for a reader.
	for s, err := range r.Read(ctx) {
		if err != nil {
			return w.failed(ctx, path, err, growing)
		}
		if err := w.add(ctx, s); err != nil {
			return err
		}
	}
	delete(w.failures, path)
	return nil
}
