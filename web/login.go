package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"candor/web/access"
	"candor/web/problem"
)

// LoginRequest is the body of POST /api/login: a token, or a code from POST /api/login/code.
type LoginRequest struct {
	Token string `json:"token,omitempty"`
	Code  string `json:"code,omitempty"`
}

// LoginInfo names the user who is logged in. ExpiresAt is set only for a login by
// cookie.
type LoginInfo struct {
	User      string     `json:"user"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// LoginResponse is the answer to a login, besides the cookie. Each request with the cookie
// has to have PageKey in the header [access.PageKeyHeader].
type LoginResponse struct {
	LoginInfo
	PageKey string `json:"page_key"`
}

// LoginCode is the answer to POST /api/login/code.
type LoginCode struct {
	Code      string    `json:"code"`
	ExpiresAt time.Time `json:"expires_at"`
}

var (
	wrongToken = problem.New(http.StatusUnauthorized, "wrong_token",
		"This token is not valid. The server prints one at its start, or has it in CANDOR_TOKEN or its tokens file.")
	wrongCode = problem.New(http.StatusUnauthorized, "wrong_code",
		"This link is no longer valid: it was used, or is older than ten minutes. Run candor login for another.")
	tooManyLogins = problem.New(http.StatusTooManyRequests, "rate_limited",
		"Too many logins in a minute. Wait a little and try again.")
	tooManyCodes = problem.New(http.StatusTooManyRequests, "rate_limited",
		"Too many login codes in a minute. Wait a little and ask again.")
)

// login handles POST /api/login: it exchanges a token or a code for a cookie that no script
// can read, and a key that the page keeps. Tokens with a reasoning level are refused, because
// the page shows all of it. It answers with a [LoginResponse] and the cookie.
//
// Errors: cross_origin; rate_limited after too many attempts from this address, or logins
// of this user, in a minute; wrong_token, wrong_code; limited_token. None of them repeats
// the token or the code.
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
	now := time.Now()
	user, by, err := s.identify(in, now)
	switch {
	case err == limitedToken:
		return err
	case err != nil && !s.attempts.Failed(r.RemoteAddr):
		return tooManyLogins
	case err != nil:
		return err
	case !s.attempts.Known(user):
		return tooManyLogins
	}
	l := access.NewLogin(user, now)
	c.SetCookie(access.Cookie(r, by.Cookie(l), l.Until))
	return c.JSON(http.StatusOK, LoginResponse{LoginInfo{l.User, &l.Until}, by.PageKey(l)})
}

// identify returns who may log in with the code or the token of a request, and what signs
// the login.
func (s *Server) identify(in LoginRequest, now time.Time) (user string, by access.Signer, err error) {
	if in.Code != "" {
		user, by, ok := s.codes.Take(in.Code, &s.options.Tokens, now)
		if !ok {
			return "", by, wrongCode
		}
		return user, by, nil
	}
	who, ok := s.options.Tokens.Lookup(in.Token)
	switch {
	case !ok:
		return "", by, wrongToken
	case who.Reasoning != "":
		return "", by, limitedToken
	}
	return who.User, access.SignerOf(in.Token), nil
}

// NewCode returns a code that logs one browser in as the user of a token, once and within
// [access.CodeLife]. ok is false for a token that cannot log in.
func (s *Server) NewCode(token string) (code string, expires time.Time, ok bool) {
	who, ok := s.options.Tokens.Lookup(token)
	if !ok || who.Reasoning != "" {
		return "", time.Time{}, false
	}
	code, expires = s.codes.New(access.SignerOf(token), time.Now())
	return code, expires, true
}

// loginCode handles POST /api/login/code: it answers 201 with a [LoginCode] for the user of
// the token in the header. A login or a throwaway session gets none.
//
// Errors: rate_limited after too many codes for this user in a minute.
func (s *Server) loginCode(c echo.Context) error {
	if !s.attempts.Code(callerOf(c).User) {
		return tooManyCodes
	}
	code, expires, ok := s.NewCode(access.Bearer(c.Request()))
	if !ok {
		return problem.Unauthorized
	}
	return c.JSON(http.StatusCreated, LoginCode{code, expires.UTC()})
}

// logout handles POST /api/logout: it revokes the login, so that a copy of the cookie and its
// key is worthless, and deletes the cookie. It answers 204, also if nobody was logged in. The
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
