package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/tmaxmax/go-sse"
)

// Stream says which events to follow: those of the threads and jobs named, or all of
// the user's when there are neither. After is the id of the last event seen; empty
// begins with what happens next.
type Stream struct {
	Threads, Jobs []string
	After         string
}

// Kinds of event that the client itself makes; the rest are the server's.
const (
	Connected = "client_connected" // the stream is open, for the first time or again
	Lost      = "client_lost"      // the connection is gone; it is tried again
)

// Event is one event of a stream. Only the members of its type are set.
type Event struct {
	ID   string `json:"-"`
	Type string `json:"type"`
	Raw  []byte `json:"-"` // the JSON it came as; nil for those of the client
	Err  error  `json:"-"` // why the connection was lost

	ThreadID   string    `json:"thread_id"`
	JobID      string    `json:"job_id"`
	TurnNumber int       `json:"turn_number"`
	At         time.Time `json:"at"`
	MessageID  string    `json:"message_id"` // of status and of the first thinking
	Message    string    `json:"message"`    // of thinking, status, error and job_status
	State      string    `json:"state"`      // of status and job_status
	Title      string    `json:"title"`      // of job_started
	Role       string    `json:"role"`       // of job_message
	Content    string    `json:"content"`    // of response and job_message
	Success    bool      `json:"success"`    // of tool_completed and job_result
	From       string    `json:"from"`       // of handoff
	To         string    `json:"to"`
	Text       string    `json:"text"`
	Answer     string    `json:"answer"` // of approval_answered
	Narrative  string    `json:"narrative"`

	NarrativeBlocked bool `json:"narrative_blocked"`

	// Of tool_started, tool_completed, tool_result, job_tool_use and job_tool_result.
	Name    string          `json:"name"`
	Error   string          `json:"error"`
	Preview string          `json:"preview"`
	Shape   *ResultShape    `json:"result_shape"`
	Input   json.RawMessage `json:"input"`
	Output  json.RawMessage `json:"output"`

	Decision             // of one call
	Decisions []Decision `json:"tool_decisions"` // of reasoning_update and job_reasoning

	RequestID   string `json:"request_id"` // of approval_needed and approval_answered
	Description string `json:"description"`
	AllowAlways bool   `json:"allow_always"`
}

// Approval is the question that an approval_needed asks.
func (e Event) Approval() Approval {
	return Approval{
		RequestID: e.RequestID, CallID: e.CallID, ToolName: e.ToolName, Description: e.Description, Rationale: e.Rationale,
		Source: e.Source, Parameters: e.Parameters, AllowAlways: e.AllowAlways,
	}
}

const (
	maxEvent = 16 << 20 // bytes
	// maxSilence is how long a stream may say nothing, heartbeats included, before it
	// is taken for dead; the server's heartbeat comes every 15 seconds.
	maxSilence = 50 * time.Second
	firstWait  = 250 * time.Millisecond
	longestTry = 10 * time.Second
)

// Events yields events as they happen, each once and in order, until ctx ends. When
// the connection is lost it yields a Lost and tries again until it is back, which is
// a Connected. The only errors, after which it ends, are refusals: a thread that is not
// there, a token that does not count.
func (c *Client) Events(ctx context.Context, s Stream) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for wait := firstWait; ctx.Err() == nil; wait = min(2*wait, longestTry) {
			before := s.After
			on, err := c.connection(ctx, &s, yield)
			if !on || ctx.Err() != nil {
				return
			}
			if e, ok := errors.AsType[*Error](err); ok && e.Status < 500 && e.Status != http.StatusTooManyRequests {
				yield(Event{}, err)
				return
			}
			if !yield(Event{Type: Lost, Err: err}, nil) {
				return
			}
			if s.After != before {
				wait = firstWait
			}
			select {
			case <-ctx.Done():
			case <-time.After(wait/2 + rand.N(wait)):
			}
		}
	}
}

// connection follows one connection to its end and moves s.After along. on is false
// once the caller wants no more.
func (c *Client) connection(ctx context.Context, s *Stream, yield func(Event, error) bool) (on bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := url.Values{"thread_id": s.Threads, "job_id": s.Jobs}
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.After != "" {
		header.Set("Last-Event-ID", s.After)
	}
	resp, err := c.open(ctx, http.MethodGet, "/api/chat/events?"+q.Encode(), nil, header)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close()
	if !yield(Event{Type: Connected}, nil) {
		return false, nil
	}
	dead := time.AfterFunc(maxSilence, func() { cancel(errors.New("it says nothing any more")) })
	defer dead.Stop()
	body := &liveReader{from: resp.Body, alive: func() { dead.Reset(maxSilence) }}
	for raw, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return true, err
		}
		if e, ok := decodeEvent(raw); ok && !yield(e, nil) {
			return false, nil
		}
		s.After = raw.LastEventID
	}
	return true, io.ErrUnexpectedEOF
}

// decodeEvent reads an event; ok is false for one that only names a place.
func decodeEvent(raw sse.Event) (e Event, ok bool) {
	e = Event{ID: raw.LastEventID, Raw: []byte(raw.Data)}
	if raw.Data == "" || json.Unmarshal(e.Raw, &e) != nil {
		return e, false
	}
	return e, true
}

// liveReader tells when something was read, and makes every end an unexpected one:
// the parser would take what came of an event that was cut off for a whole one, and
// its id for a place that was reached.
type liveReader struct {
	from  io.Reader
	alive func()
}

// Read implements io.Reader.
func (r *liveReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 {
		r.alive()
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
