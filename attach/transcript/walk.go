package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/opencode"
	"candor/attach/rows"
)

// MaxBatch bounds a batch, in bytes.
const MaxBatch = 1 << 20

// Walk reads the session files of a place. Its exported fields are set before its first use; it is not safe for
// concurrent use.
type Walk struct {
	// Places are session files, and folders that contain some.
	Places []string
	// Send takes a batch, which it must not keep. An error ends the walk; rows read by then are not read again.
	Send func(ctx context.Context, batch []byte, sightings int) error
	// Told receives what a person should know about a file. It may be nil.
	Told func(path, what string)
	// Count receives all bytes that are read, for a progress bar. It may be nil.
	Count io.Writer

	// What is known of each file, by its path, and of the rows of all of them.
	files     map[string]*sessionFile
	seen      seen
	databases map[string]*opencode.Reader
	// Why the last look at a file or a folder failed, by its path.
	failures, closed map[string]string
	// How folders are read, filepath.WalkDir if it is nil.
	walk           func(root string, fn fs.WalkDirFunc) error
	calls, reasons int // that were sent
	// The counts of readers that were given up, since their files had changed.
	past rows.Report
	// Bytes of the rows that were read.
	read int64
	// The batch that is being filled, and how many sightings are in it.
	batch  bytes.Buffer
	inside int
}

// Report is the result of a walk.
type Report struct {
	rows.Report
	Files   int
	Bytes   int64
	Calls   int // among the sightings
	Reasons int // for calls, among the sightings
	// Files not read because Codex compressed them, without an unpacked file beside them.
	Compressed int
	Damaged    []string // the paths of the files that have malformed rows, in order
}

// Report returns what was read so far.
func (w *Walk) Report() Report {
	sum := Report{Files: len(w.databases), Bytes: w.read, Calls: w.calls, Reasons: w.reasons}
	sum.Add(w.past)
	for _, d := range w.databases {
		sum.Add(d.Report())
		sum.Bytes += d.Bytes()
	}
	for path, f := range w.files {
		if _, ok := f.reader.(unread); !ok {
			sum.Files++
			of := f.reader.Report()
			sum.Add(of)
			if of.Malformed > 0 {
				sum.Damaged = append(sum.Damaged, path)
			}
		} else if w.files[strings.TrimSuffix(path, compressed)] == nil {
			sum.Compressed++
		}
	}
	slices.Sort(sum.Damaged)
	return sum
}

// Size returns the total size of the session files in places, in bytes.
func Size(places ...string) (sum int64, err error) {
	s := search{closed: map[string]error{}, walk: filepath.WalkDir}
	err = s.find(places)
	for _, f := range s.list {
		sum += f.size
	}
	return sum, err
}

// Once reads all files to their ends and sends their sightings.
func (w *Walk) Once(ctx context.Context) error { return w.pass(ctx, false) }

// Follow reads what is there, and then what is new at each interval, until ctx ends; then it returns nil.
func (w *Walk) Follow(ctx context.Context, interval time.Duration) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := w.pass(ctx, true); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// pass looks at each file once. growing says that the files may be read again.
func (w *Walk) pass(ctx context.Context, growing bool) error {
	if w.files == nil {
		w.files, w.databases = map[string]*sessionFile{}, map[string]*opencode.Reader{}
		w.failures = map[string]string{}
	}
	list, err := w.find()
	if err != nil {
		return err
	}
	if len(list) == 0 && len(w.files)+len(w.databases) == 0 && !growing {
		return w.nothing()
	}
	var faults error
	for _, f := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := w.look(ctx, f, growing)
		if bad, ok := errors.AsType[*fileError](err); ok {
			faults = errors.Join(faults, bad) // the other files are read all the same
		} else if err != nil {
			return err
		}
	}
	return errors.Join(w.flush(ctx), faults)
}

// fileError is what is wrong with a file that a person named.
type fileError struct {
	path string
	err  error
}

// Error implements error.
func (e *fileError) Error() string { return e.path + " " + e.err.Error() }

// Unwrap returns what is wrong.
func (e *fileError) Unwrap() error { return e.err }

// find returns the session files that there are, and tells once of a folder that cannot be read. One that could be read
// meanwhile, and is closed again, is told of again.
func (w *Walk) find() ([]found, error) {
	s := search{closed: map[string]error{}, walk: w.walk}
	if s.walk == nil {
		s.walk = filepath.WalkDir
	}
	err := s.find(w.Places)
	closed := map[string]string{}
	for path, err := range s.closed {
		closed[path] = unreadable(err).Error()
		if w.closed[path] != closed[path] {
			w.tell(path, closed[path])
		}
	}
	w.closed = closed
	return s.list, err
}

