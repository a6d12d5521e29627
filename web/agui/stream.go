package agui

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"candor/session"
)

// writer writes events as server-sent events: one line of data each, with line feeds
// only, because AG-UI's clients accept nothing else. After a write has failed it does
// nothing.
type writer struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	failed  bool // the client has gone
}

// open sends the headers. From then on errors can only be sent as events.
func (s *Server) open(w http.ResponseWriter) *writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	out := &writer{w: w, rc: http.NewResponseController(w), timeout: s.options.WriteTimeout}
	_ = out.rc.SetReadDeadline(time.Time{}) // the server's deadline for requests, which a stream outlives
	w.WriteHeader(http.StatusOK)
	return out
}

// send writes events in one write.
func (o *writer) send(events ...Event) {
	var b bytes.Buffer
	for _, e := range events {
		frame(&b, "", e)
	}
	o.write(b.Bytes())
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

// write writes and flushes p, within the write timeout.
func (o *writer) write(p []byte) {
	if o.failed || len(p) == 0 {
		return
	}
	// It fails only for a writer without a connection, such as a test recorder.
	_ = o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if _, err := o.w.Write(p); err != nil {
		o.failed = true
		return
	}
	o.failed = o.rc.Flush() != nil
}

// follow yields the session's events after a position until more returns false, the
// client has gone or the log has ended. While nothing happens it sends heartbeats. No
// blank line follows them, because some clients report each one as a message: they belong
// to the next event's block.
func (s *Server) follow(
	ctx context.Context, own *session.Session, after uint64, out *writer, more func() bool,
) iter.Seq[session.Update] {
	return func(yield func(session.Update) bool) {
		for more() && !out.failed && ctx.Err() == nil {
			wait, cancel := context.WithTimeout(ctx, s.options.Heartbeat)
			for up, err := range own.Watch(wait, after) {
				if err != nil {
					cancel()
					return
				}
				after = up.Event.Seq
				if !yield(up) || !more() || out.failed {
					cancel()
					return
				}
			}
			ended := wait.Err() == nil // the log ended, not the wait
			cancel()
			if ended {
				return
			}
			out.write([]byte(": heartbeat\n"))
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
