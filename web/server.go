package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// Chat is what the routes need of the agent loop.
type Chat interface {
	// Send accepts a message and returns the event that gave it its turn.
	Send(ctx context.Context, user, threadID, content string) (session.Event, error)
	// Interrupt stops a thread's turn and returns which.
	Interrupt(ctx context.Context, user, threadID string) (session.Ref, error)
}

// Options configures a server. Chat, Store, Tokens and Log are required.
type Options struct {
	Chat   Chat
	Store  session.Store
	Tokens Tokens
	Log    *slog.Logger // gets no query strings, bodies or tokens

	Backend        Backend       // shown by the status route
	SendsPerMinute int           // per user; 0 means 30
	StreamsPerUser int           // open at once; 0 means 100
	Heartbeat      time.Duration // longest silence on a stream; 0 means 15 s
	WriteTimeout   time.Duration // how long a client may not read; 0 means 10 s
	Origins        []string      // that browsers may call from, besides the server's own
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
	started time.Time
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

	api := s.echo.Group("/api", s.authenticate)
	limit := s.limitSends()
	api.POST("/chat/send", s.send, limit)
	api.POST("/chat/thread/new", s.newThread, limit)
	api.POST("/chat/interrupt", s.interrupt)
	api.GET("/chat/threads", s.threads)
	api.GET("/chat/history", s.history)
	api.GET("/gateway/status", s.status)

	s.echo.GET("/api/chat/events", s.events, s.authenticateStream)
}
