package web

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"candor/session/pause"
	"candor/web/access"
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

const (
	// promptRefusals is how many refusals leave at once to a user who had none before.
	promptRefusals = 30
	// refusalTime is how long each further one is held back, and how long it takes until one more
	// leaves at once.
	refusalTime = time.Second
)

// refusals holds back the refusals of users who do not wait before they try again, since refusing
// costs the processors something, too. It holds a bounded number for each user. It is safe for
// concurrent use.
type refusals struct {
	perUser int // the most that are held back for one user
	users   userValues[refusedUser]
}

// refusedUser is a user who was refused, or the user's workers.
type refusedUser struct {
	prompt *rate.Limiter // refusals that leave at once
	held   chan struct{} // full while no further refusal may be held back
}

// holdBack returns once a refusal may leave, or ctx ends. It returns false at once if as many of the
// user's refusals are held back as may be.
func (r *refusals) holdBack(ctx context.Context, user string) bool {
	now := time.Now()
	own := r.users.get(user, func() refusedUser {
		return refusedUser{rate.NewLimiter(rate.Every(refusalTime), promptRefusals), make(chan struct{}, r.perUser)}
	}, func(own refusedUser) bool { return len(own.held) == 0 && own.prompt.TokensAt(now) >= promptRefusals })
	if own.prompt.AllowN(now, 1) {
		return true
	}
	select {
	case own.held <- struct{}{}:
	default:
		return false
	}
	defer func() { <-own.held }()
	_ = pause.For(ctx, refusalTime) // a client that has gone gets no answer
	return true
}

// holdBack holds back an answer that refuses for now what a user, or a user's worker, asks for. If
// too many of them are held back, the answer leaves at once and ends its connection, so that the
// next request takes another. The answers to strangers, and all others, leave at once.
func (s *Server) holdBack(c echo.Context, status int) {
	_, known := c.Get(callerKey).(access.Caller)
	if !known || retryAfter(status) == "" {
		return
	}
	if !s.refusals.holdBack(c.Request().Context(), countedAs(c)) {
		c.Response().Header().Set("Connection", "close")
	}
}

const (
	// freeGuesses is how many known secrets of others one's texts may have before one is slowed.
	freeGuesses = 30
	// guessTime is how long it takes until one's texts may have one more.
	guessTime = 2 * time.Second
	// maxGuessWait is the longest that one has to wait.
	maxGuessWait = time.Minute
	// guessLogTime is how long further guesses of one are counted before they are logged.
	guessLogTime = time.Minute
)

// Guesses counts the secrets that people's texts have without being theirs, and slows those whose texts have many:
// since a known secret is masked, whoever sees texts masked could find it by guessing. Its methods are safe for
// concurrent use.
type Guesses struct {
	log   *slog.Logger
	total atomic.Uint64
	all   userValues[*guesser]
}

// guesser is somebody whose texts had a secret of others.
type guesser struct {
	pace   *rate.Limiter
	logged *rate.Limiter
	since  atomic.Uint64 // secrets that no line of the log has counted yet
}

// NewGuesses returns a count of none, which logs what it is told.
func NewGuesses(log *slog.Logger) *Guesses { return &Guesses{log: log} }

// Notice counts a secret in a text of somebody, a user or a guest of a user, who does not own it. It logs where the
// secret was set; of many in a row it logs the first and then how many there were. A guest is named by the user, the
// space and a name, with zero bytes between them.
func (g *Guesses) Notice(who, from string) {
	g.total.Add(1)
	now := time.Now()
	one := g.of(who, now)
	if reservation := one.pace.ReserveN(now, 1); reservation.DelayFrom(now) > maxGuessWait {
		reservation.CancelAt(now)
	}
	one.since.Add(1)
	if !one.logged.AllowN(now, 1) {
		return
	}
	user, guest, _ := strings.Cut(who, "\x00")
	space, _, _ := strings.Cut(guest, "\x00")
	g.log.Warn("a text has a known secret that is not its author's", "user", user, "space", space,
		"secret", from, "since_last_line", one.since.Swap(0))
}

// of returns what is known of somebody.
func (g *Guesses) of(who string, now time.Time) *guesser {
	return g.all.get(who, func() *guesser {
		return &guesser{
			pace:   rate.NewLimiter(rate.Every(guessTime), freeGuesses),
			logged: rate.NewLimiter(rate.Every(guessLogTime), 1),
		}
	}, func(one *guesser) bool { return one.pace.TokensAt(now) >= freeGuesses && one.logged.TokensAt(now) >= 1 })
}

// Wait returns for how long nothing that somebody writes is taken, 0 if it is taken now. It is at most a minute.
func (g *Guesses) Wait(who string, now time.Time) time.Duration {
	if g == nil {
		return 0
	}
	g.all.mu.Lock()
	one := g.all.all[who]
	g.all.mu.Unlock()
	if one == nil {
		return 0
	}
	missing := 1 - one.pace.TokensAt(now)
	return time.Duration(math.Ceil(max(0, missing) * float64(guessTime)))
}

// Total returns how many were counted.
func (g *Guesses) Total() uint64 {
	if g == nil {
		return 0
	}
	return g.total.Load()
}

// manyGuesses refuses a text of somebody who was told to wait.
var manyGuesses = problem.New(http.StatusTooManyRequests, "too_fast",
	"Your latest texts had many secrets of this server that are not yours, as guesses have. They were masked and "+
		"counted. Wait for the time in Retry-After and send again.")

// stops reports whether a route only ends something, which nobody has to wait for.
func stops(path string) bool {
	return strings.HasSuffix(path, "/interrupt") || strings.HasSuffix(path, "/cancel")
}
