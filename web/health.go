package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/web/problem"
)

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
