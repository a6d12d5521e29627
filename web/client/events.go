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

// Stream selects the events to follow: those of some threads and jobs, or all of the
// user's if both are empty. After is the id of the last event seen; with "" the
// stream begins with what happens next.
//
// With Live the stream also has step_text events: whole sentences of a running step, while
// its model writes. They are not in the log and have no ID of their own; one with index 0
// begins the step's text anew, and the step's thinking event, or the event that ends the
// turn, replaces it. After a lost connection the text of a running step is repeated.
type Stream struct {
	Threads, Jobs []string
	After         string
	Live          bool
}

// stepText is the type of the events that only a live stream has.
const stepText = "step_text"

// Types of events that the client makes itself; all others come from the server.
const (
	Connected = "client_connected" // the stream is open, for the first time or again
	Lost      = "client_lost"      // the connection is gone; it is tried again
)

// Event is one event of a stream. Only the members that its type has are set.
type Event struct {
	ID   string `json:"-"`
	Type string `json:"type"`
	Raw  []byte `json:"-"` // the JSON as received; nil for events of the client
	Err  error  `json:"-"` // of Lost: why the connection was lost

	Retry time.Duration `json:"-"` // of Lost: how long until the next try

	Interruption // of status

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
	From       string    `json:"from"`       // of handoff and note
	To         string    `json:"to"`         // of handoff, tool_started and note
	Text       string    `json:"text"`       // of handoff, step_text, note and conclusion
	Model      string    `json:"model"`      // of handoff: what the agent that gets the task asks
	Effort     string    `json:"effort"`     // of handoff: the reasoning that the model is told to make
	Kind       string    `json:"kind"`       // of note, as in Note, and of sealed_reasoning, as in Sealed
	Late       bool      `json:"late"`       // of note
	UserInput  string    `json:"user_input"` // of the first thinking of an observed turn
	Asked      *Asked    `json:"asked"`      // likewise; nil if nobody is known to have asked
	Index      int       `json:"index"`      // of step_text: 0 begins the step's text anew
	Answer     Answer    `json:"answer"`     // of approval_answered, thinking and job_reasoning
	Narrative  string    `json:"narrative"`

	NarrativeSource  string `json:"narrative_source"` // model, or summary: its provider's
	NarrativeBlocked bool   `json:"narrative_blocked"`
	Beside           bool   `json:"beside"`  // of thinking: a summary beside the narrative that follows
	Thought          string `json:"thought"` // of job_tool_use and job_reasoning: such a summary

	Stopped // of response, error, job_message and job_reasoning

	// Of dropped: what the server dropped from memory to make room.
	Threads []DroppedTurns `json:"threads"`
	Jobs    []DroppedRuns  `json:"jobs"`

	// Of tool_started, tool_completed, tool_result, job_tool_use and job_tool_result.
	Name    string          `json:"name"`         // also of handoff, as Model and Effort
	Object  string          `json:"object"`       // the key parameter in a line; when a call starts
	Line    string          `json:"outcome_line"` // what came of a call; when it ends
	Error   string          `json:"error"`
	Preview string          `json:"preview"`
	Shape   *ResultShape    `json:"result_shape"`
	Input   json.RawMessage `json:"input"`
	Output  json.RawMessage `json:"output"`

	Bytes  int     `json:"bytes"`  // of sealed_reasoning, as in Sealed
	Tokens int     `json:"tokens"` // of sealed_reasoning, as in Sealed
	Sealed *Sealed `json:"sealed"` // of job_reasoning: of its step; nil if there was none

	DurationMS *int64 `json:"duration_ms"` // of tool_completed
	Cost       string `json:"cost"`        // of reasoning_update: of the turn so far; "" if not known

	Decision             // of one call
	Decisions []Decision `json:"tool_decisions"` // of reasoning_update and job_reasoning

	RequestID   string `json:"request_id"` // of approval_needed and approval_answered
	Description string `json:"description"`
	AllowAlways bool   `json:"allow_always"`

	Editable bool `json:"editable"` // of approval_needed

	Expires time.Time `json:"expires_at"` // of approval_needed: by the server's clock; zero if it did not say

	Workflow *Workflow `json:"workflow"` // of the first thinking of a run; nil for any other
}

// Answer is how an approval was answered: approve, always, deny, expired or withdrawn. In a
// thinking or job_reasoning event it is BehindAnswer if the text is the provider's summary of
// the reasoning behind the answer, which replaces no text.
type Answer string

// BehindAnswer is the Answer of a thinking event about the step that answers.
const BehindAnswer Answer = "true"

// UnmarshalJSON implements json.Unmarshaler. It accepts a string or a boolean.
func (a *Answer) UnmarshalJSON(raw []byte) error {
	if text := string(raw); text == "true" || text == "false" {
		*a = map[string]Answer{"true": BehindAnswer}[text]
		return nil
	}
	return json.Unmarshal(raw, (*string)(a))
}

// Approval returns the approval that an approval_needed event asks for.
func (e Event) Approval() Approval {
	return Approval{
		RequestID: e.RequestID, CallID: e.CallID, ToolName: e.ToolName, Description: e.Description,
		Rationale: e.Rationale, Source: e.Source, Parameters: e.Parameters, Hidden: e.Hidden,
		AllowAlways: e.AllowAlways, Unsure: e.Unsure, Expires: e.Expires, Editable: e.Editable, Confident: e.Confident,
	}
}

// positionType is the type of the event with which the server tells a client that named no
// position where the stream begins. It moves Stream.After and is not yielded.
const positionType = "position"

const (
	maxEvent = 16 << 20 // bytes
	// maxSilence is how long a stream may be silent before the connection counts as
	// lost. The server sends a heartbeat every 15 seconds.
	maxSilence = 50 * time.Second
	firstWait  = 250 * time.Millisecond
	longestTry = 10 * time.Second
)

// Events yields events as they happen, each once and in order, until ctx ends or the
// caller stops. When the connection is lost it yields an event of type Lost, tries
// again with growing pauses of up to ten seconds, and yields one of type Connected
// when it is back; nothing is missed in between.
//
// The only errors are refusals, such as a thread that does not exist or a token that
// is not valid. After one the iteration ends.
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
			if s.After != before {
				wait = firstWait
			}
			pause := wait/2 + rand.N(wait)
			if !yield(Event{Type: Lost, Err: err, Retry: pause}, nil) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// connection follows one connection to its end and moves s.After behind every event
// that was yielded. on is false once the caller wants no more.
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
	dead := time.AfterFunc(maxSilence, func() { cancel(errors.New("it sent nothing for too long")) })
	defer dead.Stop()
	body := &liveReader{from: resp.Body, alive: func() { dead.Reset(maxSilence) }}
	for raw, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return true, err
		}
		e, ok := decodeEvent(raw)
		if ok && e.Type != positionType && (s.Live || e.Type != stepText) && !yield(e, nil) {
			return false, nil
		}
		if raw.LastEventID != "" { // a step_text event has none
			s.After = raw.LastEventID
		}
	}
	return true, io.ErrUnexpectedEOF
}

// decodeEvent decodes an event. ok is false for one without data, which only moves
// the cursor, and for data that is no JSON object.
func decodeEvent(raw sse.Event) (e Event, ok bool) {
	e = Event{ID: raw.LastEventID, Raw: []byte(raw.Data)}
	if raw.Data == "" || json.Unmarshal(e.Raw, &e) != nil {
		return e, false
	}
	return e, true
}

// liveReader calls alive whenever something is read, and makes every end an
// unexpected one: the parser would take the beginning of an event that was cut off
// for a whole one, and its id for a place that was reached.
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
