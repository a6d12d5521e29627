package web

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// events: GET /api/chat/events?thread_id=&job_id=&last_event_id=&token=, as text/event-stream.
//
// Without a cursor the stream begins with what happens next; with one, with what
// happened after it. thread_id and job_id may be given more than once.
func (s *Server) events(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	return s.stream(c, own, c.QueryParams()["thread_id"], c.QueryParams()["job_id"])
}

// stream sends the events of these threads and jobs, or of all when there are
// neither.
func (s *Server) stream(c echo.Context, own *session.Session, threads, jobs []string) error {
	for _, id := range threads {
		if _, err := own.Thread(id); err != nil {
			return err
		}
	}
	for _, id := range jobs {
		if _, err := own.Job(id); err != nil {
			return err
		}
	}
	from, known, err := s.resumePoint(c, own)
	if err != nil {
		return err
	}
	leave, err := s.streams.enter(userOf(c))
	if err != nil {
		return err
	}
	defer leave()
	f := feed{session: own, encoder: s.encoder, threads: threads, jobs: jobs, from: from, lost: !known, heartbeat: s.Heartbeat}
	s.streams.serve(c.Response(), c.Request(), from, f.messages)
	return nil
}

// resumePoint reads where the client wants to go on. known is false when it named
// a place that this session does not have; from is then the present.
func (s *Server) resumePoint(c echo.Context, own *session.Session) (from Cursor, known bool, err error) {
	now := Cursor{Session: own.ID(), Seq: own.Head()}
	id := c.Request().Header.Get("Last-Event-ID")
	asked := c.QueryParam("last_event_id")
	if id == "" {
		id = asked
	}
	if id == "" {
		return now, true, nil
	}
	at, ok := ParseCursor(id)
	if !ok && id == asked {
		// In the header it may be another server's, which a browser sends unasked
		// and for which it would take an error as final.
		return now, false, problem(http.StatusBadRequest, "bad_cursor",
			"last_event_id has to be the id of an event of this stream. Leave it out to begin with what happens next.")
	}
	if !ok || !at.Of(own.ID()) || at.Seq > now.Seq || (at.Seq == now.Seq && at.Part > 0) {
		return now, false, nil
	}
	at.Session = own.ID()
	return at, true, nil
}

// message is a frame ready to be sent, or a sign of life.
type message struct {
	id    Cursor
	name  string
	data  []byte // one line of JSON
	quiet bool   // nothing happened; only the connection is to be kept alive
}

// feed is one client's view of a session.
type feed struct {
	session   *session.Session
	encoder   *encoder
	threads   []string // neither these
	jobs      []string // nor these means all
	from      Cursor
	lost      bool // the client asked for a place that is not there
	heartbeat time.Duration
}

// messages yields what the client has not seen, then what happens, until ctx ends
// or the session does. It yields a quiet message when a heartbeat is due.
func (f feed) messages(ctx context.Context) iter.Seq[message] {
	return func(yield func(message) bool) {
		at := f.from
		if f.lost && !yield(resync(at)) {
			return
		}
		for ctx.Err() == nil {
			wait, cancel := context.WithTimeout(ctx, f.heartbeat)
			on := f.until(wait, &at, yield)
			cancel()
			if !on || ctx.Err() != nil || !yield(message{id: at, quiet: true}) {
				return
			}
		}
	}
}

// until yields messages and moves at along with them until ctx ends; then it
// says true. It says false when the stream is over.
func (f feed) until(ctx context.Context, at *Cursor, yield func(message) bool) bool {
	for up, err := range f.session.Watch(ctx, at.Seq) {
		if err != nil {
			if errors.Is(err, session.ErrEvicted) {
				yield(resync(*at))
			}
			return false
		}
		if !f.wants(up.Event) {
			at.Seq, at.Part = up.Event.Seq, 0
			continue
		}
		all := f.encoder.messages(up)
		for _, m := range all[min(at.Part, len(all)):] {
			if !yield(m) {
				return false
			}
			*at = m.id
		}
		at.Seq, at.Part = up.Event.Seq, 0
	}
	return ctx.Err() != nil
}

func (f feed) wants(e session.Event) bool {
	if len(f.threads) == 0 && len(f.jobs) == 0 {
		return true
	}
	return e.Thread != "" && slices.Contains(f.threads, e.Thread) || e.Job != "" && slices.Contains(f.jobs, e.Job)
}

// resync tells the client that its place is gone: it has to fetch history, and
// the stream goes on from the present.
func resync(now Cursor) message {
	return message{id: now, name: "resync", data: encodeLine(map[string]string{
		"type": "resync", "message": "The place you asked for is gone. Fetch history, then go on with this stream.",
	})}
}