// look reads what is new in a file. A file that cannot be read is told of, and does not end the walk unless a person
// named it.
func (w *Walk) look(ctx context.Context, now found, growing bool) error {
	if now.special {
		return w.failed(ctx, now.path, unreadable(errSpecial), growing)
	}
	if isDatabase(now.path) {
		return w.lookInto(ctx, now.path, growing)
	}
	f := w.files[now.path]
	// Most files of a folder are those of yesterday: they are not opened again.
	if f != nil && now.size == f.size && now.time.Equal(f.changed) {
		return nil
	}
	if w.isNamed(now.path) && strings.HasSuffix(now.path, compressed) {
		return &fileError{now.path, ErrCompressed}
	}
	in, err := os.Open(now.path)
	if err != nil {
		return w.failed(ctx, now.path, unreadable(err), growing)
	}
	defer in.Close()
	delete(w.failures, now.path)
	// A file that was empty says only now which program writes it.
	if f == nil || f.reader.Offset() == 0 {
		f = w.anew(in, now.path, growing)
	}
	switch f.news(in, now) {
	case shrunk:
		w.tell(now.path, "is shorter than before: it is read again from its start")
		f = w.anew(in, now.path, growing)
	case rewritten:
		w.tell(now.path, "was rewritten: it is read again from its start")
		f = w.anew(in, now.path, growing)
	}
	return w.readOn(ctx, f, in, now, growing)
}

// settled is how long nobody has changed a file that is followed when its last turn is taken to be over.
const settled = 6 * time.Hour

// anew begins to read a file.
func (w *Walk) anew(in io.ReaderAt, path string, growing bool) *sessionFile {
	if old := w.files[path]; old != nil {
		w.past.Add(old.reader.Report())
	}
	format := w.formatToRead(in, path)
	f := &sessionFile{path: path, format: format, reader: format.open(path, &w.seen, growing)}
	w.files[path] = f
	return f
}

// readOn sends the sightings of the rows that were not read.
func (w *Walk) readOn(ctx context.Context, f *sessionFile, in *os.File, now found, growing bool) error {
	from := f.reader.Offset()
	if _, err := in.Seek(from, io.SeekStart); err != nil {
		return err
	}
	var rows io.Reader = in
	if w.Count != nil {
		rows = io.TeeReader(in, w.Count)
	}
	for s, err := range f.reader.Read(rows) {
		if err != nil {
			w.tell(f.path, unreadable(err).Error())
			break
		}
		if err := w.add(ctx, s); err != nil {
			return err
		}
	}
	w.read += f.reader.Offset() - from
	if growing && time.Since(now.time) > settled {
		for _, s := range f.reader.End() {
			w.past.Sightings++
			if err := w.add(ctx, s); err != nil {
				return err
			}
		}
	}
	if err := w.describe(ctx, f); err != nil {
		return err
	}
	if w.isNamed(f.path) && isForeign(f, in) {
		return &fileError{f.path, ErrForeign}
	}
	f.remember(in, now)
	if f.reader.Report().Torn > 0 {
		w.tell(f.path, "ends in the middle of a row, which is lost")
	}
	return nil
}

// describe sends what stands beside a file, once it is there.
func (w *Walk) describe(ctx context.Context, f *sessionFile) error {
	if f.described || f.format.describe == nil {
		return nil
	}
	s, ok, err := f.format.describe(f.path, f.reader)
	if err != nil {
		w.tell(f.path, "has a description file that cannot be read: "+err.Error())
	}
	if f.described = ok || err != nil; !ok {
		return nil
	}
	w.past.Sightings++
	return w.add(ctx, s)
}

// add puts a sighting into the batch, which is sent first if it has no room for it.
func (w *Walk) add(ctx context.Context, s attach.Sighting) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	// A line alone fits: readers bound the texts of a sighting.
	if w.batch.Len()+len(line)+1 > MaxBatch {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	if s.Said != nil && !s.Said.Summary {
		w.reasons += attach.CountReasons(s.Said.Text)
	}
	if s.Called != nil {
		w.calls++
	}
	w.batch.Write(line)
	w.batch.WriteByte('\n')
	w.inside++
	return nil
}

// flush sends the batch, if there is anything in it.
func (w *Walk) flush(ctx context.Context) error {
	if w.inside == 0 {
		return nil
	}
	err := w.Send(ctx, w.batch.Bytes(), w.inside)
	w.batch.Reset()
	w.inside = 0
	return err
}

// tell says what a person should know of a file.
func (w *Walk) tell(path, what string) {
	if w.Told != nil {
		w.Told(path, what)
	}
}
