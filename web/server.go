package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"candor/safety"
	"candor/session"
)

// Chat is what the routes need of the agent loop.
type Chat interface {
	// Send accepts a message and returns the event that gave it its turn.
	Send(ctx context.Context, user, threadID, content string) (session.Event, error)
	// Interrupt stops a thread's turn and returns which.
	Interrupt(ctx context.Context, user, threadID string) (session.Ref, error)
	// Approve answers the question whether a call may run, and returns its turn.
	Approve(ctx context.Context, user, request string, answer session.Answer) (session.Ref, error)
}

// Options configures a server. Chat, Store, Safety, Tokens and Log are required.
type Options struct {
	Chat   Chat
	Store  session.Store
	Safety *safety.Layer // cleans what workers post
	Tokens Tokens
	Log    *slog.Logger // gets no query strings, bodies or tokens

	Coverage       func() []Coverage // for the status route; may be nil
	Metrics        http.Handler      // at /metrics, for who has a token; may be nil
	Page           http.Handler      // at / and below /ui/, open to all; may be nil
	Backend        Backend           // shown by the status route
	SendsPerMinute int               // per user; 0 means 30
	StreamsPerUser int               // open at once; 0 means 100
	Heartbeat      time.Duration     // longest silence on a stream; 0 means 15 s
	WriteTimeout   time.Duration     // how long a client may not read; 0 means 10 s
	Origins        []string          // that browsers may call from, besides the server's own
	Routes         []Route           // of other protocols
}

// Backend names the model that answers.
type Backend struct{ Name, Model string }

// Server is the HTTP API. It is an http.Handler and owns no goroutine that
// outlives the request it serves.
type Server struct {
	Options
	echo    *echo.Echo
	streams *streams
	encoder *encoder
	desk    jobDesk
	started time.Time

	attempts *attempts
	revoked  revoked
	origin   *http.CrossOriginProtection
}

// New returns a server with its routes.
func New(o Options) *Server {
	if o.SendsPerMinute == 0 {
		o.SendsPerMinute = 30
	}
	if o.StreamsPerUser == 0 {
		o.StreamsPerUser = 100
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 10 * time.Second
	}
	s := &Server{Options: o, echo: echo.New(), encoder: newEncoder(), started: time.Now()}
	s.attempts, s.origin = newAttempts(), http.NewCrossOriginProtection()
	s.streams = newStreams(o.StreamsPerUser, o.WriteTimeout)
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.HTTPErrorHandler = s.handleError
	s.echo.JSONSerializer = plainJSON{}
	s.routes()
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// routes is the whole API on one screen.
func (s *Server) routes() {
	s.echo.Use(s.middleware()...)
	s.echo.GET("/api/health", s.health)

	// Middleware is put on routes, not on a group: Echo's groups answer 404 where
	// only the method is wrong.
	auth, limit := s.authenticate, s.limitSends()
	s.echo.POST("/api/login", s.login)
	s.echo.GET("/api/login", s.whoami, auth)
	s.echo.POST("/api/logout", s.logout)
	s.echo.POST("/api/chat/send", s.send, auth, limit)
	s.echo.POST("/api/chat/thread/new", s.newThread, auth, limit)
	s.echo.POST("/api/chat/interrupt", s.interrupt, auth)
	s.echo.POST("/api/chat/approval", s.approval, auth)
	s.echo.GET("/api/chat/threads", s.threads, auth)
	s.echo.GET("/api/chat/history", s.history, auth)
	s.echo.GET("/api/chat/turn", s.turn, auth)
	s.echo.GET("/api/chat/export", s.export, auth)
	s.echo.GET("/api/chat/search", s.search, auth)
	s.echo.GET("/api/gateway/status", s.status, auth)
	s.echo.POST("/api/jobs", s.openJob, auth, limit)
	s.echo.GET("/api/jobs", s.jobs, auth)
	s.echo.GET("/api/jobs/summary", s.jobSummary, auth)
	s.echo.GET("/api/jobs/:id", s.job, auth)
	s.echo.POST("/api/jobs/:id/cancel", s.cancelJob, auth)
	s.echo.POST("/api/jobs/:id/restart", s.restartJob, auth)
	s.echo.POST("/api/jobs/:id/prompt", s.promptJob, auth)
	s.echo.GET("/api/jobs/:id/events", s.jobEvents, s.authenticateByAccept)

	worker := s.authenticateJob
	s.echo.POST("/api/jobs/:id/events", s.postEvents, s.authenticatePost)
	s.echo.POST("/worker/:id/event", s.postEvents, s.authenticatePost)
	s.echo.POST("/worker/:id/status", s.workerStatus, worker)
	s.echo.POST("/worker/:id/complete", s.workerComplete, worker)
	s.echo.GET("/worker/:id/job", s.workerJob, worker)
	s.echo.GET("/worker/:id/events", s.workerEvents, worker)
	s.echo.GET("/worker/:id/prompt", s.workerPrompt, worker)

	if s.Page != nil {
		page, reading := echo.WrapHandler(s.Page), []string{http.MethodGet, http.MethodHead}
		s.echo.Match(reading, "/", page)
		s.echo.Match(reading, "/ui/*", page)
	}
	if s.Metrics != nil {
		s.echo.GET("/metrics", echo.WrapHandler(s.Metrics), auth)
	}
	s.echo.GET("/api/chat/events", s.events, s.authenticateStream)
	for _, r := range s.Routes {
		s.mount(r, limit)
	}
}
