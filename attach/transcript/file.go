package transcript

import (
	"context"
	"hash/fnv"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/codex"
	"candor/attach/opencode"
	"candor/attach/rows"
)

// How many bytes of a file's beginning, and of the end of what was read, tell whether it was rewritten.
const (
	headBytes = 512
	tailBytes = 256
)

// sessionFile is a session file of which a part was read.
type sessionFile struct {
	path string
	// reader knows how far the file was read, and what the next row is understood by.
	reader reader
	format format

	// The file's size and the time of its last change when it was read. While both are the same, nobody opens it.
	size    int64
	changed time.Time

	// Hashes of the file's first bytes, headLen of them, and of the last ones that were read. Where they are no longer
	// right, somebody wrote the file anew.
	head, tail uint64
	headLen    int64

	// described says that the description of the sub-agent was given. It may be written after the file.
	described bool
}

// news says what happened to a file since it was read.
type news int

const (
	// The file has more to read, or was only touched; or nothing of it was read yet.
	grown news = iota
	// The file is shorter than what was read of it.
	shrunk
	// What was read is no longer what stands there.
	rewritten
)

// news compares the file, which is open, with what was read of it.
func (f *sessionFile) news(in io.ReaderAt, now found) news {
	offset := f.reader.Offset()
	switch {
	// Of a file with half a row nothing was read, so that nothing can have changed.
	case offset == 0:
		return grown
	case now.size < offset:
		return shrunk
	case hashOf(in, 0, f.headLen) != f.head, hashOf(in, max(0, offset-tailBytes), min(offset, tailBytes)) != f.tail:
		return rewritten
	}
	return grown
}

// remember keeps what tells later whether the file was rewritten.
func (f *sessionFile) remember(in io.ReaderAt, now found) {
	offset := f.reader.Offset()
	f.size, f.changed, f.headLen = now.size, now.time, min(offset, headBytes)
	f.head = hashOf(in, 0, f.headLen)
	f.tail = hashOf(in, max(0, offset-tailBytes), min(offset, tailBytes))
}

// hashOf returns a hash of a part of a file; of a part that cannot be read it is the hash of what can.
func hashOf(in io.ReaderAt, from, length int64) uint64 {
	h := fnv.New64a()
	_, _ = io.Copy(h, io.NewSectionReader(in, from, length))
	return h.Sum64()
}

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

// rollout returns what reports whether a file is one of Codex, whose name ends with a suffix.
func rollout(suffix string) func(path string) bool {
	return func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "rollout-") && strings.HasSuffix(path, suffix)
	}
}

// openCodex reads a file of Codex.
func openCodex(_ string, _ *seen, growing bool) reader { return codex.NewReader(growing) }

// compressed ends the name of a file that Codex has compressed.
const compressed = ".zst"

// openCompressed reads nothing of a file that Codex has compressed.
func openCompressed(string, *seen, bool) reader { return unread{} }

// unread is a file that is not read. Codex can compress the sessions that it has not used for long; to read those would
// take a library for the one program, and they can be read where somebody unpacks them.
type unread struct{}

// Read yields nothing.
func (unread) Read(io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(func(attach.Sighting, error) bool) {}
}

// End returns nothing.
func (unread) End() []attach.Sighting { return nil }

// Offset returns 0: of the file nothing is read.
func (unread) Offset() int64 { return 0 }

// Report returns nothing.
func (unread) Report() rows.Report { return rows.Report{} }
