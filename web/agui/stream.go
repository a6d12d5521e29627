package agui

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"

	"candor/session"
	"candor/web/sse"
)

// writer writes events as server-sent events: one line of data each, with line feeds
// only, because AG-UI's clients accept nothing else.
type writer struct{ *sse.Writer }

// open sends the headers. From then on errors can only be sent as events.
func (s *Server) open(w http.ResponseWriter) writer {
	return writer{sse.Open(w, s.options.WriteTimeout)}
}

// send writes events in one write.
func (o writer) send(events ...Event) {
	var b bytes.Buffer
	for _, e := range events {
		frame(&b, "", e)
	}
	o.Write(b.Bytes())
}

// frame appends an event, with an id unless it is empty. The id comes last: some clients
// store it as soon as its line has arrived, and would resume after an event that was cut off.
func frame(b *bytes.Buffer, id string, e Event) {
	b.WriteString("data: ")
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil { // cannot happen with our own types
		b.WriteString("{}\n")
	}
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	b.WriteByte('\n')
}

// follow yields the session's events after a position until more returns false, the
// client has gone or the log has ended. While nothing happens it sends heartbeats. No
// blank line follows them, because some clients report each one as a message: they belong
// to the next event's block.
func (s *Server) follow(
	ctx context.Context, own *session.Session, after uint64, out writer, more func() bool,
) iter.Seq[session.Update] {
	return func(yield func(session.Update) bool) {
		for more() && !out.Failed() && ctx.Err() == nil {
			wait, cancel := context.WithTimeout(ctx, s.options.Heartbeat)
			for up, err := range own.Watch(wait, after) {
				if err != nil {
					cancel()
					return
				}
				after = up.Event.Seq
				if !yield(up) || !more() || out.Failed() {
					cancel()
					return
				}
			}
			ended := wait.Err() == nil // the log ended, not the wait
			cancel()
			if ended {
				return
			}
			out.Write([]byte(": heartbeat\n"))
		}
	}
}

// writeJSON answers with v. Errors mean that the client has gone, and are ignored.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return nil
}
