package web

import (
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"candor/web/problem"
)

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
