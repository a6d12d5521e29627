package web

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"candor/session/pause"
	"candor/web/access"
)

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
