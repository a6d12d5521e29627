package agui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/openapi"
	"candor/web/problem"
)

// ErrNoCall is returned by [Answers] if no such call waits for its result.
var ErrNoCall = errors.New("no such call waits")

// ToolError says which of the front end's tools a turn cannot have, and why, without
// repeating anything of the tool.
type ToolError struct {
	Place int // index among the tools, from 0
	Why   string
}

// Error implements error.
func (e *ToolError) Error() string { return fmt.Sprintf("tools[%d]: %s", e.Place, e.Why) }

// ContextLine is a message that the model sees before the user's, and that is not
// logged.
type ContextLine struct{ Role, Text string }

// Prompt begins a turn.
type Prompt struct {
	Content string
	Message string        // id of the message, by which its run is known if it is posted again
	Tools   []InputTool   // run by the front end
	Context []ContextLine // what the model sees first
}

// What the routes need of the agent loop.
type (
	// Chat takes messages and stops turns.
	Chat interface {
		// Allow returns nil if a turn may have these tools, else a *ToolError.
		Allow(ctx context.Context, tools []InputTool) error
		// Post accepts a message and returns the event that assigned it to a turn.
		Post(ctx context.Context, user, thread string, prompt Prompt) (session.Event, error)
		// Interrupt stops a thread's running turn and returns which one it was.
		Interrupt(ctx context.Context, user, thread string) (session.Ref, error)
	}
	// Answers delivers what waiting calls wait for.
	Answers interface {
		// Answer answers an approval request and returns the turn of its call. value is another
		// decision than the agent's; nil if there is none.
		Answer(
			ctx context.Context, user, request string, answer session.Answer, value json.RawMessage,
		) (session.Ref, error)
		// Return delivers the result of a call that the front end ran or, if failure is
		// not empty, why there is none. It fails with ErrNoCall.
		Return(user, thread string, turn int, call string, result json.RawMessage, failure string) error
	}
	// Cipher encrypts the reasoning that a provider wants back with the next request,
	// so that the client can carry it.
	Cipher interface {
		// EncryptedReasoning returns the reasoning of the step that begins with a call or,
		// if call is empty, of the step that answered; "" if there is none.
		EncryptedReasoning(user, thread string, turn int, call string) string
		// RestoreReasoning takes it back. It fails if encrypted was not made for the same
		// user, thread, turn and call.
		RestoreReasoning(user, thread string, turn int, call, encrypted string) error
	}
)

// Options configures a server. Fields are required unless marked as optional.
type Options struct {
	Chat    Chat
	Answers Answers
	Cipher  Cipher
	Store   session.Store
	Safety  *safety.Layer // cleans a front end's state
	Log     *slog.Logger  // gets no text of users or models

	// Command answers a message that is a command, which then begins no turn; ok is false
	// for every other message. The thread may not exist yet. It may be nil.
	Command func(own *session.Session, thread, content string) (answer string, ok bool, err error)

	Reasoning       Level              // the most that any caller is shown; "" means Full
	Model           string             // named in usage and capabilities; may be empty
	Tools           func() []InputTool // the agent's own tools; may be nil
	Delegates       bool               // the agent can hand tasks to sub-agents
	Memory          bool               // the agent remembers facts beyond a thread
	ApprovalTimeout time.Duration      // how long an approval stays open; 0 means unknown

	RunsPerUser  int           // open at once; 0 means 20
	Heartbeat    time.Duration // longest silence in a run; 0 means 15 s
	WriteTimeout time.Duration // how long a client may not read; 0 means 10 s
}

// Server answers AG-UI requests. It is safe for concurrent use and owns no goroutine.
// What it holds between requests is bounded.
type Server struct {
	options Options
	states  states

	mu   sync.Mutex
	runs map[string][]*slot // the open requests, by user
}

// New returns a server without open runs.
func New(o Options) *Server {
	if o.Reasoning == "" {
		o.Reasoning = Full
	}
	if o.RunsPerUser == 0 {
		o.RunsPerUser = 20
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 10 * time.Second
	}
	return &Server{options: o, runs: map[string][]*slot{}}
}

// Routes returns the routes that a [web.Server] mounts.
func (s *Server) Routes() []web.Route {
	return web.Describe([]web.Route{
		{Method: http.MethodPost, Path: "/agui", Serve: s.post, Sends: true, MaxBody: maxBody, Limited: true,
			CountsItself: true},
		{Method: http.MethodGet, Path: "/agui/capabilities", Serve: s.capabilities, Limited: true},
		{Method: http.MethodGet, Path: "/agui/threads/:id/events", Serve: s.replay, Limited: true, CountsItself: true},
		{Method: http.MethodPost, Path: "/agui/threads/:id/interrupt", Serve: s.interrupt, Limited: true},
	}, operations)
}

