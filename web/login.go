package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"candor/web/access"
	"candor/web/problem"
)

// LoginRequest is the body of POST /api/login.
type LoginRequest struct {
	Token string `json:"token"`
}

// LoginInfo names the user who is logged in. ExpiresAt is set only for a login by
// cookie.
type LoginInfo struct {
	User      string     `json:"user"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

var (
	wrongToken = problem.New(http.StatusUnauthorized, "wrong_token",
		"This token lets nobody in. The server prints one at its start, or has it in CANDOR_TOKEN or its tokens file.")
	tooManyLogins = problem.New(http.StatusTooManyRequests, "rate_limited",
		"Too many logins in a minute. Wait a little and try again.")
)

// login handles POST /api/login: it exchanges a token for a cookie that no script
// can read. Tokens with a reasoning level are refused, because the page shows all of it.
// It answers 204 with the cookie.
//
// Errors: cross_origin; rate_limited after too many attempts from this address, or logins
// of this user, in a minute; wrong_token; limited_token. None of them repeats the token.
func (s *Server) login(c echo.Context) error {
	r := c.Request()
	if err := s.checkOrigin(r); err != nil { // before the attempt counts: no foreign page keeps people out
		return err
	}
	if !s.attempts.Begin(r.RemoteAddr) {
		return tooManyLogins
	}
	var in LoginRequest
	if err := problem.Decode(r, &in); err != nil {
		return err
	}
	who, ok := s.options.Tokens.Lookup(in.Token)
	switch {
	case !ok && !s.attempts.Failed(r.RemoteAddr):
		return tooManyLogins
	case !ok:
		return wrongToken
	case who.Reasoning != "":
		return limitedToken
	case !s.attempts.Known(who.User):
		return tooManyLogins
	}
	l := access.NewLogin(who.User, time.Now())
	c.SetCookie(access.Cookie(r, s.options.Tokens.Sign(l, in.Token), l.Until))
	return c.NoContent(http.StatusNoContent)
}

// logout handles POST /api/logout: it revokes the login, so that a copy of the cookie is
// worthless, and deletes the cookie. It answers 204, also if nobody was logged in. The
// only error is cross_origin.
func (s *Server) logout(c echo.Context) error {
	r := c.Request()
	if err := s.checkOrigin(r); err != nil {
		return err
	}
	if l, ok := s.loginOf(r); ok {
		s.revoked.Add(l, time.Now())
	}
	c.SetCookie(access.Cookie(r, "", time.Unix(1, 0)))
	return c.NoContent(http.StatusNoContent)
}

// whoami handles GET /api/login. It answers with a [LoginInfo] for any valid credential;
// the page uses it to find out whether its user has to log in.
func (s *Server) whoami(c echo.Context) error {
	info := LoginInfo{User: callerOf(c).User}
	if l, ok := c.Get(loginKey).(access.Login); ok {
		info.ExpiresAt = &l.Until
	}
	return c.JSON(http.StatusOK, info)
}
