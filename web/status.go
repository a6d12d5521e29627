package web

import (
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"
)

// health: GET /api/health, open to all and says nothing of use to a stranger.
func (s *Server) health(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "healthy", "channel": "gateway"})
}

// StatusInfo is the answer of GET /api/gateway/status.
type StatusInfo struct {
	Version          string     `json:"version"`
	UptimeSecs       int64      `json:"uptime_secs"`
	SSEConnections   int        `json:"sse_connections"` // the caller's own
	TotalConnections int        `json:"total_connections"`
	LLMBackend       string     `json:"llm_backend"`
	LLMModel         string     `json:"llm_model"`
	User             string     `json:"user"`
	Coverage         []Coverage `json:"rationale_coverage,omitempty"`
}

// Coverage says how many of a model's calls of a tool came with the model's own
// reason. An empty tool stands for those that nobody has.
type Coverage struct {
	Model    string `json:"model"`
	Tool     string `json:"tool"`
	Calls    int64  `json:"calls"`
	Reasoned int64  `json:"with_reason"`
}

// status: GET /api/gateway/status.
func (s *Server) status(c echo.Context) error {
	mine, all := s.streams.open(userOf(c))
	info := StatusInfo{
		Version: version(), UptimeSecs: int64(time.Since(s.started).Seconds()),
		SSEConnections: mine, TotalConnections: all,
		LLMBackend: s.Backend.Name, LLMModel: s.Backend.Model, User: userOf(c),
	}
	if s.Coverage != nil {
		info.Coverage = s.Coverage()
	}
	return c.JSON(http.StatusOK, info)
}

// version is what the build says of itself.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
