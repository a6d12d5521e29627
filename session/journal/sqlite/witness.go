package sqlite

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The witness is a file of lines, which anybody can read:
//
//	kept 41 00c3fd5a2b60f7de =b1946ac92492d2347c6235b4d2611184 "87d2dc67-6c1e-4f0a" 5a0ce3d1
//
// That session ended with event 41, whose frame had this checksum; its user's name has that hash; the last word is
// a checksum of the line. The file is appended to after a transaction was committed and before it is answered, and
// is never ahead of what was committed. It lies behind by what was not yet written when the process was killed,
// which does no harm: a database that has more than the witness says has lost nothing that was acknowledged.
//
// The file is not synced, since that would cost as much as the transaction. If the machine fails, the witness may lack
// its end, and knows less. It never knows what is not true.

// The kinds of lines in the witness.
const (
	lineKept   = "kept"   // the session ended so, on the disk
	lineSoft   = "soft"   // the session ended so, and the disk was not synced yet
	lineSynced = "synced" // the disk was synced: what was soft so far is kept
	lineDoubt  = "doubt"  // the session's last frame is about to be replaced, so its checksum says nothing
	lineGone   = "gone"   // the session is about to be removed
)

// maxWitness is how long the witness may become, beyond twice what it needs, before it is written anew.
const maxWitness = 8 << 20

// ending is how a session ended.
type ending struct {
	last  uint64
	tail  int64  // checksum of the last frame; 0 if it is not known
	owner string // as in the session's row
}

// testimony is what a witness says.
type testimony struct {
	firm, soft map[string]ending
	spoiled    int // lines that are damaged
	heard      bool
	missing    bool
}

// readWitness reads the file, from its first line to its last. A line overrides those before it.
func readWitness(dir string) (t testimony, err error) {
	t = testimony{firm: map[string]ending{}, soft: map[string]ending{}}
	f, err := os.Open(filepath.Join(dir, witnessFile))
	if errors.Is(err, os.ErrNotExist) {
		t.missing = true
		return t, nil
	}
	if err != nil {
		return t, err
	}
	defer f.Close()
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadString('\n')
		if line != "" && !t.hear(line) {
			t.spoiled++
		}
		if errors.Is(err, io.EOF) {
			t.missing = t.spoiled == 0 && !t.heard // it was emptied
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

// hear takes a line in. It reports whether the line is as it was written. A line that is damaged is left out, and
// what an earlier line said of its session stays.
func (t *testimony) hear(line string) bool {
	kind, session, end, ok := parseLine(line)
	if !ok {
		return false
	}
	t.heard = true
	switch kind {
	case lineKept:
		t.firm[session] = end
		delete(t.soft, session)
	case lineSoft:
		t.soft[session] = end
	case lineSynced:
		for session, end := range t.soft {
			t.firm[session] = end
		}
		clear(t.soft)
	case lineDoubt:
		for _, ends := range []map[string]ending{t.firm, t.soft} {
			if end, ok := ends[session]; ok {
				end.tail = 0
				ends[session] = end
			}
		}
	case lineGone:
		delete(t.firm, session)
		delete(t.soft, session)
	default:
		return false
	}
	return true
}

// witnessLine writes a line: its kind, the session's last number, the checksum of its last frame, its owner, its
// name, and a checksum of the line.
func witnessLine(kind, session string, end ending) []byte {
	line := fmt.Appendf(nil, "%s %d %016x =%x %q ", kind, end.last, uint64(end.tail), end.owner, session)
	return fmt.Appendf(line, "%08x\n", crc32.ChecksumIEEE(line))
}

// parseLine reads a line that witnessLine wrote.
func parseLine(line string) (kind, session string, end ending, ok bool) {
	body, sum, ok := cutLast(strings.TrimSuffix(line, "\n"))
	if !ok || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))) != sum {
		return "", "", end, false
	}
	fields := strings.SplitN(strings.TrimSuffix(body, " "), " ", 5)
	if len(fields) != 5 {
		return "", "", end, false
	}
	last, err1 := strconv.ParseUint(fields[1], 10, 64)
	tail, err2 := strconv.ParseUint(fields[2], 16, 64)
	owner, err3 := hex.DecodeString(strings.TrimPrefix(fields[3], "="))
	session, err4 := strconv.Unquote(fields[4])
	return fields[0], session, ending{last, int64(tail), string(owner)}, errors.Join(err1, err2, err3, err4) == nil
}

// cutLast cuts a line behind its last blank.
func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	return line[:i+1], line[i+1:], i >= 0
}

// witness is the file while it is written. The writer alone uses it.
type witness struct {
	dir    string
	f      *os.File
	size   int64
	needed int64 // size when it was written anew
	broken error // of the last write; the file may end with a part of a line
	tried  time.Time
}

// write appends lines. The file is not synced: it is compared with a database that is.
func (w *witness) write(lines []byte) error {
	if w.f == nil || w.broken != nil {
		return errors.Join(w.broken, errors.New("the witness has to be written anew"))
	}
	n, err := w.f.Write(lines)
	w.size += int64(n)
	w.broken = err
	return err
}

// isDue reports whether the file is to be written anew, because it is long or broken. If that fails it is not due
// again for a while. A file that could not be written to its end is broken: what is written next would continue
// a line.
func (w *witness) isDue() bool {
	return (w.broken != nil || w.size > 2*w.needed+maxWitness) && time.Since(w.tried) > interval
}

// renew writes the file anew, with the lines that each hands to its argument, and puts it in the place of the
// old one.
func (w *witness) renew(each func(line func([]byte) error) error) (err error) {
	w.tried = time.Now()
	name := filepath.Join(w.dir, witnessFile)
	err = errors.Join(w.close(), w.replace(name, each))
	if err == nil {
		w.f, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, fileMode)
	}
	w.needed, w.broken = w.size, err
	return err
}

// replace writes a new file, syncs it, and gives it the name of the old one.
func (w *witness) replace(name string, each func(line func([]byte) error) error) error {
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	w.size = 0
	lines := bufio.NewWriter(f)
	err = each(func(line []byte) error {
		w.size += int64(len(line))
		_, err := lines.Write(line)
		return err
	})
	if err := errors.Join(err, lines.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// close closes the file.
func (w *witness) close() error {
	if w.f == nil {
		return nil
	}
	f := w.f
	w.f = nil
	return f.Close()
}
