package openwop

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor/session"
	"candor/web/problem"
	"candor/web/sse"
)

// What one answer may hold.
const (
	// maxAnswer is how many bytes of events one answer has. It has one event in any case.
	maxAnswer = 4 << 20
	// maxBatchTime is how long a client may have events collected before they are sent.
	maxBatchTime = 5 * time.Second
	// maxBatchSize is how many bytes of events are collected at most.
	maxBatchSize = 256 << 10
)

// reading is what a client wants of a run's events.
type reading struct {
	turn  session.Turn // as it was when the request came
	view  View
	mode  Mode
	after int           // the sequence number that the client has; -1 if none
	batch time.Duration // collect events for this long; 0 sends each at once
}

// parseReading parses what is common to all ways of reading events. The mode comes first, as
// the protocol wants it.
func (s *Server) parseReading(in *incoming) (reading, error) {
	q := in.URL.Query()
	mode := cmp.Or(Mode(q.Get("streamMode")), Updates)
	if !slices.Contains(Modes(), mode) {
		return reading{}, problem.New(http.StatusBadRequest, "unsupported_stream_mode",
			"streamMode has to be one of updates, values, messages, debug.").With("supported", Modes())
	}
	t, err := in.turn()
	return reading{turn: t, view: s.viewOf(in, t), mode: mode, after: -1}, err
}

// parseCursor parses the number of an event that a client has. Without one it has none.
func parseCursor(text string) (int, error) {
	if text == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(text, 10, 63)
	if err != nil || n < 0 {
		return 0, badRequest("The position has to be the sequence number of an event of this run, from 0.")
	}
	return int(n), nil
}

// events handles GET /v1/runs/{run}/events?streamMode=&bufferMs= with Last-Event-ID or last_event_id: the events
// after that number, as server-sent events until the run ends, or, for a client that accepts
// JSON and no stream, those that there are.
//
// Errors: unsupported_stream_mode; not_found; replay_source_missing, with status 410;
// validation_error; rate_limited.
func (s *Server) events(w http.ResponseWriter, in *incoming) error {
	r, err := s.parseReading(in)
	if err != nil {
		return err
	}
	asked, err := sse.Read(in.Request)
	if err != nil {
		return badRequest(err.Error() + ".")
	}
	if r.after, err = parseCursor(asked.ID); err != nil {
		return err
	}
	if r.batch, err = parseBatch(in.URL.Query().Get("bufferMs")); err != nil {
		return err
	}
	leave, err := s.enter(in.who.User)
	if err != nil {
		return err
	}
	defer leave()
	if wantsJSON(in.Request) {
		page := r.gather(in.Context(), in.own, 0)
		return problem.WriteJSON(w, in.Request, http.StatusOK, page.list())
	}
	s.stream(in.Context(), in.own, sse.Open(w, in.Request, s.options.WriteTimeout), r)
	return nil
}

// parseBatch parses for how many milliseconds events are to be collected.
func parseBatch(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	ms, err := strconv.Atoi(text)
	wait := time.Duration(ms) * time.Millisecond
	if err != nil || ms < 0 || wait > maxBatchTime {
		return 0, badRequest("bufferMs has to be a number from 0 to 5000.")
	}
	return wait, nil
}

// wantsJSON reports whether the client accepts JSON, and no stream.
func wantsJSON(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "application/json") && !sse.Requested(r)
}

// stream sends a run's events until the run ends or the client has gone, which does not affect
// the run.
func (s *Server) stream(ctx context.Context, own *session.Session, out *sse.Writer, r reading) {
	projector := NewProjector(r.view)
	b := batcher{out: out, wait: r.batch}
	for up := range s.follow(ctx, own, r.turn.FirstSeq-1, out) {
		if isGone(up, own, r.turn) {
			break
		}
		if isOf(up, r.turn) {
			b.add(r.shown(up.Turn, projector.Project(up.Turn, up.Event)))
		}
		if projector.Ended() || up.Event.Seq >= own.Head() && !b.rest(ctx, own, up.Event.Seq) {
			break
		}
	}
	b.flush()
}

