package openwop

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
)

// Start is a run to begin.
type Start struct {
	Thread          string          // in which the run is a turn
	Workflow        string          // the id of its definition
	Prompt          string          // the user's message
	Inputs, Options json.RawMessage // as the client sent them; nil if nothing
	Threshold       *float64        // below which a person is asked; nil leaves it to the server
	Spoken          bool            // record the parts of texts as they are spoken
	Request         string          // the digest of the request, if its thread is for that alone
}

// Runs is what the routes need of the agent loop.
type Runs interface {
	// Start begins a run and returns the event that assigned it to a turn.
	Start(ctx context.Context, user string, r Start) (session.Event, error)
	// Cancel stops exactly this turn, running or waiting for its start. It fails with
	// session.ErrTurnEnded, and with session.ErrNotRunning if nobody works on the turn.
	Cancel(ctx context.Context, user string, ref session.Ref) error
	// Answer answers a question of a turn. value is what the person said beside it, nil if
	// nothing. It fails with session.ErrNoApproval if the question is not open.
	Answer(
		ctx context.Context, user, request string, answer session.Answer, value json.RawMessage,
	) (session.Ref, error)
}

// Definition is a workflow that a client may run.
type Definition struct {
	ID   string
	Body json.RawMessage // what GET /v1/workflows/{id} answers
}

// Options configures a server. Runs, Store and Log are required.
type Options struct {
	Runs  Runs
	Store session.Store
	Log   *slog.Logger // gets no text of users or models

	Workflows []Definition // chat, and those for tests of clients, whose ids begin with conformance-
	Verbosity Verbosity    // the most that any caller is shown; "" means Full
	// Orchestrator asks about a decision of low confidence as an orchestrator does, instead of
	// suspending the node.
	Orchestrator bool

	Whole bool // texts appear when they are complete, so there are no deltas

	OpenPerUser  int           // streams and polls open at once; 0 means 20
	Heartbeat    time.Duration // longest silence in a stream, at most 30 s; 0 means 15 s
	WriteTimeout time.Duration // how long a client may not read; 0 means 10 s
}

// Server answers OpenWOP requests. It is safe for concurrent use and owns no goroutine. What it
// holds between requests is bounded.
type Server struct {
	options   Options
	keys      keyStore
	documents map[Version][]byte // what discovery answers
	openAPI   []byte

	mu   sync.Mutex
	open map[string]int // streams and polls, by user; never zero
}

// maxBody bounds the body of a request, in bytes.
const maxBody = 1 << 20

// maxSilence is the longest that the protocol lets a stream be silent.
const maxSilence = 30 * time.Second

// New returns a server without open streams.
func New(o Options) *Server {
	if o.Verbosity == "" {
		o.Verbosity = Full
	}
	if o.OpenPerUser == 0 {
		o.OpenPerUser = 20
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	o.Heartbeat = min(o.Heartbeat, maxSilence)
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 10 * time.Second
	}
	s := &Server{options: o, open: map[string]int{}}
	s.documents = map[Version][]byte{V1: jsonOf(s.discoveryV1()), V2: jsonOf(s.discoveryV2())}
	s.openAPI = jsonOf(describeRoutes(s.endpoints()))
	return s
}

// enter counts a stream or a poll until leave is called. It fails if the user has too many open.
func (s *Server) enter(user string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[user] >= s.options.OpenPerUser {
		return nil, problem.New(http.StatusTooManyRequests, "rate_limited",
			"You have as many open streams and polls as the server allows. Wait until one ends.").
			With("max", s.options.OpenPerUser)
	}
	s.open[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[user]--; s.open[user] == 0 {
			delete(s.open, user)
		}
	}, nil
}

// incoming is a request, and what the routes know of it.
type incoming struct {
	*http.Request
	who     access.Caller
	version Version
	own     *session.Session // of the caller; nil where nobody has to be known

	key, asks string // of a request with a key: the name of the thread that it may begin, and what it asks
	repeated  bool   // the run was begun by the same request before
}

// Routes returns the routes that a [web.Server] mounts.
func (s *Server) Routes() []web.Route {
	var all []web.Route
	for _, e := range s.endpoints() {
		for _, path := range e.paths() {
			all = append(all, s.routeOf(e, path))
		}
	}
	return all
}

// routeOf returns an endpoint's route at one of its paths.
func (s *Server) routeOf(e endpoint, at pathOf) web.Route {
	r := web.Route{
		Method: e.method, Path: at.path, About: e.about(), Sends: e.begins, Limited: true, CountsItself: e.counts,
		Fail: renamed,
	}
	if e.method == http.MethodPost {
		r.MaxBody = maxBody
	}
	if e.public {
		r.CountsItself = true
		r.Admit = func(r *http.Request) (context.Context, string, error) { return r.Context(), "", nil }
	}
	r.Serve = func(w http.ResponseWriter, r *http.Request, who access.Caller) error {
		in := &incoming{Request: r, who: who, version: at.version}
		if err := in.agree(w, e.either); err != nil {
			return err
		}
		if !e.public {
			own, err := s.options.Store.Open(r.Context(), who.User)
			if err != nil {
				return err
			}
			in.own = own
		}
		return e.serve(w, in)
	}
	return r
}

// jsonOf returns a value of ours as JSON.
func jsonOf(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil { // cannot happen with our own types
		return []byte("{}")
	}
	return raw
}