// Forget drops what is held for a user's thread that was deleted.
func (s *Server) Forget(user, thread string) { s.states.forget(user, thread) }

// slot is an open request. run is empty until the request's body is parsed.
type slot struct{ run string }

// enter counts a request until leave is called. It fails if the user has too many
// open. It is called before the body is read, which may be large.
func (s *Server) enter(user string) (place *slot, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.runs[user]) >= s.options.RunsPerUser {
		return nil, nil, problem.New(http.StatusTooManyRequests, "too_many_runs",
			"You have as many open runs as the server allows. Wait until one ends.").With("max", s.options.RunsPerUser)
	}
	place = &slot{}
	s.runs[user] = append(s.runs[user], place)
	return place, func() { s.leave(user, place) }, nil
}

func (s *Server) leave(user string, place *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[user] = slices.DeleteFunc(s.runs[user], func(o *slot) bool { return o == place })
	if len(s.runs[user]) == 0 {
		delete(s.runs, user)
	}
}

// name records the id of a request's run. It fails if the user has that run open.
func (s *Server) name(user string, place *slot, run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.runs[user], func(o *slot) bool { return o.run == run }) {
		return problem.New(http.StatusConflict, "run_open",
			"A run with this runId is already open. Give each run its own id.")
	}
	place.run = run
	return nil
}

// threadOf returns the id of the thread that a client names, either by our id or by a
// name of the client's own. The thread need not exist yet.
func threadOf(own *session.Session, name string) string {
	if _, err := own.Thread(name); err == nil {
		return name
	}
	return own.NamedID(name)
}

// level returns how much reasoning a caller is shown: the least of the levels that the
// server allows, the token allows and the request asks for.
func (s *Server) level(who access.Caller, asked Level) Level {
	level := lower(s.options.Reasoning, asked)
	if own, ok := ParseLevel(who.Reasoning); ok {
		level = lower(level, own)
	}
	return level
}

// view returns how a caller sees a thread that it calls named.
func (s *Server) view(who access.Caller, named, thread string, asked Level, version1 bool) View {
	return View{
		Thread: named, Version1: version1, Reasoning: s.level(who, asked),
		Model: s.options.Model, ApprovalTimeout: s.options.ApprovalTimeout,
		EncryptedReasoning: func(turn int, call string) string {
			return s.options.Cipher.EncryptedReasoning(who.User, thread, turn, call)
		},
	}
}

// interrupt handles POST /agui/threads/{id}/interrupt: it stops the thread's turn. It
// answers 202 with the turn; the turn's run ends as cancelled. AG-UI has no such request,
// and a client that only disconnects does not stop its turn.
//
// Errors: no_thread; not_running if the thread has no running turn.
func (s *Server) interrupt(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	own, err := s.options.Store.Open(r.Context(), who.User)
	if err != nil {
		return err
	}
	ref, err := s.options.Chat.Interrupt(r.Context(), who.User, threadOf(own, r.PathValue("id")))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, web.TurnAnswer{
		Status: "interrupting", ThreadID: ref.Thread, TurnNumber: ref.Turn,
	})
}

// operations describes the routes by method and path. What they take and stream is AG-UI's, whose clients and
// schemas check it in this package's tests, so the document has no schemas of it.
var operations = map[string]openapi.Operation{
	"POST /agui": {Summary: "Run the agent for a client of AG-UI",
		Text: "Takes a RunAgentInput and streams the events of AG-UI.", Body: openapi.Anything{},
		Query:   []openapi.Parameter{web.MaxEvent},
		Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/event-stream", Text: "Events of AG-UI"}}},
	"GET /agui/capabilities": {Summary: "What a client of AG-UI can rely on",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, Capabilities{})}},
	"GET /agui/threads/:id/events": {Summary: "What happens in a thread, as events of AG-UI",
		Query: []openapi.Parameter{{Name: "after", Text: "The same as last_event_id."},
			{Name: "last_event_id", Text: "Where to continue."}, web.MaxEvent},
		Headers: []openapi.Parameter{{Name: "Last-Event-ID", Text: "Where to continue."}},
		Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/event-stream", Text: "Events of AG-UI"}}},
	"POST /agui/threads/:id/interrupt": {Summary: "Stop a thread's turn",
		Answers: []openapi.Answer{openapi.JSON(http.StatusAccepted, web.TurnAnswer{})}},
}
