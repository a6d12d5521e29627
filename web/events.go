package web

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// events handles GET /api/chat/events?thread_id=&job_id=&last_event_id=&max_event_bytes=&token=, which
// answers with text/event-stream.
//
// Without a cursor the stream begins with a position event, whose id is the cursor of the
// present, and continues with the next event; with one, with the events after it.
// thread_id and job_id may be repeated; the stream then has the events of all that are
// named, and without either those of the whole session.
//
// What a running step says comes in step_text events, which have no id: a client that
// reconnects in the middle of a step gets the step's text anew.
//
// The cursor is the id of an event, in the header Last-Event-ID or in last_event_id, which may be spelled like the
// header or lastEventId; the header wins. A cursor of another session, or of an event that the log never had, or from
// before something was dropped of which the log does not tell any more, gets a resync event:
// the client must fetch the history and continue from there. What was dropped since comes as
// a dropped event, on every stream, and what was deleted as thread_deleted or job_deleted. A stream that
// cannot be read from the storage ends with an unavailable event.
//
// Errors: no_thread, no_job; bad_cursor if last_event_id is not an id, or has the name of another server's parameter;
// too_many_streams.
func (s *Server) events(c echo.Context, own *session.Session) error {
	query := c.QueryParams()
	return s.stream(c.Response(), c.Request(), own, query["thread_id"], query["job_id"])
}

// StreamJobs serves the events of the jobs with these ids as server-sent events, or
// of the whole session if there are none. The stream counts as one of the user's.
func (s *Server) StreamJobs(w http.ResponseWriter, r *http.Request, own *session.Session, ids ...string) error {
	return s.stream(w, r, own, nil, ids)
}

// stream serves the events of these threads and jobs, or of all if there are
// neither.
func (s *Server) stream(
	w http.ResponseWriter, r *http.Request, own *session.Session, threads, jobs []string,
) error {
	from, first, err := s.resumePoint(r, own)
	if err == nil {
		err = canWatch(r.Context(), own, threads, jobs, from.Seq)
	}
	if err != nil {
		return err
	}
	leave, err := s.open.enter(own.User())
	if err != nil {
		return err
	}
	f := &feed{
		session: own, encoder: s.encoder, threads: threads, jobs: jobs,
		from: from, first: first, heartbeat: s.options.Heartbeat, counts: &s.streamCounts,
	}
	f.share = &streamShare{enter: func(ctx context.Context) (leave func(), err error) {
		return s.answers.enter(ctx, own.User())
	}}
	afterwards(w, r, func(w http.ResponseWriter) {
		defer leave()
		s.streams.Serve(w, r, f.messages, f.share.leave)
	})
	return nil
}

// tailKey is the context key of a request's tail.
type tailKey struct{}

// tail is what remains to be done for a request when its handler and all middleware have returned.
type tail struct{ serve func(w http.ResponseWriter) }

// ServeHTTP implements http.Handler. It serves a stream after the handler that accepted it has
// returned: a stream waits for most of its life, and the stack of the middleware would wait with it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := &tail{}
	s.echo.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tailKey{}, t)))
	if t.serve != nil {
		t.serve(w)
	}
}

// afterwards has a request served by serve once its handler, which writes nothing, has returned nil.
func afterwards(w http.ResponseWriter, r *http.Request, serve func(w http.ResponseWriter)) {
	if t, ok := r.Context().Value(tailKey{}).(*tail); ok {
		t.serve = serve
		return
	}
	serve(w)
}

// resumePoint returns the position from which the stream continues, and the event that
// tells the client about it: resync if the client named a position that the session never
// had, position if it named none, and nil if it continues where it was. In the first
// two cases from is the present. Positions behind which the log tells nothing are found by
// feed.yieldUntil, since a reader may come to be at one at any time.
func (c *streamCounts) resumePoint(r *http.Request, own *session.Session) (
	from sse.Cursor, first func(sse.Cursor) sse.Message, err error,
) {
	now := sse.Cursor{Session: own.ID(), Seq: own.Head()}
	asked, err := sse.Read(r)
	if err != nil {
		return now, nil, BadCursor(err)
	}
	if asked.ID == "" {
		return now, position, nil
	}
	at, ok := sse.ParseCursor(asked.ID)
	if !ok && asked.InQuery {
		// The same in the header is no error: a browser may send the id of another
		// server's event there, and would never reconnect after an error.
		return now, nil, problem.New(http.StatusBadRequest, "bad_cursor",
			"last_event_id has to be the id of an event of this stream. Leave it out to begin with what happens next.")
	}
	if !ok || !at.Of(own.ID()) || at.Seq > now.Seq || (at.Seq == now.Seq && at.Part > 0) {
		return now, c.resync, nil
	}
	at.Session = own.ID()
	c.resumed.Add(1)
	return at, nil, nil
}

// BadCursor is the answer to a request for a stream that [sse.Read] does not accept.
func BadCursor(err error) *problem.Problem {
	text := err.Error()
	return problem.New(http.StatusBadRequest, "bad_cursor", strings.ToUpper(text[:1])+text[1:]+".")
}

