package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"candor/web/access"
	"candor/web/problem"
)

// Keys of what authentication stores in the request's context.
const (
	callerKey   = "candor.caller"    // an access.Caller
	loginKey    = "candor.login"     // an access.Login, if the caller has one
	worksForKey = "candor.works-for" // the user whose worker the caller is, if Admit let it in
)

// callerOf returns who the request speaks for. authenticate or a Route's Admit has
// stored it.
func callerOf(c echo.Context) access.Caller { return c.Get(callerKey).(access.Caller) }

var (
	limitedToken = problem.New(http.StatusForbidden, "limited_token",
		"This token is for clients that may see only part of the reasoning. Use it with /agui or OpenWOP's /v1.")
	crossOrigin = problem.New(http.StatusForbidden, "cross_origin",
		"A page of another origin may not do this with your login. Use a token in the Authorization header.")
)

// policy says which credentials a route accepts besides a token without a reasoning
// level in the Authorization header and a login, which is a cookie and its page key.
type policy struct {
	limited    bool                     // tokens with a reasoning level
	telemetry  bool                     // tokens that only send telemetry
	queryToken func(*http.Request) bool // a token in the URL; nil means never
}

// authenticate admits requests according to p. A token in the header wins over one
// in the URL, and any Authorization header wins over a cookie.
func (s *Server) authenticate(p policy) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			token := access.Bearer(r)
			if query := c.QueryParams(); query.Has("token") {
				if p.queryToken == nil || !p.queryToken(r) {
					return problem.TokenInQuery
				}
				if token == "" {
					token = query.Get("token")
				}
			}
			if token == "" && r.Header.Get("Authorization") == "" {
				return s.authenticateCookie(c, next)
			}
			who, ok := s.options.Tokens.Lookup(token)
			if !ok && p.telemetry {
				who, ok = s.options.Tokens.LookupTelemetry(token)
			}
			if !ok {
				who, ok = s.throwaways.lookup(token, time.Now())
			}
			if !ok {
				return problem.Unauthorized
			}
			if who.Reasoning != "" && !p.limited {
				return limitedToken
			}
			c.Set(callerKey, who)
			return next(c)
		}
	}
}

// authenticateCookie admits a request with a login. One that changes something must
// come from a page of this server, and have a JSON body, which a form cannot send.
func (s *Server) authenticateCookie(c echo.Context, next echo.HandlerFunc) error {
	r := c.Request()
	l, ok := s.loginOf(r)
	if !ok {
		return problem.Unauthorized
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := s.checkOrigin(r); err != nil {
			return err
		}
		if !problem.IsJSON(r) {
			return problem.NotJSON
		}
	}
	c.Set(callerKey, access.Caller{User: l.User})
	c.Set(loginKey, l)
	return next(c)
}

// loginOf returns the login of the request's cookie. ok is false if there is none, it is not
// valid any more, or its page key does not come with it: whoever listens on another port of
// this host is sent the cookie, but not the key.
func (s *Server) loginOf(r *http.Request) (l access.Login, ok bool) {
	c, err := r.Cookie(access.CookieName(r))
	if err != nil {
		return access.Login{}, false
	}
	l, ok = s.options.Tokens.Verify(c.Value, time.Now())
	return l, ok && l.HasPageKey(r.Header.Get(access.PageKeyHeader)) && !s.revoked.Has(l)
}

// checkOrigin refuses requests that a page of another origin made. The cookie alone
// does not tell: browsers send it to every port of a host.
func (s *Server) checkOrigin(r *http.Request) error {
	if err := s.origin.Check(r); err != nil {
		return crossOrigin
	}
	return nil
}
