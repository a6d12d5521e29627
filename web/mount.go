package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
)

// Route is one of another protocol's routes. It goes through what all routes go
// through: who may come in, which origins may call, deadlines, the shape of errors.
type Route struct {
	Method, Path string // Path in Echo's form; its parameters are the request's PathValues
	Sends        bool   // a request counts as a message of the user's
	MaxBody      int64  // in bytes; 0 means as for every route

	// Serve answers. An error that it returns before it has written anything becomes
	// the answer; one of package session or a *Problem is told in its own words.
	Serve func(w http.ResponseWriter, r *http.Request, who Caller) error
}

const callerKey = "candor.caller"

// mount adds a route.
func (s *Server) mount(r Route, limit echo.MiddlewareFunc) {
	through := []echo.MiddlewareFunc{s.authenticateCaller}
	if r.Sends {
		through = append(through, limit)
	}
	s.echo.Add(r.Method, r.Path, func(c echo.Context) error {
		req := c.Request()
		for _, name := range c.ParamNames() {
			req.SetPathValue(name, c.Param(name))
		}
		if r.MaxBody > 0 {
			req.Body = http.MaxBytesReader(c.Response(), req.Body, r.MaxBody)
		}
		return r.Serve(c.Response(), req, c.Get(callerKey).(Caller))
	}, through...)
}

// authenticateCaller lets in who has a token in the header, however much of the
// reasoning it is shown, or, without that header, a login.
func (s *Server) authenticateCaller(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.QueryParams().Has("token") {
			return tokenInQuery
		}
		token := bearer(c)
		if token == "" && c.Request().Header.Get("Authorization") == "" {
			return s.admitCookie(c, func(c echo.Context) error {
				c.Set(callerKey, Caller{User: userOf(c)})
				return next(c)
			})
		}
		who, ok := s.Tokens.caller(token)
		if !ok {
			return unauthorized
		}
		c.Set(userKey, who.User)
		c.Set(callerKey, who)
		return next(c)
	}
}

// limitsItself reports whether the request is for a route with a body limit of its
// own.
func (s *Server) limitsItself(c echo.Context) bool {
	return slices.ContainsFunc(s.Routes, func(r Route) bool {
		return r.MaxBody > 0 && r.Method == c.Request().Method && r.Path == c.Path()
	})
}