// feed is the sequence of messages for one client.
type feed struct {
	session   *session.Session
	encoder   *view.Encoder
	threads   []string // if both this
	jobs      []string // and this are empty, all events are wanted
	from      sse.Cursor
	first     func(sse.Cursor) sse.Message // makes the event that precedes all others; nil for none
	heartbeat time.Duration
	share     *streamShare
	counts    *streamCounts
	waits     bool // a message was yielded that more were to follow
}

// messages yields the events after f.from, then new ones as they happen, until ctx or
// the session ends. It yields a heartbeat whenever nothing happened for long.
func (f *feed) messages(ctx context.Context) iter.Seq[sse.Message] {
	return func(yield func(sse.Message) bool) {
		at := f.from
		if f.first != nil && !yield(f.first(at)) {
			return
		}
		for ctx.Err() == nil {
			wait, cancel := context.WithTimeout(ctx, f.heartbeat)
			open := f.yieldUntil(wait, &at, yield)
			cancel()
			if !open || ctx.Err() != nil || !yield(sse.Message{ID: at, Heartbeat: true}) {
				return
			}
		}
	}
}

// yieldUntil yields messages and advances at until ctx ends. It returns false if the
// stream is over.
func (f *feed) yieldUntil(ctx context.Context, at *sse.Cursor, yield func(sse.Message) bool) bool {
	defer f.share.leave()
	for up, err := range f.session.WatchLive(ctx, at.Seq) {
		if err != nil {
			f.explain(err, *at, yield)
			return false
		}
		behind := f.session.Head() - up.Event.Seq
		if up.Text == nil && f.share.spend(ctx, behind) != nil {
			break
		}
		if at.Seq < f.session.Gone() {
			*at = sse.Cursor{Session: f.session.ID(), Seq: f.session.Head()}
			return yield(f.counts.resync(*at)) // and go on from there
		}
		if up.Text != nil {
			if f.wants(up.Text.Ref) && !f.yieldText(up, yield) {
				return false
			}
			continue
		}
		if f.wants(up.Event.Ref) && !f.yieldEvent(up, at, behind > 0, yield) {
			return false
		}
		at.Seq, at.Part = up.Event.Seq, 0
		if behind == 0 && f.waits && !f.yield(sse.Message{}, yield) {
			return false // what waits was to be followed by events that the client does not want
		}
	}
	return ctx.Err() != nil
}

// yieldEvent yields the frames of one event that the client has not seen. more says that the log has
// further events.
func (f *feed) yieldEvent(up session.Update, at *sse.Cursor, more bool, yield func(sse.Message) bool) bool {
	lines, err := f.encoder.Lines(up)
	if err != nil {
		return false // the client resumes here
	}
	for i := min(at.Part, len(lines)); i < len(lines); i++ {
		id := sse.CursorAt(up.Event.Session, up.Event.Seq, i+1, len(lines))
		m := sse.Message{ID: id, Name: lines[i].Name, Frame: lines[i].Data, More: more || i+1 < len(lines)}
		if !f.yield(m, yield) {
			return false
		}
		*at = id
	}
	return true
}

// yield yields a message and notes whether it may wait for another.
func (f *feed) yield(m sse.Message, yield func(sse.Message) bool) bool {
	f.waits = m.More
	return yield(m)
}

// yieldText yields a part of a running step's text. It has no id, so the client's position
// stays where it is.
func (f *feed) yieldText(up session.Update, yield func(sse.Message) bool) bool {
	lines, err := f.encoder.Lines(up)
	if err != nil {
		return false
	}
	for _, line := range lines {
		if !f.yield(sse.Message{Name: line.Name, Frame: line.Data}, yield) {
			return false
		}
	}
	return true
}

// frameLines frames the lines of an event for all streams. Those of events in the log get their ids.
func frameLines(session string, seq uint64, lines []view.Line) {
	for i, line := range lines {
		m := sse.Message{Name: line.Name, Data: line.Data}
		if seq > 0 {
			m.ID = sse.CursorAt(session, seq, i+1, len(lines))
		}
		lines[i].Data = sse.Encode(m)
	}
}

func (f *feed) wants(e session.Ref) bool {
	if len(f.threads) == 0 && len(f.jobs) == 0 || e == (session.Ref{}) {
		return true
	}
	return e.Thread != "" && slices.Contains(f.threads, e.Thread) || e.Job != "" && slices.Contains(f.jobs, e.Job)
}

// position tells a client that named no position where the stream begins. Its id makes a
// client that is disconnected before the first event resume there, and so miss nothing.
func position(now sse.Cursor) sse.Message {
	return sse.Message{ID: now, Name: "position", Data: fmt.Appendf(nil, `{"type":"position","event_id":%q}`, now)}
}

// resync tells the client that its position is gone: it must fetch the history, and
// the stream continues from now. It is counted.
func (c *streamCounts) resync(now sse.Cursor) sse.Message {
	c.resynced.Add(1)
	const data = `{"message":"The place you asked for is gone. Fetch history, then go on with this stream.",` +
		`"type":"resync"}`
	return sse.Message{ID: now, Name: "resync", Data: []byte(data)}
}

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
