package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"iter"
	"time"

	"github.com/google/uuid"

	"candor/session/journal"
)

// Source is the part of an engine that a backup reads. Every [journal.Engine] is one.
type Source interface {
	Users(ctx context.Context) iter.Seq2[journal.Entry, error]
	Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error]
}

// tries is how often a session is begun anew before the backup gives up. Each try costs the bytes that were written
// until the conflict, and only an erasure causes one.
const tries = 20

// Write writes a backup of all sessions of a source. Damaged sessions are left out and reported. It fails if the
// source cannot be read or w cannot be written; what was written then is no backup, which every reader notices.
func Write(ctx context.Context, w io.Writer, from Source, made Created, items []Item) (Report, error) {
	return write(ctx, w, from, made, items, false)
}

// Salvage is Write, but for damaged sessions: of these it takes the frames that are whole, with an erased frame in the
// place of those that are not, and reports what was lost.
func Salvage(ctx context.Context, w io.Writer, from Source, made Created, items []Item) (Report, error) {
	return write(ctx, w, from, made, items, true)
}

func write(ctx context.Context, w io.Writer, from Source, made Created, items []Item, salvage bool) (Report, error) {
	b := &writing{hash: sha256.New(), from: from, report: Report{Created: made}, salvage: salvage}
	b.out = bufio.NewWriterSize(io.MultiWriter(w, b.hash), 1<<16)
	if _, err := fmt.Fprintf(b.out, "%s%d\n", signature, version); err != nil {
		return b.report, err
	}
	b.report.Bytes = int64(len(signature) + 2)
	if err := b.put(kindCreated, texts(made.At.UTC().Format(time.RFC3339), made.Engine)); err != nil {
		return b.report, err
	}
	for _, i := range items {
		if err := b.put(kindItem, texts(i.Name, string(i.Content))); err != nil {
			return b.report, err
		}
	}
	for entry, err := range from.Users(ctx) {
		if err == nil {
			err = b.session(ctx, entry)
		}
		if err != nil {
			return b.report, err
		}
	}
	return b.report, b.end()
}

// writing is the state of Write. The hash gets the same bytes as the file, behind the buffer, so what is in the
// buffer has to leave before the hash is read.
type writing struct {
	out    *bufio.Writer
	hash   hash.Hash // of all that has left out
	from   Source
	report Report

	salvage bool
}

// put writes a record: its head, its content in parts, so that a large frame is not copied, and its sum.
func (b *writing) put(kind byte, parts ...[]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > maxRecord {
		return fmt.Errorf("a record of %d bytes does not fit into a backup", size)
	}
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(size))
	sum := crc32.Checksum(head, table)
	for _, p := range append([][]byte{head}, parts...) {
		if _, err := b.out.Write(p); err != nil {
			return err
		}
	}
	for _, p := range parts {
		sum = crc32.Update(sum, table, p)
	}
	b.report.Bytes += int64(headSize + size + sumSize)
	_, err := b.out.Write(binary.BigEndian.AppendUint32(nil, sum))
	return err
}

// session writes a session, and reads it again from its beginning if it was changed while it was read.
func (b *writing) session(ctx context.Context, entry journal.Entry) (err error) {
	for range tries {
		head, frames := uint64(0), 0
		if err = b.put(kindSession, texts(entry.User, entry.Session)); err != nil {
			return err
		}
		lost := len(b.report.Lost)
		head, frames, err = b.frames(ctx, entry)
		if err != nil {
			b.report.Lost = b.report.Lost[:lost]
		}
		switch {
		case err == nil:
			b.report.Sessions++
			b.report.Frames += frames
			b.report.Events += head
			return b.put(kindEnd, numbers(head))
		case errors.Is(err, journal.ErrDamaged):
			return b.leaveOut(entry, err.Error())
		case !errors.Is(err, journal.ErrConflict):
			return err
		}
		if err := b.put(kindLeftOut, texts(entry.User, entry.Session, "")); err != nil {
			return err
		}
		if there, err := b.exists(ctx, entry); err != nil || !there {
			return err // or the user was removed
		}
	}
	return fmt.Errorf("session %s is changed all the time: %w", entry.Session, err)
}

// leaveOut records that a session is damaged.
func (b *writing) leaveOut(entry journal.Entry, reason string) error {
	b.report.LeftOut = append(b.report.LeftOut, LeftOut{entry.User, entry.Session, reason})
	return b.put(kindLeftOut, texts(entry.User, entry.Session, reason))
}

// exists reports whether a user still has a session. It goes through all users, which is rare: only somebody who was
// read while a part of theirs was replaced is looked for.
func (b *writing) exists(ctx context.Context, entry journal.Entry) (bool, error) {
	for e, err := range b.from.Users(ctx) {
		if err != nil || e == entry {
			return err == nil, err
		}
	}
	return false, nil
}

// frames writes the frames of a session in the order of its chain, and returns the number of its last event and how
// many frames they are.
func (b *writing) frames(ctx context.Context, of journal.Entry) (head uint64, n int, err error) {
	passed := &passing{Source: b.from}
	var sum journal.Sum
	next := uint64(1) // number of the event that was not spoken of yet
	for batch, err := range journal.Open(passed, of.Session, uuid.Nil).Read(ctx, 1, &journal.Sum{}) {
		if d, ok := errors.AsType[*journal.Damage](err); ok && b.salvage && 0 < d.First && d.First <= next {
			next = d.Last + 1
			b.report.Lost = append(b.report.Lost, LeftOut{of.User, of.Session, d.Error()})
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		if head+1 < batch.First {
			gap := journal.Gap(head+1, batch.First-1, sum, batch.Before)
			if err := b.put(kindFrame, numbers(gap.First, gap.Last), gap.Data); err != nil {
				return 0, 0, err
			}
			n++
		}
		head, sum, n, next = batch.Last, batch.Sum, n+1, batch.Last+1
		if err := b.put(kindFrame, numbers(batch.First, batch.Last), passed.last.Data); err != nil {
			return 0, 0, err
		}
	}
	return head, n, nil
}

// end writes the last record.
func (b *writing) end() error {
	if err := b.out.Flush(); err != nil {
		return err
	}
	counts := numbers(uint64(b.report.Sessions), uint64(b.report.Frames), uint64(len(b.report.LeftOut)))
	err := b.put(kindLast, counts, b.hash.Sum(nil))
	return errors.Join(err, b.out.Flush())
}

// passing remembers the frame that a journal was last given, so that it can be kept once the journal has checked it.
type passing struct {
	Source
	readOnly
	last journal.Frame
}

// Read is that of the source.
func (p *passing) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		for f, err := range p.Source.Read(ctx, session, from) {
			if p.last = f; !yield(f, err) {
				return
			}
		}
	}
}

// readOnly is the part of journal.Frames that a backup does without.
type readOnly struct{}

// errReadOnly means that a journal over a backup was asked to change something.
var errReadOnly = errors.New("a backup is only read")

// Append refuses.
func (readOnly) Append(context.Context, string, journal.Frame) error { return errReadOnly }

// Replace refuses.
func (readOnly) Replace(context.Context, string, []journal.Frame) error { return errReadOnly }
