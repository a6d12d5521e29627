package openwop

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"candor/session"
	"candor/web"
	"candor/web/problem"
)

// How long a poll waits for an event.
const (
	pollTime    = 10 * time.Second // if the client does not say
	maxPollTime = 30 * time.Second
)

// page is what one answer has of a run's events.
type page struct {
	events  []Event
	last    int          // the sequence number up to which the client has all that it wants
	turn    session.Turn // as it was after them
	ended   bool         // they are the run's last
	hasMore bool         // there are more than one answer has
}

// polled is the answer to a poll.
type polled struct {
	RunID        string  `json:"runId"`
	Events       []Event `json:"events"`
	LastSequence int     `json:"lastSequence"`
	Status       Status  `json:"status"`
	IsTerminal   bool    `json:"isTerminal"`
}

// listed is the answer to a request for a run's events as JSON.
type listed struct {
	Events  []Event `json:"events"`
	HasMore bool    `json:"x-candor-has-more,omitempty"` // ask again, with the last one's number as Last-Event-ID
}

// list returns the page as an answer, whose list is never null.
func (p page) list() listed {
	if p.events == nil {
		p.events = []Event{}
	}
	return listed{Events: p.events, HasMore: p.hasMore}
}

// poll handles GET /v1/runs/{run}/events/poll?lastSequence=&timeout=, which version 2 calls
// afterSequence: the events after that number, at the latest after timeout seconds.
//
// Errors: unsupported_stream_mode; not_found; replay_source_missing, with status 410;
// validation_error; rate_limited.
func (s *Server) poll(w http.ResponseWriter, in *incoming) error {
	r, err := s.parseReading(in)
	if err != nil {
		return err
	}
	if r.after, err = in.polledAfter(); err != nil {
		return err
	}
	wait, err := parseTimeout(in.URL.Query().Get("timeout"))
	if err != nil {
		return err
	}
	leave, err := s.enter(in.who.User)
	if err != nil {
		return err
	}
	defer leave()
	// It fails only for a writer without a connection, such as a test recorder.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + s.options.WriteTimeout))
	p := r.gather(in.Context(), in.own, wait)
	return problem.WriteJSON(w, in.Request, http.StatusOK, polled{
		RunID: in.runID(), Events: p.list().Events, LastSequence: p.last, Status: StatusOf(r.view, p.turn),
		IsTerminal: p.ended,
	})
}

// polledAfter returns the number of the event after which a client polls. The name of it in the
// other version is refused, since the client would get all events again and again.
func (in *incoming) polledAfter() (int, error) {
	name, other := "lastSequence", "afterSequence"
	if in.version == V2 {
		name, other = other, name
	}
	if in.URL.Query().Has(other) {
		return 0, badRequest("This version of the protocol calls the position " + name + ", not " + other + ".")
	}
	return parseCursor(in.URL.Query().Get(name))
}

// parseTimeout parses how many seconds a poll waits. More than the server allows is as much as
// it allows.
func parseTimeout(text string) (time.Duration, error) {
	if text == "" {
		return pollTime, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0) {
		return 0, badRequest("timeout has to be a number of seconds.")
	}
	return time.Duration(min(seconds, maxPollTime.Seconds()) * float64(time.Second)), nil
}

// gather collects a run's events that the client does not have, as many as one answer may have.
// If there are none, it waits for some.
func (r reading) gather(ctx context.Context, own *session.Session, wait time.Duration) page {
	p := page{last: r.after, turn: r.turn}
	projector := NewProjector(r.view)
	size := 0
	collect := func(ctx context.Context, after, until uint64) {
		for up, err := range own.Watch(ctx, after) {
			if err != nil || isGone(up, own, r.turn) {
				return
			}
			if isOf(up, r.turn) {
				p.turn = up.Turn
				for _, e := range r.shown(up.Turn, projector.Project(up.Turn, up.Event)) {
					if size += len(jsonOf(e)); size > maxAnswer && len(p.events) > 0 {
						p.hasMore = true
						return
					}
					p.events, p.last = append(p.events, e), e.Sequence
				}
			}
			if p.ended = projector.Ended(); p.ended || up.Event.Seq >= until && (until > 0 || len(p.events) > 0) {
				return
			}
		}
	}
	head := own.Head()
	collect(ctx, r.turn.FirstSeq-1, head)
	if len(p.events) > 0 || p.ended || wait == 0 {
		return p
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = web.Aside(ctx, func() { collect(waiting, head, 0) }) // fails if the client has gone
	return p
}
