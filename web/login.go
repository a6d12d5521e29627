package web

import (
	"hash/maphash"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"
)

// LoginRequest is the body of POST /api/login.
type LoginRequest struct {
	Token string `json:"token"`
}

// LoginInfo says who is logged in, and until when if it is by cookie.
type LoginInfo struct {
	User      string     `json:"user"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

var wrongToken = problem(http.StatusUnauthorized, "wrong_token",
	"This token lets nobody in. The server prints one at its start, or has it in CANDOR_TOKEN or its tokens file.")

// login: POST /api/login, a browser's way to have its token in a cookie that no
// script can read.
func (s *Server) login(c echo.Context) error {
	if !s.attempts.allow(c.Request().RemoteAddr) {
		return problem(http.StatusTooManyRequests, "rate_limited", "Too many logins in a minute. Wait a little and try again.")
	}
	if err := s.sameOrigin(c.Request()); err != nil {
		return err
	}
	var in LoginRequest
	if err := decode(c, &in); err != nil {
		return err
	}
	entry, ok := s.Tokens.entry(in.Token)
	if !ok {
		return wrongToken
	}
	if entry.Reasoning != "" {
		return limitedToken // the page shows all of it
	}
	l := newLogin(entry.User, time.Now())
	c.SetCookie(cookie(c.Request(), l.seal(entry.hash[:]), l.until))
	return c.NoContent(http.StatusNoContent)
}

// logout: POST /api/logout. It answers the same whether anybody was logged in.
func (s *Server) logout(c echo.Context) error {
	if err := s.sameOrigin(c.Request()); err != nil {
		return err
	}
	if l, ok := s.loginOf(c.Request()); ok {
		s.revoked.add(l, time.Now())
	}
	c.SetCookie(cookie(c.Request(), "", time.Unix(1, 0)))
	return c.NoContent(http.StatusNoContent)
}

// whoami: GET /api/login.
func (s *Server) whoami(c echo.Context) error {
	info := LoginInfo{User: userOf(c)}
	if l, ok := c.Get(loginKey).(login); ok {
		info.ExpiresAt = &l.until
	}
	return c.JSON(http.StatusOK, info)
}

// loginOf is the login in the request's cookie, if it is good.
func (s *Server) loginOf(r *http.Request) (login, bool) {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return login{}, false
	}
	l, ok := s.Tokens.login(c.Value, time.Now())
	return l, ok && !s.revoked.has(l)
}

var crossOrigin = problem(http.StatusForbidden, "cross_origin",
	"A page of another origin may not do this with your login. Use a token in the Authorization header.")

// sameOrigin lets a request through that no page of another origin made. Browsers
// send cookies along for every port of a host, so the cookie does not say so.
func (s *Server) sameOrigin(r *http.Request) error {
	if err := s.origin.Check(r); err != nil {
		return crossOrigin
	}
	return nil
}

// admitCookie lets in who has a login. What changes something has to come from a
// page of ours, and as JSON, which a form cannot send.
func (s *Server) admitCookie(c echo.Context, next echo.HandlerFunc) error {
	r := c.Request()
	l, ok := s.loginOf(r)
	if !ok {
		return unauthorized
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := s.sameOrigin(r); err != nil {
			return err
		}
		if !isJSON(r) {
			return notJSON
		}
	}
	c.Set(userKey, l.user)
	c.Set(loginKey, l)
	return next(c)
}

const loginKey = "candor.login"

// attempts bounds how often an address may try to log in. It holds a fixed number
// of limits: addresses that fall together share one.
type attempts struct {
	seed   maphash.Seed
	limits [256]*rate.Limiter
}

// loginsPerMinute is how often an address may try, all of it at once if it likes.
const loginsPerMinute = 20

func newAttempts() *attempts {
	a := &attempts{seed: maphash.MakeSeed()}
	for i := range a.limits {
		a.limits[i] = rate.NewLimiter(rate.Every(time.Minute/loginsPerMinute), loginsPerMinute)
	}
	return a
}

// allow counts an attempt. The address is the connection's: headers are the
// client's to choose.
func (a *attempts) allow(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return a.limits[maphash.String(a.seed, host)%uint64(len(a.limits))].Allow()
}