// isOf reports whether an event of the log is about a turn.
func isOf(up session.Update, t session.Turn) bool {
	return up.Event.Thread == t.Thread && up.Event.Turn == t.Number
}

// isGone reports whether an event tells that the turn was deleted with its thread, or dropped from memory.
func isGone(up session.Update, own *session.Session, t session.Turn) bool {
	switch up.Event.Body.(type) {
	case session.Erased:
		return up.Event.Thread == t.Thread
	case session.Dropped:
	default:
		return false
	}
	_, err := own.Turn(t.Thread, t.Number)
	return err != nil
}

// shown returns the events that the client wants and does not have.
func (r reading) shown(t session.Turn, all []Event) (some []Event) {
	for _, e := range all {
		if e, ok := r.mode.Show(r.view, t, e); ok && e.Sequence > r.after {
			some = append(some, e)
		}
	}
	return some
}

// follow yields the session's events after a position until the client has gone or the log has
// ended. While nothing happens it sends comments, which are a part of the next event's block: some
// clients report each blank line as a message.
func (s *Server) follow(
	ctx context.Context, own *session.Session, after uint64, out *sse.Writer,
) iter.Seq[session.Update] {
	return func(yield func(session.Update) bool) {
		for !out.Failed() && ctx.Err() == nil {
			wait, cancel := context.WithTimeout(ctx, s.options.Heartbeat)
			for up, err := range own.Watch(wait, after) {
				if err != nil || out.Failed() || !yield(up) {
					cancel()
					return
				}
				after = up.Event.Seq
			}
			over := wait.Err() == nil || ctx.Err() != nil // the log ended, or the client left
			cancel()
			if over {
				return
			}
			out.Write([]byte(":keepalive\n"))
		}
	}
}

// batcher sends events, each at once or several together. The position of several is that of
// the last.
type batcher struct {
	out  *sse.Writer
	wait time.Duration // how long events are collected; 0 sends each at once

	held  [][]byte // encoded
	size  int
	last  int       // sequence number of the last one
	since time.Time // when the first of them was added
}

// add sends events, or holds them.
func (b *batcher) add(events []Event) {
	if b.wait == 0 {
		var frames bytes.Buffer
		for _, e := range events {
			frame(&frames, e.Type(), jsonOf(e), e.Sequence)
		}
		b.out.Write(frames.Bytes())
		return
	}
	for _, e := range events {
		if len(b.held) == 0 {
			b.since = time.Now()
		}
		raw := jsonOf(e)
		// A batch shall not lose events to the length that the client takes.
		if most := b.out.Max() / 2; most > 0 && b.size+len(raw)+len(b.held) > most {
			b.flush()
			b.since = time.Now()
		}
		b.held, b.size, b.last = append(b.held, raw), b.size+len(raw), e.Sequence
	}
	if b.size >= maxBatchSize || len(b.held) > 0 && time.Since(b.since) >= b.wait {
		b.flush()
	}
}

// rest is called when nothing more is in the log. If events are held, it waits until their time
// has come, and sends them unless more came meanwhile. It returns false if ctx ends before.
func (b *batcher) rest(ctx context.Context, own *session.Session, at uint64) bool {
	if len(b.held) == 0 {
		return true
	}
	over := time.NewTimer(time.Until(b.since.Add(b.wait)))
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
		return false
	}
	if own.Head() == at {
		b.flush()
	}
	return true
}

// flush sends what is held.
func (b *batcher) flush() {
	if len(b.held) == 0 {
		return
	}
	var frames bytes.Buffer
	frame(&frames, "batch", append(append([]byte{'['}, bytes.Join(b.held, []byte{','})...), ']'), b.last)
	b.out.Write(frames.Bytes())
	b.held, b.size = nil, 0
}

// frame appends a server-sent event. The id comes last: some clients store it as soon as its
// line has arrived, and would resume after an event that was cut off.
func frame(out *bytes.Buffer, name string, data []byte, sequence int) {
	out.WriteString("event: " + name + "\ndata: ")
	out.Write(data)
	out.WriteString("\nid: " + strconv.Itoa(sequence) + "\n\n")
}
