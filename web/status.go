package web

import (
	"cmp"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"candor/web/problem"
)

// StatusInfo is the answer to GET /api/gateway/status. Version is the module version of
// the build. Connections are event streams that are open now: the caller's own, and those
// of all users. Coverage counts the caller's own calls; it is absent if there are none.
type StatusInfo struct {
	Version          string     `json:"version"`
	UptimeSecs       int64      `json:"uptime_secs"`
	SSEConnections   int        `json:"sse_connections"` // the caller's own
	TotalConnections int        `json:"total_connections"`
	LLMBackend       string     `json:"llm_backend"`
	LLMModel         string     `json:"llm_model"`
	User             string     `json:"user"`
	Coverage         []Coverage `json:"rationale_coverage,omitempty"`

	// MCPServers are the configured MCP servers. Why one is down stands in the log only, since
	// it may say where the server is.
	MCPServers []MCPServer `json:"mcp_servers,omitempty"`

	// UnreadTelemetry is what could not be read of the telemetry that the caller's agents sent since the server began.
	UnreadTelemetry []UnreadTelemetry `json:"unread_telemetry,omitempty"`
}

// UnreadTelemetry counts spans or log records of agents that could not be read, under the name that their writer gave
// them; Name is absent if there are too many.
type UnreadTelemetry struct {
	What  string `json:"what"` // in words of the server
	Name  string `json:"name,omitempty"`
	Count int    `json:"count"`
}

// MCPServer says how an MCP server is. Its tools stay known while it is down.
type MCPServer struct {
	Name  string `json:"name"`
	State string `json:"state"` // starting, up or down
	Tools int    `json:"tools"`
}

// Coverage counts a model's calls of a tool, and those that came with the model's
// own rationale. An empty Tool counts calls of tools that do not exist.
type Coverage struct {
	Model    string `json:"model"`
	Tool     string `json:"tool"`
	Calls    int64  `json:"calls"`
	Reasoned int64  `json:"with_reason"`
}

// status handles GET /api/gateway/status. It answers with a [StatusInfo] about the caller
// and the server, and has no errors of its own.
func (s *Server) status(c echo.Context) error {
	who := callerOf(c)
	own, all := s.open.count(who.User)
	info := StatusInfo{
		Version: cmp.Or(s.options.Version, version()), UptimeSecs: int64(time.Since(s.started).Seconds()),
		SSEConnections: own, TotalConnections: all,
		LLMBackend: s.options.Backend.Name, LLMModel: s.options.Backend.Model, User: who.User,
	}
	if s.options.Coverage != nil {
		info.Coverage = s.options.Coverage(who.User)
	}
	if s.options.MCPServers != nil {
		info.MCPServers = s.options.MCPServers()
	}
	if s.options.Unread != nil {
		info.UnreadTelemetry = s.options.Unread(who.User)
	}
	return c.JSON(http.StatusOK, info)
}

// version returns the module version of the build, "(devel)" if it has none.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// health handles GET /api/health: 200 as long as the server accepts requests. It needs no
// token, so it reveals nothing else.
func (s *Server) health(c echo.Context) error {
	return c.JSON(http.StatusOK, HealthInfo{Status: "healthy", Channel: "gateway"})
}

// live handles GET /api/health/live: 200 as long as the process serves, whether or not it is
// ready. It needs no token.
func (s *Server) live(c echo.Context) error {
	return c.JSON(http.StatusOK, HealthInfo{Status: "alive"})
}

// ready handles GET /api/health/ready: 200 if requests should come to this server, and 503 with
// the reasons if they should go elsewhere for now. It needs no token, so the reasons are words of
// the program that name nobody.
//
// Errors: not_ready.
func (s *Server) ready(c echo.Context) error {
	if s.options.Ready != nil {
		if reasons := s.options.Ready(); len(reasons) > 0 {
			return notReady.With("reasons", reasons)
		}
	}
	return c.JSON(http.StatusOK, HealthInfo{Status: "ready"})
}

var notReady = problem.New(http.StatusServiceUnavailable, "not_ready",
	"This server is not ready for requests; reasons says why. Ask again soon.")

// Load is what a server has open now, and what became of its event streams since it was made.
// Streams are those of chats and jobs; the streams of protocols are requests of their own.
type Load struct {
	Streams  int // open event streams, of all users
	Requests int // under way, of all users and workers, streams not counted

	Resumed  uint64 // streams that continued from a position that their client named
	Resynced uint64 // times that a client was told that its position is gone
	CutOff   uint64 // streams that ended because their client did not read
	Guesses  uint64 // known secrets in texts of people who do not own them
}

// Load returns what the server has open, and its counts.
func (s *Server) Load() Load {
	_, streams := s.open.count("")
	_, requests := s.requests.count("")
	return Load{
		Streams: streams, Requests: requests, Resumed: s.resumed.Load(), Resynced: s.resynced.Load(),
		CutOff: s.streams.CutOff(), Guesses: s.options.Guesses.Total(),
	}
}

// streamCounts count what became of event streams. They are safe for concurrent use.
type streamCounts struct{ resumed, resynced atomic.Uint64 }
