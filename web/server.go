package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/access"
	"candor/web/envelope"
	"candor/web/openapi"
	"candor/web/sse"
	"candor/web/view"
)

// Chat is what the routes need of the agent loop.
type Chat interface {
	// Send accepts a message and returns the event that assigned it to a turn:
	// TurnStarted or TurnQueued.
	Send(ctx context.Context, user, threadID, content string) (session.Event, error)
	// Interrupt stops a thread's running turn and returns which one it was.
	Interrupt(ctx context.Context, user, threadID string) (session.Ref, error)
	// Answer answers an approval request and returns the turn of its call. value is what the
	// person said beside the answer, such as another decision; nil if nothing.
	Answer(
		ctx context.Context, user, request string, answer session.Answer, value json.RawMessage,
	) (session.Ref, error)
}

// Options configures a server. Chat, Store, Tokens and Log are required. The zero value of
// each other field is usable: a limit or duration gets its default, an optional handler is
// left out.
type Options struct {
	Chat   Chat
	Store  session.Store
	Tokens access.Tokens
	Log    *slog.Logger // gets no query strings, bodies or tokens

	// CodeKey signs login codes, so that each server with the same key and tokens takes them. Without it
	// the server takes only its own.
	CodeKey []byte

	// Command answers a message that is a command, which then begins no turn; ok is false
	// for every other message. thread is "" if the user has none. It may be nil.
	Command func(own *session.Session, thread, content string) (answer string, ok bool, err error)

	// Guesses counts secrets in texts of people who do not own them, and slows these people; may be nil.
	Guesses *Guesses

	// Feedback records what users think of decisions. Without it they cannot say.
	Feedback Rater

	// Discard stops what a user's session does and removes it, for throwaway sessions. Without
	// it there are none.
	Discard func(ctx context.Context, user string)

	// Edit answers an approval request with approve or always, and with arguments in place of the call's;
	// without it there are no such answers.
	Edit func(
		ctx context.Context, user, request string, answer session.Answer, arguments json.RawMessage,
	) (session.Ref, error)

	Coverage       func(user string) []Coverage        // for the status route; may be nil
	MCPServers     func() []MCPServer                  // for the status route; may be nil
	Unread         func(user string) []UnreadTelemetry // for the status route; may be nil
	Metrics        http.Handler                        // at /metrics, for callers with a token; may be nil
	Ready          func() []string                     // why requests should go elsewhere, in words of ours; may be nil
	Page           http.Handler                        // at / and below /ui/, open to everybody; may be nil
	Backend        Backend                             // shown by the status route
	Version        string                              // likewise; "" means the version of the module
	SendsPerMinute int                                 // per user; 0 means 30
	StreamsPerUser int                                 // open at once; 0 means 100
	// RequestsPerUser is how many requests a user may have under way, streams not counted,
	// and the workers of the user's jobs as many again; 0 means DefaultRequests.
	RequestsPerUser int
	// Processors is how many processors there are for answers, of which a user's share is half;
	// 0 means GOMAXPROCS.
	Processors int
	// WritesPerSecond is how often a user may change something in a second, where each 4 KiB of
	// a body count again, and the user's workers as often; 0 means DefaultWrites.
	WritesPerSecond int
	Heartbeat       time.Duration // longest silence on a stream; 0 means 15 s
	WriteTimeout    time.Duration // how long a client may not read its stream; 0 means 10 s
	Origins         []string      // that browsers may call from, besides the server's own

	// Hosts are names, in lower case, and IP addresses that the server answers to besides
	// those of this machine and the address that it is called at.
	Hosts []string
}

// DefaultRequests is how many requests a user may have under way at once, unless the options
// say otherwise. A browser opens six connections to a host.
const DefaultRequests = 64

// Backend names the model that answers, and who provides it.
type Backend struct{ Name, Model string }

// Server is the HTTP API. It implements http.Handler and owns no goroutine that
// outlives the request that started it.
type Server struct {
	options    Options
	echo       *echo.Echo
	limit      echo.MiddlewareFunc          // on messages per minute
	ownLimit   map[string]bool              // "METHOD path" of routes with a body limit of their own
	mounted    map[string]openapi.Operation // of routes of other packages, by "METHOD path"
	streams    *sse.Server
	encoder    *view.Encoder
	open       openCount // event streams
	requests   openCount // that are no streams, of users and of their workers apart
	answers    shares    // of the processors
	writes     writeRate
	refusals   refusals
	throwaways throwaways
	started    time.Time
	streamCounts

	describeOnce sync.Once
	description  []byte // the OpenAPI document, once somebody asked for it

	attempts *access.Attempts
	revoked  access.Revoked
	codes    *access.Codes
	origin   *http.CrossOriginProtection
}

