package backup

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"candor/session/journal"
)

// session reads a session to its end, and checks its chain with a journal, as a server does when it opens a session:
// what a server would refuse later is refused here. Frames reach the sink one by one, each after its check, and before
// anybody knows whether the session counts; the sink is told at its end.
func (p *reading) session(ctx context.Context, rec record) error {
	all, err := cutTexts(rec.content, 2)
	if err != nil {
		return &Fault{At: rec.at, Reason: err}
	}
	entry := journal.Entry{User: all[0], Session: all[1]}
	if err := p.sink.begin(ctx, rec.at, entry); err != nil {
		return err
	}
	head, frames := uint64(0), 0
	there := &inFile{reading: p}
	for b, err := range journal.Open(there, entry.Session, uuid.Nil).Read(ctx, 1, &journal.Sum{}) {
		if err == nil {
			head, frames = b.Last, frames+1
			err = p.sink.frame(ctx, there.last)
		}
		if err != nil {
			return inSession(err, there.at, entry.Session)
		}
	}
	end, err := p.next(kindEnd, kindLeftOut)
	if err != nil {
		return inSession(err, p.at, entry.Session)
	}
	if end.kind == kindLeftOut {
		return p.leftOut(ctx, end)
	}
	last, rest, err := cutNumbers(end.content, 1)
	if err != nil || len(rest) > 0 || last[0] != head {
		err = fmt.Errorf("%w: its last events are missing", ErrAltered)
		return &Fault{At: end.at, Session: entry.Session, Reason: err}
	}
	p.report.Sessions++
	p.report.Frames += frames
	p.report.Events += head
	return p.sink.end(ctx, true)
}

// inSession names the session of a fault, and the place of what the journal found. Errors of the sink are neither, and
// stay as they are.
func inSession(err error, at int64, session string) error {
	if f, ok := errors.AsType[*Fault](err); ok {
		f.Session = session
		return f
	}
	if errors.Is(err, journal.ErrDamaged) {
		return &Fault{At: at, Session: session, Reason: err}
	}
	return err
}

// leftOut takes note of a session that the backup does not have. One without a reason was removed while it was read.
func (p *reading) leftOut(ctx context.Context, rec record) error {
	all, err := cutTexts(rec.content, 3)
	if err != nil {
		return &Fault{At: rec.at, Reason: err}
	}
	if all[2] != "" {
		p.report.LeftOut = append(p.report.LeftOut, LeftOut{all[0], all[1], all[2]})
	}
	return p.sink.end(ctx, false)
}

// inFile gives a journal the frames of one session in a file.
type inFile struct {
	*reading
	readOnly
	at   int64 // where the last frame stands
	last journal.Frame
}

// Read yields the frames up to the next record of another kind, which it puts back.
func (f *inFile) Read(context.Context, string, uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		for {
			rec, err := f.next(kindFrame, kindEnd, kindLeftOut, kindSession)
			if err != nil {
				yield(journal.Frame{}, err)
				return
			}
			if rec.kind != kindFrame {
				f.back = &rec
				return
			}
			at, data, err := cutNumbers(rec.content, 2)
			if err != nil {
				yield(journal.Frame{}, &Fault{At: rec.at, Reason: err})
				return
			}
			f.at, f.last = rec.at, journal.Frame{First: at[0], Last: at[1], Data: data}
			if !yield(f.last, nil) {
				return
			}
		}
	}
}
