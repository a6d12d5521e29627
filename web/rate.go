package web

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"candor/web/problem"
)

// DefaultWrites is how many writes a second a user may make, unless the options say otherwise:
// more than twice what fifty busy workers post together in the load test.
const DefaultWrites = 500

const (
	// burstSeconds is for how many seconds' writes a user who was idle may write at once.
	burstSeconds = 4
	// writeUnit is how many bytes of a body count as a further write.
	writeUnit = 4 << 10
)

var tooFast = problem.New(http.StatusTooManyRequests, "too_fast",
	"You write faster than the server allows. Wait for the time in Retry-After and send again.")

// writeRate limits how fast users write: requests, and the bytes of their bodies. It holds one
// bucket for each user and one for the user's workers, and is safe for concurrent use.
type writeRate struct {
	perSecond int
	buckets   userValues[*rate.Limiter]
}

// take charges a write with a body of this size. It returns how long to wait if the user has
// been too fast, and then charges nothing. A body of unknown size counts as the largest.
func (w *writeRate) take(user string, body int64, now time.Time) (wait time.Duration) {
	if body < 0 {
		body = maxBody
	}
	bucket := w.bucket(user, now)
	units := min(1+int(body/writeUnit), bucket.Burst())
	r := bucket.ReserveN(now, units)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// bucket returns a user's bucket, which begins full.
func (w *writeRate) bucket(user string, now time.Time) *rate.Limiter {
	return w.buckets.get(user, func() *rate.Limiter {
		return rate.NewLimiter(rate.Limit(w.perSecond), burstSeconds*w.perSecond)
	}, func(b *rate.Limiter) bool { return b.TokensAt(now) >= float64(b.Burst()) })
}

// limitWrites refuses a request that changes something if its user, or the user's workers,
// have been too fast, or the user's texts had many secrets of others. It follows authentication and
// precedes whatever reads the body, so what is not valid counts, too.
func (s *Server) limitWrites(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return next(c)
		}
		wait, refused := s.options.Guesses.Wait(payerOf(c), time.Now()), manyGuesses
		if r.Method == http.MethodDelete || stops(c.Path()) {
			wait = 0
		}
		if wait == 0 {
			wait, refused = s.writes.take(countedAs(c), r.ContentLength, time.Now()), tooFast
		}
		if wait > 0 {
			c.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			return refused
		}
		return next(c)
	}
}
