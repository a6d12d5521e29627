package web

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"

	"candor/web/envelope"
	"candor/web/problem"
)

// maxBody bounds a request's body on routes without a limit of their own, in bytes.
const maxBody = 1 << 20

// requestTime bounds how long a request that is not a stream may take to arrive and
// its answer to leave, so that a slow client cannot hold a connection.
const requestTime = 30 * time.Second

func (s *Server) middleware() []echo.MiddlewareFunc {
	return []echo.MiddlewareFunc{
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true}),
		s.logRequests,
		setDeadlines,
		s.checkHost,
		middleware.SecureWithConfig(middleware.SecureConfig{
			ContentTypeNosniff:    "nosniff",
			XFrameOptions:         "DENY",
			ContentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
			ReferrerPolicy:        "no-referrer",
		}),
		preventCaching,
		middleware.CORSWithConfig(middleware.CORSConfig{
			AllowOriginFunc: s.allowOrigin,
			AllowMethods:    []string{http.MethodGet, http.MethodPost, http.MethodDelete},
			AllowHeaders: []string{
				"Authorization", "Content-Type", "Last-Event-ID", "Idempotency-Key", "OpenWOP-Version",
			},
			MaxAge: 600,
		}),
		s.limitBody,
	}
}

// inOrder returns middleware that passes a request through first and then through second.
func inOrder(first, second echo.MiddlewareFunc) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc { return first(second(next)) }
}

// preventCaching keeps answers, which are private conversations, out of caches and
// out of pages of other origins.
func preventCaching(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Cache-Control", "no-store")
		c.Response().Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		return next(c)
	}
}

// setDeadlines bounds reading the request and writing the answer. A stream replaces
// them by its own. A test recorder has no connection, so errors are ignored.
func setDeadlines(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		rc := http.NewResponseController(c.Response())
		end := time.Now().Add(requestTime)
		_, _ = rc.SetReadDeadline(end), rc.SetWriteDeadline(end)
		return next(c)
	}
}

// allowOrigin accepts the configured origins, and pages on this machine, which a
// developer may serve from any port.
func (s *Server) allowOrigin(origin string) (bool, error) {
	for _, o := range s.options.Origins {
		if o == origin {
			return true, nil
		}
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false, nil
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback()), nil
}

// limitSends limits how many messages each user sends per minute. The routes that
// use the returned middleware share one limit.
func limitSends(perMinute int) echo.MiddlewareFunc {
	return middleware.RateLimiterWithConfig(middleware.RateLimiterConfig{
		Store: middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
			Rate: rate.Limit(float64(perMinute) / 60), Burst: perMinute, ExpiresIn: time.Hour,
		}),
		IdentifierExtractor: func(c echo.Context) (string, error) { return callerOf(c).User, nil },
		DenyHandler: func(echo.Context, string, error) error {
			return echo.NewHTTPError(http.StatusTooManyRequests)
		},
	})
}

// logRequests logs a line per request: method, route, status, time. It leaves out the
// query, because a stream's may hold a token.
func (s *Server) logRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		s.options.Log.Debug("request", "method", c.Request().Method, "route", c.Path(),
			"status", c.Response().Status, "took", time.Since(start))
		return nil
	}
}

// limitBody refuses bodies of more than maxBody bytes, except on routes that have a
// limit of their own.
func (s *Server) limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.ownLimit[r.Method+" "+c.Path()] {
			return next(c)
		}
		if r.ContentLength > maxBody {
			return bodyTooLarge
		}
		r.Body = &limitedBody{ReadCloser: r.Body, left: maxBody}
		return next(c)
	}
}

// limitedBody fails with bodyTooLarge once more than left bytes were read.
type limitedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return n, bodyTooLarge
	}
	return n, err
}

var bodyTooLarge = problem.New(http.StatusRequestEntityTooLarge, "body_too_large",
	"The body is larger than 1 MiB. Send less.").With("max_bytes", maxBody)

// enveloped serves the request in an envelope as one with the token of its sender.
func (s *Server) enveloped(c echo.Context) error {
	if !envelope.Serve(c.Response(), c.Request(), s.options.Tokens.Named, s.echo) {
		return problem.Unauthorized
	}
	return nil
}

// wrongHost answers a request that was meant for another server.
var wrongHost = problem.New(http.StatusMisdirectedRequest, "wrong_host",
	"This server does not accept the name in the Host header. Use the address that it printed at its start, "+
		"or add the name with candor serve --host NAME.")

// checkHost refuses requests whose Host header names another server. A site can let its own
// name point to this machine (DNS rebinding). The browser then takes this server for a part
// of that site, and the origin check cannot tell them apart.
func (s *Server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.answersTo(c.Request()) {
			return wrongHost
		}
		return next(c)
	}
}

// answersTo reports whether the request's Host is a name of this server: this machine's own,
// one of Options.Hosts, or the address that the connection arrived at, which is no name that
// a site could point elsewhere. The port does not matter: a tunnel or a proxy may have
// another, and a site cannot lend its name to a port alone.
func (s *Server) answersTo(r *http.Request) bool {
	name := strings.ToLower((&url.URL{Host: r.Host}).Hostname())
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return name == "localhost" || name != "" && slices.Contains(s.options.Hosts, name)
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || slices.Contains(s.options.Hosts, ip.String()) ||
		local != nil && ip == local.AddrPort().Addr().Unmap()
}
