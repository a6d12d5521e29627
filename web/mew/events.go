package mew

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"

	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
)

var errTooManyStreams = problem.New(http.StatusTooManyRequests, "too_many_streams",
	"The space or the participant has as many connections as allowed. Close one first.")

// events handles GET /mew/events?space=&context=&type=&view=, which answers with
// text/event-stream: an event "envelope" for each message from now on, or after the one named
// by Last-Event-ID or last_event_id. A position that the space does not have any more gets an event "resync",
// and the stream goes on with what the space still has.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
	f, err := parseFilter(r.URL.Query())
	if err != nil {
		return err
	}
	who := readerOf(r)
	asked, err := sse.Read(r)
	if err != nil {
		return problem.New(http.StatusBadRequest, "bad_cursor", err.Error()+".")
	}
	from, first := who.space.resumeAt(asked.ID)
	leave, err := who.space.startReading(&who)
	if err != nil {
		return err
	}
	defer leave()
	read := feed{
		server: s, space: who.space, who: who, filter: f, at: from, first: first,
	}
	s.streams.Serve(w, r, read.messages, func() {}) // it waits without a share of the processors
	return nil
}

// startReading counts an event stream until leave is called, and notes the participant that reads.
func (s *space) startReading(who *caller) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[who.participant]
	if m == nil && who.owner == "" || s.closed {
		return nil, errNoSpace
	}
	if len(s.links)+s.readers >= maxLinks || m != nil && m.present+m.reading >= maxLinksEach {
		return nil, errTooManyStreams
	}
	who.member = m
	s.readers++
	if m != nil {
		m.reading++
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.readers--
		if m != nil {
			m.reading--
		}
	}, nil
}

// resumeAt returns the position after which a stream continues that names an event, and the message that tells the
// client about it, nil if it continues where it was.
func (s *space) resumeAt(id string) (from uint64, first *sse.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.history
	if id == "" {
		return h.last, s.marker("position", h.last)
	}
	at, ok := sse.ParseCursor(id)
	if !ok || !at.Of(s.id) || at.Seq > h.last {
		return h.gone(), s.marker("resync", h.gone())
	}
	return at.Seq, nil // if that is gone, the feed says so
}

// marker is a message about a position.
func (s *space) marker(name string, seq uint64) *sse.Message {
	return &sse.Message{ID: s.cursor(seq), Name: name, Data: fmt.Appendf(nil, `{"dropped_messages":%d}`, seq)}
}

// cursor returns the id of the event after which a reader has seen everything up to seq.
func (s *space) cursor(seq uint64) sse.Cursor { return sse.Cursor{Session: s.id, Seq: seq} }

// feed is the sequence of messages for one event stream.
type feed struct {
	server *Server
	space  *space
	who    caller
	filter filter
	at     uint64
	first  *sse.Message
}

// messages yields the messages after f.at, then new ones as they come, until ctx, the space or
// the reader's part in it ends. It yields a heartbeat whenever nothing happened for long.
func (f feed) messages(ctx context.Context) iter.Seq[sse.Message] {
	return func(yield func(sse.Message) bool) {
		if f.first != nil && !yield(*f.first) {
			return
		}
		for {
			page, more, open := f.next()
			for _, m := range page {
				if !yield(m) {
					return
				}
			}
			if !open {
				return
			}
			if more == nil {
				continue
			}
			wait, cancel := context.WithTimeout(ctx, f.server.options.Heartbeat)
			select {
			case <-more:
			case <-wait.Done():
			}
			idle := wait.Err() != nil
			cancel()
			if ctx.Err() != nil || idle && !yield(sse.Message{Heartbeat: true}) {
				return
			}
		}
	}
}

// next returns what follows and advances. more is closed once there is something else; it is
// nil if there already is. open is false if the stream is over.
func (f *feed) next() (page []sse.Message, more <-chan struct{}, open bool) {
	f.space.mu.Lock()
	defer f.space.mu.Unlock()
	h := f.space.history
	if f.space.closed || f.who.owner == "" && f.space.members[f.who.participant] != f.who.member {
		return nil, nil, false
	}
	if f.at < h.gone() { // it fell behind
		f.at = h.gone()
		page = append(page, *f.space.marker("resync", f.at))
	}
	for _, e := range h.after(f.at) {
		f.at = e.seq
		if f.filter.passes(e, f.who.participant) {
			page = append(page, sse.Message{ID: f.space.cursor(e.seq), Name: "envelope", Data: oneLine(e.message.Raw)})
		}
	}
	if f.at < h.last {
		return page, nil, true
	}
	return page, h.more, true
}

// oneLine returns JSON without line breaks.
func oneLine(raw []byte) []byte {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	var out bytes.Buffer
	_ = json.Compact(&out, raw) // it is valid
	return out.Bytes()
}
