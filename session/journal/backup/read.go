package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"candor/session/journal"
)

// Reasons of a [Fault].
var (
	// ErrForeign means that the file is not a backup of Candor.
	ErrForeign = errors.New("the file is not a backup of Candor")
	// ErrNewer means that a later Candor wrote the file.
	ErrNewer = errors.New("a newer Candor wrote the backup")
	// ErrCut means that the file ends too early.
	ErrCut = errors.New("the file is cut off here; copy it again")
	// ErrAltered means that a record is not as it was written.
	ErrAltered = errors.New("the file was altered here")
	// ErrMore means that something stands behind the end.
	ErrMore = errors.New("the backup ends here, and the file goes on")
)

// sink takes the sessions of a backup as they are read, each frame after its chain was checked.
type sink interface {
	begin(ctx context.Context, at int64, e journal.Entry) error // at is where the session stands in the file
	frame(ctx context.Context, f journal.Frame) error
	end(ctx context.Context, kept bool) error // kept is false if the session was left out
}

// reading is the state of one pass over a file.
type reading struct {
	in   *bufio.Reader
	hash hash.Hash // of all records so far
	at   int64     // where the next record begins
	back *record   // was read and put back; nil if none was
	sink sink

	report Report
	items  []Item
}

// record is a record of a file.
type record struct {
	at      int64
	kind    byte
	content []byte
}

// scan reads a file from its first byte to its last. It holds one record at a time, of which a file can make no more
// than it has bytes, and stops at the first place that is not as it was written.
func scan(ctx context.Context, r io.Reader, to sink) (*reading, error) {
	p := &reading{in: bufio.NewReaderSize(r, 1<<16), hash: sha256.New(), sink: to}
	if err := p.begin(); err != nil {
		return p, err
	}
	first, err := p.next(kindCreated)
	if err != nil {
		return p, err
	}
	if err := p.created(first); err != nil {
		return p, &Fault{At: first.at, Reason: err}
	}
	for {
		rec, err := p.next(kindItem, kindSession, kindLast)
		if err != nil {
			return p, err
		}
		switch rec.kind {
		case kindItem:
			err = p.item(rec)
		case kindSession:
			err = p.session(ctx, rec)
		case kindLast:
			return p, p.last(rec)
		}
		if err != nil {
			return p, err
		}
	}
}

// begin reads the line that begins the file. It looks no further than the line can be long, so that a file of another
// program is refused after its first byte that does not fit.
func (p *reading) begin() error {
	line := make([]byte, len(signature)+20)
	n := 0
	for ; n < len(line); n++ {
		c, err := p.in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || n < len(signature) && c != signature[n] {
			return ErrForeign
		}
		if line[n] = c; c == '\n' {
			break
		}
	}
	found, err := strconv.Atoi(strings.TrimSpace(string(line[len(signature):min(n, len(line))])))
	switch {
	case err != nil || found < 1:
		return ErrForeign
	case found != version:
		return fmt.Errorf("%w: it has format %d, and this Candor knows format %d only; use the Candor that wrote it",
			ErrNewer, found, version)
	}
	p.hash.Write(line[:n+1])
	p.at = int64(n + 1)
	return nil
}

// next reads a record, which has to be of one of these kinds.
func (p *reading) next(kinds ...byte) (rec record, err error) {
	if p.back != nil {
		rec, p.back = *p.back, nil
	} else if rec, err = p.load(); err != nil {
		return rec, &Fault{At: p.at, Reason: err}
	}
	if !bytes.Contains(kinds, []byte{rec.kind}) {
		return rec, &Fault{At: rec.at, Reason: fmt.Errorf("a record of the kind %q cannot stand here", rec.kind)}
	}
	return rec, nil
}

// load reads the next record and checks its sum. A content is read as it comes, so that a false length takes no
// more memory than the file has bytes.
func (p *reading) load() (record, error) {
	head := make([]byte, headSize)
	if _, err := io.ReadFull(p.in, head); err != nil {
		return record{}, cut(err)
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > maxRecord {
		return record{}, fmt.Errorf("%w: a record cannot have %d bytes", ErrAltered, size)
	}
	var content bytes.Buffer
	if _, err := io.CopyN(&content, p.in, int64(size)+sumSize); err != nil {
		return record{}, cut(err)
	}
	raw := content.Bytes()
	body, sum := raw[:size:size], raw[size:]
	if crc32.Update(crc32.Checksum(head, table), table, body) != binary.BigEndian.Uint32(sum) {
		return record{}, ErrAltered
	}
	rec := record{at: p.at, kind: head[0], content: body}
	p.at += int64(headSize) + int64(size) + sumSize
	if rec.kind != kindLast {
		p.hash.Write(head)
		p.hash.Write(raw)
	}
	return rec, nil
}

// cut returns the error of a file that ended too early. Errors of the disk or the stream stay what they are: to
// copy the file again does not help against those.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return err
}

// created reads when the backup was made and of which storage. Both are for people, and are believed.
func (p *reading) created(rec record) error {
	all, err := cutTexts(rec.content, 2)
	if err != nil {
		return err
	}
	p.report.Created.Engine = all[1]
	p.report.Created.At, err = time.Parse(time.RFC3339, all[0])
	return err
}

// item keeps a small file for the caller of the pass.
func (p *reading) item(rec record) error {
	all, err := cutTexts(rec.content, 2)
	if err != nil {
		return &Fault{At: rec.at, Reason: err}
	}
	p.items = append(p.items, Item{Name: all[0], Content: []byte(all[1])})
	return nil
}

// last compares the counts and the hash of the last record with what was read: the sums of records show which one was
// altered, and the hash that none is missing. Then the file has to end.
func (p *reading) last(rec record) error {
	counts, sum, err := cutNumbers(rec.content, 3)
	got := []uint64{uint64(p.report.Sessions), uint64(p.report.Frames), uint64(len(p.report.LeftOut))}
	switch {
	case err != nil:
		return &Fault{At: rec.at, Reason: err}
	case !bytes.Equal(sum, p.hash.Sum(nil)):
		return &Fault{At: rec.at, Reason: fmt.Errorf("%w: the hash of the whole does not fit", ErrAltered)}
	case fmt.Sprint(counts) != fmt.Sprint(got):
		return &Fault{At: rec.at, Reason: fmt.Errorf("%w: it says %d sessions, frames and left out, and has %d",
			ErrAltered, counts, got)}
	}
	p.report.Bytes = p.at
	if _, err := p.in.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.Join(err, &Fault{At: p.at, Reason: ErrMore})
	}
	return nil
}
