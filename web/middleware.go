package web

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"

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