// New returns a server with its own routes. [Server.Mount] adds those of other
// packages.
func New(o Options) *Server {
	if o.SendsPerMinute == 0 {
		o.SendsPerMinute = 30
	}
	if o.StreamsPerUser == 0 {
		o.StreamsPerUser = 100
	}
	if o.RequestsPerUser == 0 {
		o.RequestsPerUser = DefaultRequests
	}
	if o.Processors == 0 {
		o.Processors = runtime.GOMAXPROCS(0)
	}
	if o.WritesPerSecond == 0 {
		o.WritesPerSecond = DefaultWrites
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 10 * time.Second
	}
	s := &Server{
		options: o, echo: echo.New(), limit: limitSends(o.SendsPerMinute), ownLimit: map[string]bool{},
		mounted: map[string]openapi.Operation{},
		streams: sse.NewServer(o.WriteTimeout), encoder: view.NewEncoder(frameLines),
		open: streamCount(o.StreamsPerUser), requests: requestCount(o.RequestsPerUser), started: time.Now(),
		answers: shares{perUser: max(1, o.Processors/processorsPerAnswer)},
		writes:  writeRate{perSecond: o.WritesPerSecond}, attempts: access.NewAttempts(),
		codes:    access.NewCodes(o.CodeKey),
		refusals: refusals{perUser: o.RequestsPerUser},
		origin:   http.NewCrossOriginProtection(),
	}
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.HTTPErrorHandler = s.handleError
	s.echo.JSONSerializer = jsonSerializer{}
	s.routes()
	return s
}

// routes registers the routes of this package.
func (s *Server) routes() {
	s.echo.Use(s.middleware()...)
	s.echo.GET("/api", s.index)
	s.echo.GET("/api/openapi.json", s.describe)
	s.echo.GET("/api/health", s.health)
	s.echo.GET("/api/health/live", s.live)
	s.echo.GET("/api/health/ready", s.ready)

	// Authentication is set on each route, not on a group: Echo's groups answer 404
	// where only the method is wrong.
	auth := inOrder(s.authenticate(policy{}), inOrder(inOrder(s.countRequests, s.limitWrites), s.shareProcessors))
	streamAuth := s.authenticate(policy{queryToken: func(*http.Request) bool { return true }})
	s.ownLimit[http.MethodPost+" "+envelope.Path] = true
	s.echo.POST(envelope.Path, s.enveloped)
	s.echo.POST("/api/login", s.login)
	s.echo.GET("/api/login", s.whoami, auth)
	s.echo.POST("/api/login/code", s.loginCode, auth)
	s.echo.POST("/api/logout", s.logout)
	s.echo.POST("/api/chat/send", s.send, auth, s.limit)
	s.echo.POST("/api/chat/thread/new", s.withSession(s.newThread), auth, s.limit)
	s.echo.POST("/api/chat/interrupt", s.interrupt, auth)
	s.echo.POST("/api/chat/approval", s.approval, auth)
	if s.options.Edit != nil {
		s.echo.POST("/api/chat/approval/edit", s.approvalEdit, auth)
	}
	s.echo.GET("/api/chat/threads", s.withSession(s.threads), auth)
	s.echo.DELETE("/api/chat/threads/:id", s.withSession(s.deleteThread), auth)
	s.echo.GET("/api/chat/history", s.withSession(s.history), auth)
	s.echo.GET("/api/chat/turn", s.withSession(s.turn), auth)
	s.echo.GET("/api/chat/export", s.withSession(s.export), auth)
	s.echo.GET("/api/chat/search", s.withSession(s.search), auth)
	s.echo.GET("/api/chat/events", s.withSession(s.events), streamAuth)
	s.echo.GET("/api/gateway/status", s.status, auth)
	if s.options.Feedback != nil {
		s.echo.POST("/api/chat/feedback", s.feedback, auth)
	}
	if s.options.Discard != nil {
		s.echo.POST("/api/session/throwaway", s.openThrowaway, auth, s.limit)
		s.echo.DELETE("/api/session/throwaway", s.closeThrowaway, auth)
	}
	if s.options.Metrics != nil {
		s.echo.GET("/metrics", echo.WrapHandler(s.options.Metrics), auth)
	}
	if s.options.Page != nil {
		page, reading := echo.WrapHandler(s.options.Page), []string{http.MethodGet, http.MethodHead}
		s.echo.Match(reading, "/", page)
		s.echo.Match(reading, "/ui/*", page)
	}
}

// sessionHandler answers a request that needs its caller's session.
type sessionHandler func(c echo.Context, own *session.Session) error

// withSession opens the caller's session for h. A user who has none gets a new one. No
// request names a session, so a handler cannot reach one of another user.
func (s *Server) withSession(h sessionHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		own, err := s.options.Store.Open(c.Request().Context(), callerOf(c).User)
		if err != nil {
			return err
		}
		return h(c, own)
	}
}
