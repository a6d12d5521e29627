package web

import (
	"github.com/labstack/echo/v4"

	"candor/web/envelope"
	"candor/web/problem"
)

// enveloped serves the request in an envelope as one with the token of its sender.
func (s *Server) enveloped(c echo.Context) error {
	if !envelope.Serve(c.Response(), c.Request(), s.options.Tokens.Named, s.echo) {
		return problem.Unauthorized
	}
	return nil
}
