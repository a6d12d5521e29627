package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/web/access"
	"candor/web/openapi"
	"candor/web/sse"
)

// Route is a route that another package serves. Like the server's own routes it
// passes through authentication, the origin check, deadlines, the body limit, the
// request log and the shape of errors.
type Route struct {
	Method, Path string // Path as Echo writes it, such as /jobs/:id; parameters become PathValues

	Sends   bool  // counts against the user's messages per minute
	MaxBody int64 // in bytes; 0 means 1 MiB, as everywhere

	Limited bool // admits tokens with a reasoning level; Serve must apply it
	Streams bool // admits a token in the URL if the client accepts text/event-stream

	Telemetry bool // admits tokens that only send telemetry

	// CountsItself says that the route bounds by itself how many of its requests a user has
	// open. All others count among the user's requests at once, unless they are Streams.
	CountsItself bool

	// Admit, if set, authenticates requests instead of the server's tokens and logins.
	// The request that Serve gets has the context that Admit returns, and the Caller
	// that it gets is empty. The request counts among those of the workers of user.
	Admit func(r *http.Request) (ctx context.Context, user string, err error)

	// Fail, if set, replaces an error of the route, or of the authentication before it, by
	// another, for a protocol that has codes of its own.
	Fail func(error) error

	// About describes the route in the server's OpenAPI document.
	About openapi.Operation

	// Serve answers a request. An error returned before anything is written becomes
	// the answer: a [*problem.Problem] and the errors of package session as they are,
	// any other as an internal error.
	Serve func(w http.ResponseWriter, r *http.Request, who access.Caller) error
}

// Describe returns the routes with what a package says of each, by method and path, such as
// "GET /jobs/:id". A route of which it says nothing stays without a description, which a test of
// cmd/candor/app does not allow.
func Describe(routes []Route, said map[string]openapi.Operation) []Route {
	for i, r := range routes {
		routes[i].About = said[r.Method+" "+r.Path]
	}
	return routes
}

// Mount adds routes. It must not be called once the server serves requests.
func (s *Server) Mount(routes ...Route) {
	for _, r := range routes {
		s.mount(r)
	}
}

func (s *Server) mount(route Route) {
	var chain []echo.MiddlewareFunc
	if route.Fail != nil {
		chain = append(chain, failBy(route.Fail))
	}
	if route.Admit != nil {
		chain = append(chain, admitBy(route.Admit))
	} else {
		p := policy{limited: route.Limited, telemetry: route.Telemetry}
		if route.Streams {
			p.queryToken = sse.Requested
		}
		chain = append(chain, s.authenticate(p))
	}
	if !route.CountsItself {
		chain = append(chain, s.countUnlessStreamed(route.Streams))
	}
	chain = append(chain, s.limitWrites)
	if route.Sends {
		chain = append(chain, s.limit)
	}
	chain = append(chain, s.shareProcessors)
	if route.MaxBody > 0 {
		s.ownLimit[route.Method+" "+route.Path] = true
	}
	s.mounted[route.Method+" "+route.Path] = route.About
	s.echo.Add(route.Method, route.Path, func(c echo.Context) error {
		r := c.Request()
		setPathValues(c)
		if route.MaxBody > 0 {
			r.Body = http.MaxBytesReader(c.Response(), r.Body, route.MaxBody)
		}
		return route.Serve(c.Response(), r, callerOf(c))
	}, chain...)
}

// failBy replaces the errors of what follows by those of a route's own Fail.
func failBy(fail func(error) error) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := next(c); err != nil {
				return fail(err)
			}
			return nil
		}
	}
}

// countUnlessStreamed counts requests, except those for a stream of a route that has one.
func (s *Server) countUnlessStreamed(streams bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		counted := s.countRequests(next)
		return func(c echo.Context) error {
			if streams && sse.Requested(c.Request()) {
				return next(c)
			}
			return counted(c)
		}
	}
}

// admitBy authenticates requests with a route's own Admit.
func admitBy(admit func(*http.Request) (context.Context, string, error)) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			setPathValues(c)
			ctx, user, err := admit(c.Request())
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(ctx))
			c.Set(callerKey, access.Caller{})
			c.Set(worksForKey, user)
			return next(c)
		}
	}
}

// setPathValues makes Echo's path parameters the request's own.
func setPathValues(c echo.Context) {
	for _, name := range c.ParamNames() {
		c.Request().SetPathValue(name, c.Param(name))
	}
}
