package agui

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"unicode/utf8"

	"candor/session"
	"candor/web/sse"
)

// writer writes events as server-sent events: one line of data each, with line feeds
// only, because AG-UI's clients accept nothing else.
type writer struct{ *sse.Writer }

// open sends the headers. From then on errors can only be sent as events.
func (s *Server) open(w http.ResponseWriter, r *http.Request) writer {
	return writer{sse.Open(w, r, s.options.WriteTimeout)}
}

// send writes events in one write.
func (o writer) send(events ...Event) {
	var b bytes.Buffer
	for _, e := range events {
		o.put(&b, "", e)
	}
	o.Write(b.Bytes())
}

// put appends an event as [frame] does, or as several if it is a text that is longer than the client takes.
func (o writer) put(b *bytes.Buffer, id string, e Event) {
	for piece, isLast := range pieces(e, o.Max()/8) { // a character has six bytes at most more in JSON
		if isLast {
			frame(b, id, piece)
		} else {
			frame(b, "", piece)
		}
	}
}

// pieces yields the parts of an event whose text a client puts together, each with at most size bytes of it, and any
// other event as it is; 0 is no limit.
func pieces(e Event, size int) iter.Seq2[Event, bool] {
	return func(yield func(e Event, isLast bool) bool) {
		var text *string
		var with func(delta string) Event
		switch e := e.(type) {
		case *Content:
			text, with = &e.Delta, func(delta string) Event { c := *e; c.Delta = delta; return &c }
		case *Args:
			text, with = &e.Delta, func(delta string) Event { a := *e; a.Delta = delta; return &a }
		}
		if text == nil || size == 0 || len(*text) <= size {
			yield(e, true)
			return
		}
		for rest := *text; rest != ""; {
			end := min(size, len(rest))
			for end < len(rest) && end > 0 && !utf8.RuneStart(rest[end]) {
				end--
			}
			delta := rest[:end]
			if rest = rest[end:]; !yield(with(delta), rest == "") {
				return
			}
		}
	}
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
