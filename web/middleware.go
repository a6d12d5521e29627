package web

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"
)

// maxBody is how large a request's body may be, in bytes.
const maxBody = 1 << 20

// requestTime bounds how long a request that is not a stream may take to arrive
// and its answer to leave, so that a client cannot hold a connection by dawdling.
const requestTime = 30 * time.Second

func (s *Server) middleware() []echo.MiddlewareFunc {
	return []echo.MiddlewareFunc{
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true}),
		s.logRequests,
		deadlines,
		middleware.SecureWithConfig(middleware.SecureConfig{
			ContentTypeNosniff:    "nosniff",
			XFrameOptions:         "DENY",
			ContentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
			ReferrerPolicy:        "no-referrer",
		}),
		noStore,
		middleware.CORSWithConfig(middleware.CORSConfig{
			AllowOriginFunc: s.allowOrigin,
			AllowMethods:    []string{http.MethodGet, http.MethodPost},
			AllowHeaders:    []string{"Authorization", "Content-Type", "Last-Event-ID"},
			MaxAge:          600,
		}),
		middleware.BodyLimitWithConfig(middleware.BodyLimitConfig{Limit: "1M", Skipper: s.limitsItself}),
	}
}

// noStore keeps answers, which are somebody's conversation, out of caches and out
// of other origins' pages.
func noStore(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Cache-Control", "no-store")
		c.Response().Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		return next(c)
	}
}

// deadlines bounds reading the request and writing the answer; a stream sets its
// own instead. A test recorder has no connection to bound, which is no failure.
func deadlines(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		rc := http.NewResponseController(c.Response())
		end := time.Now().Add(requestTime)
		_, _ = rc.SetReadDeadline(end), rc.SetWriteDeadline(end)
		return next(c)
	}
}

// allowOrigin lets in the configured origins and pages on this machine, which a
// developer serves on a port of their own.
func (s *Server) allowOrigin(origin string) (bool, error) {
	for _, o := range s.Origins {
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

// limitSends bounds each user's messages. One limit is shared by the routes it
// is put on.
func (s *Server) limitSends() echo.MiddlewareFunc {
	perSecond := float64(s.SendsPerMinute) / 60
	return middleware.RateLimiterWithConfig(middleware.RateLimiterConfig{
		Store: middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
			Rate: rate.Limit(perSecond), Burst: s.SendsPerMinute, ExpiresIn: time.Hour,
		}),
		IdentifierExtractor: func(c echo.Context) (string, error) { return userOf(c), nil },
		DenyHandler: func(echo.Context, string, error) error {
			return echo.NewHTTPError(http.StatusTooManyRequests)
		},
	})
}

// logRequests writes a line per request: route, status, time. The query is left
// out, since a stream's may hold a token.
func (s *Server) logRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		s.Log.Debug("request", "method", c.Request().Method, "route", c.Path(),
			"status", c.Response().Status, "took", time.Since(start))
		return nil
	}
}
