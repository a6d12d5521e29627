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

// writer frames events: a line of data each, ended by line feeds alone, which is all
// that the protocol's clients take. After a failed write it stays silent.
type writer struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	failed  bool
}

// open begins the answer, which is a stream from then on.
func (s *Server) open(w http.ResponseWriter) *writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	out := &writer{w: w, rc: http.NewResponseController(w), timeout: s.WriteTimeout}
	_ = out.rc.SetReadDeadline(time.Time{}) // a request's, and a stream outlives it
	w.WriteHeader(http.StatusOK)
	return out
}

// send writes events in one go.
func (o *writer) send(events ...Event) {
	var b bytes.Buffer
	for _, e := range events {
		frame(&b, "", e)
	}
	o.write(b.Bytes())
}

// frame appends an event, with an id where it has one.
func frame(b *bytes.Buffer, id string, e Event) {
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	b.WriteString("data: ")
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil { // it cannot: the values are our own types
		b.WriteString("{}\n")
	}
	b.WriteByte('\n')
}

func (o *writer) write(p []byte) {
	if o.failed || len(p) == 0 {
		return
	}
	// A test recorder has no deadline to set; a connection does.
	_ = o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if _, err := o.w.Write(p); err != nil {
		o.failed = true
		return
	}
	o.failed = o.rc.Flush() != nil
}

// follow yields what happens in a session after a place while on says so, until the
// client has gone or the log has ended. It keeps the connection alive meanwhile.
func (s *Server) follow(ctx context.Context, own *session.Session, after uint64, out *writer, on func() bool) iter.Seq[session.Update] {
	return func(yield func(session.Update) bool) {
		for on() && !out.failed && ctx.Err() == nil {
			wait, cancel := context.WithTimeout(ctx, s.Heartbeat)
			for up, err := range own.Watch(wait, after) {
				if err != nil {
					cancel()
					return
				}
				after = up.Event.Seq
				if !yield(up) || !on() || out.failed {
					cancel()
					return
				}
			}
			ended := wait.Err() == nil // the log did, not our patience
			cancel()
			if ended {
				return
			}
			out.write([]byte(": heartbeat\n\n"))
		}
	}
}

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client has gone
	return nil
}
