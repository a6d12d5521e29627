package journal

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/google/uuid"
)

// Journal is the chain of one session's frames. It knows its end and appends behind it. Open one
// with [Open]. It is safe for concurrent use.
type Journal struct {
	frames  Frames
	session string
	writer  uuid.UUID

	mu   sync.Mutex
	head uint64 // number of the last event
	sum  Sum    // of the last frame
}

// Open returns the journal of a session. It knows no end before [Journal.Advance] was called or a
// Read has come to it, so that a log that is kept in part can be read from its end. writer is the id of
// this process.
func Open(frames Frames, session string, writer uuid.UUID) *Journal {
	return &Journal{frames: frames, session: session, writer: writer}
}

// Writer returns the id of the process that appends to the journal.
func (j *Journal) Writer() uuid.UUID { return j.writer }

// End returns the number of the last event that the journal knows, and the hash of its frame.
func (j *Journal) End() (head uint64, sum Sum) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.head, j.sum
}

// Advance tells the journal where its end is, after that was read from a snapshot or by Read.
func (j *Journal) Advance(head uint64, sum Sum) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if head >= j.head {
		j.head, j.sum = head, sum
	}
}

// Append keeps a batch of n events behind the journal's end. It fails with ErrConflict if there is
// more in the engine than the journal knows: read it, advance, and try again. It fails with
// ErrUnavailable if the engine kept nothing, and with ErrUnknown if even reading back does not tell.
// The journal ends behind the batch only if Append returns nil.
func (j *Journal) Append(ctx context.Context, n int, payload []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := Batch{
		First: j.head + 1, Last: j.head + uint64(n), Before: j.sum,
		Writer: j.writer, Append: uuid.New(), Payload: payload,
	}
	err := j.frames.Append(ctx, j.session, b.frame())
	if errors.Is(err, ErrUnknown) || errors.Is(err, ErrConflict) {
		err = j.readBack(ctx, b, err)
	}
	if err == nil {
		j.head, j.sum = b.Last, b.Sum
	}
	return err
}

// readBack finds out what became of an append: nil if it is in the engine, ErrConflict if another
// is in its place, and else the error that the engine gave. The caller holds mu.
func (j *Journal) readBack(ctx context.Context, b Batch, given error) error {
	for f, err := range j.frames.Read(context.WithoutCancel(ctx), j.session, b.First) {
		if err != nil {
			return errors.Join(ErrUnknown, err)
		}
		there, err := decode(f)
		if err == nil && there.Writer == b.Writer && there.Append == b.Append {
			return nil
		}
		return ErrConflict
	}
	return given
}

// Read yields the batches of the session in order, beginning with the one that has the event with
// number from. It checks each, and that nothing is missing between them, and yields a *Damage where that does not
// hold, behind which the caller may go on. If before is not nil, the first batch has to follow it.
func (j *Journal) Read(ctx context.Context, from uint64, before *Sum) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		next := from // number of the event that the next batch has to have
		for f, err := range j.frames.Read(ctx, j.session, from) {
			b, err := j.checked(f, err, next, before)
			for d, ok := errors.AsType[*Damage](err); ok; d, ok = errors.AsType[*Damage](err) {
				if !yield(Batch{}, err) {
					return
				}
				if next, before = max(next, d.Last+1), nil; f.First < next {
					break // it is the damage, or there is none
				}
				b, err = j.checked(f, nil, next, nil)
			}
			if err == nil && yield(b, nil) {
				next, before = b.Last+1, &b.Sum
			} else if _, damaged := errors.AsType[*Damage](err); !damaged {
				if err != nil {
					yield(Batch{}, err)
				}
				return
			}
		}
	}
}

// checked decodes a frame, which has to have the event with number next and follow the frame with
// the hash before.
func (j *Journal) checked(f Frame, err error, next uint64, before *Sum) (Batch, error) {
	if d, ok := errors.AsType[*Damage](err); ok {
		d.Found = eventsIn(d.Found)
	}
	if err != nil {
		return Batch{}, err
	}
	b, err := decode(f)
	switch {
	case err != nil:
		return Batch{}, &Damage{
			Session: j.session, First: f.First, Last: f.Last, Reason: err.Error(), Found: eventsIn(f.Data),
		}
	case next < b.First:
		return Batch{}, j.damage(next, b.First-1, "they are missing")
	case before != nil && b.First == next && b.Before != *before:
		return Batch{}, j.damage(b.First, b.Last, "it does not follow the event before it")
	case before != nil && b.First < next:
		return Batch{}, j.damage(b.First, b.Last, "it is there twice")
	}
	return b, nil
}

func (j *Journal) damage(first, last uint64, reason string) error {
	return &Damage{Session: j.session, First: first, Last: last, Reason: reason}
}

// eventsIn returns the part of a frame that has the events, without any check.
func eventsIn(frame []byte) []byte { return frame[min(headSize+idsSize, len(frame)):] }

// Erase removes batches that Read gave, in their order, from the engine for good. Neighbours
// become one erased frame. It returns when their bytes are gone.
func (j *Journal) Erase(ctx context.Context, batches []Batch) error {
	var with []Batch
	for _, b := range batches {
		if last := len(with) - 1; last >= 0 && with[last].Last+1 == b.First {
			with[last].Last, with[last].Sum = b.Last, b.Sum
			continue
		}
		with = append(with, Batch{First: b.First, Last: b.Last, Before: b.Before, Sum: b.Sum, Erased: true})
	}
	if len(with) == 0 {
		return nil
	}
	frames := make([]Frame, len(with))
	for i := range with {
		frames[i] = with[i].frame()
	}
	return j.frames.Replace(ctx, j.session, frames)
}
