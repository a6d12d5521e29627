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
	"candor/web/problem"
)

// ErrNoCall says that no such call waits for its result.
var ErrNoCall = errors.New("no such call waits")

// ToolError says which of the front end's tools a turn cannot have, and why, in words
// that repeat nothing of it.
type ToolError struct {
	Place int // from 0
	Why   string
}

// Error implements error.
func (e *ToolError) Error() string { return fmt.Sprintf("tools[%d]: %s", e.Place, e.Why) }

// Said is a line that the model is shown and nobody keeps.
type Said struct{ Role, Text string }

// Words begin a turn.
type Words struct {
	Content string
	Tools   []InputTool // that the front end runs
	Before  []Said      // what the model is shown first
}

// What is needed of the agent loop.
type (
	// Chat takes messages and stops turns.
	Chat interface {
		// Allow says whether a turn may have these tools: nil, or a *ToolError.
		Allow(tools []InputTool) error
		// Post accepts a message and returns the event that gave it its turn.
		Post(ctx context.Context, user, thread string, words Words) (session.Event, error)
		// Interrupt stops a thread's turn and returns which.
		Interrupt(ctx context.Context, user, thread string) (session.Ref, error)
	}
	// Answers takes what calls wait for.
	Answers interface {
		// Approve answers the question whether a call may run.
		Approve(ctx context.Context, user, request string, answer session.Answer) (session.Ref, error)
		// Return gives the result of a call that the front end ran, or why there is
		// none. It fails with ErrNoCall.
		Return(user, thread string, turn int, call string, result json.RawMessage, failure string) error
	}
	// Seals gives out what a model wants back, for the client to carry.
	Seals interface {
		EncryptedReasoning(user, thread string, turn int, call string) string
		RestoreReasoning(user, thread string, turn int, call, encrypted string) error
	}
)

// Options configures a server. What is not marked as optional is required.
type Options struct {
	Chat    Chat
	Answers Answers
	Seals   Seals
	Store   session.Store
	Safety  *safety.Layer // cleans a front end's state
	Log     *slog.Logger  // gets no text of anybody's

	Reasoning Level              // the most that is shown; "" means Full
	Model     string             // for usage and capabilities; may be empty
	Tools     func() []InputTool // what the agent itself can call; may be nil
	Patience  time.Duration      // how long a question stays open; 0 means nobody knows

	RunsPerUser  int           // open at once; 0 means 20
	Heartbeat    time.Duration // longest silence in a run; 0 means 15 s
	WriteTimeout time.Duration // how long a client may not read; 0 means 10 s
}

// Server answers AG-UI's requests. It owns no goroutine, and what it holds between
// requests is bounded.
type Server struct {
	Options
	states states

	mu   sync.Mutex
	runs map[string][]*slot // the requests that are open now, by user
}

// New returns a server.
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
	return &Server{Options: o, runs: map[string][]*slot{}}
}

// Routes are what a web.Server mounts.
func (s *Server) Routes() []web.Route {
	return []web.Route{
		{Method: http.MethodPost, Path: "/agui", Serve: s.post, Sends: true, MaxBody: maxBody, Limited: true},
		{Method: http.MethodGet, Path: "/agui/capabilities", Serve: s.capabilities, Limited: true},
		{Method: http.MethodGet, Path: "/agui/threads/:id/events", Serve: s.replay, Limited: true},
		{Method: http.MethodPost, Path: "/agui/threads/:id/interrupt", Serve: s.interrupt, Limited: true},
	}
}

// slot is a request's place among its user's. A run gives it its id.
type slot struct{ run string }

// enter counts a request in before it is read, or says that there are too many.
func (s *Server) enter(user string) (place *slot, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.runs[user]) >= s.RunsPerUser {
		return nil, nil, problem.New(http.StatusTooManyRequests, "too_many_runs",
			"You have as many runs open as the server allows. Let one end first.").With("max", s.RunsPerUser)
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

// name gives a request its run, unless that run is open.
func (s *Server) name(user string, place *slot, run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.runs[user], func(o *slot) bool { return o.run == run }) {
		return problem.New(http.StatusConflict, "run_open",
			"A run with this runId is open. Give each run an id of its own.")
	}
	place.run = run
	return nil
}

// threadOf is the thread that a client means: one of ours by its id, or the one that
// the client's own name for it stands for, whether or not it was opened.
func threadOf(own *session.Session, name string) string {
	if _, err := own.Thread(name); err == nil {
		return name
	}
	return own.NamedID(name)
}

// level is how much a caller is shown, when it asks for so much.
func (s *Server) level(who access.Caller, asked Level) Level {
	level := lower(s.Reasoning, asked)
	if own, ok := ParseLevel(who.Reasoning); ok {
		level = lower(level, own)
	}
	return level
}

// view is what a caller is shown of a thread.
func (s *Server) view(who access.Caller, named, thread string, asked Level, version1 bool) View {
	return View{
		Thread: named, Version1: version1, Reasoning: s.level(who, asked), Model: s.Model, Patience: s.Patience,
		Sealed: func(turn int, call string) string { return s.Seals.EncryptedReasoning(who.User, thread, turn, call) },
	}
}

// interrupt: POST /agui/threads/{id}/interrupt stops the thread's turn.
func (s *Server) interrupt(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	own, err := s.Store.Open(r.Context(), who.User)
	if err != nil {
		return err
	}
	ref, err := s.Chat.Interrupt(r.Context(), who.User, threadOf(own, r.PathValue("id")))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, map[string]any{
		"status": "interrupting", "thread_id": ref.Thread, "turn_number": ref.Turn,
	})
}
