package web

import (
	"context"
	"errors"
	"fmt"

	"candor/session"
	"candor/web/sse"
)

// canWatch returns an error unless the session has these threads and jobs, or has yet to tell a reader at
// this position that they were deleted.
func canWatch(ctx context.Context, own *session.Session, threads, jobs []string, from uint64) error {
	for _, id := range threads {
		if _, err := own.Thread(id); err != nil && !own.Erased(ctx, session.Ref{Thread: id}, from) {
			return err
		}
	}
	for _, id := range jobs {
		if _, err := own.Job(id); err != nil && !own.Erased(ctx, session.Ref{Job: id}, from) {
			return err
		}
	}
	return nil
}

// explain says why a stream ends. A client continues behind a part of the log that is damaged, and where it
// was once the storage can be read again.
func (f *feed) explain(err error, at sse.Cursor, yield func(sse.Message) bool) {
	switch {
	case errors.Is(err, session.ErrEvicted):
		yield(f.counts.resync(at))
	case errors.Is(err, session.ErrDamaged):
		_ = yield(unavailable("session_damaged", "A part of the session is damaged and is left out.")) &&
			yield(f.counts.resync(sse.Cursor{Session: f.session.ID(), Seq: f.session.Head()}))
	case errors.Is(err, session.ErrStorage):
		yield(unavailable("storage_failed", "The storage cannot be read at present. Connect again to continue."))
	}
}

// unavailable tells a client that its stream ends because of the storage. It has no id, so the client
// resumes where it was.
func unavailable(code, message string) sse.Message {
	return sse.Message{Name: "unavailable", Data: fmt.Appendf(nil, `{"code":%q,"message":%q,"type":"unavailable"}`,
		code, message)}
}
