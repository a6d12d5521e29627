package web

import (
	"context"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"
)

// processorsPerRead is how many processors there are for each answer that is made for a user at
// once.
const processorsPerRead = 2

// shares bounds how many answers are made for a user at once, so that one who reads much leaves
// processors to others. Further requests wait for their turn. It is safe for concurrent use. Its
// size is bounded by the number of users.
type shares struct {
	perUser int

	mu    sync.Mutex
	slots map[string]chan struct{} // by user; full while no further answer may be made
}

// enter waits until an answer may be made for a user, and returns a function that ends it, which
// may be called more than once. It fails if ctx ends before.
func (s *shares) enter(ctx context.Context, user string) (leave func(), err error) {
	slots := s.of(user)
	select {
	case slots <- struct{}{}:
		return sync.OnceFunc(func() { <-slots }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// of returns the slots of a user.
func (s *shares) of(user string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == nil {
		s.slots = map[string]chan struct{}{}
	}
	if s.slots[user] == nil {
		s.slots[user] = make(chan struct{}, s.perUser)
	}
	return s.slots[user]
}

// shareReads makes a user's answers within the user's share of the processors. An answer counts
// until it begins to leave, so a slow reader does not hold up the user's other requests. Writes
// have a rate instead, and streams do not pass it.
func (s *Server) shareReads(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method != http.MethodGet {
			return next(c)
		}
		leave, err := s.reads.enter(c.Request().Context(), countedAs(c))
		if err != nil {
			return err
		}
		defer leave()
		c.Response().Before(leave)
		return next(c)
	}
}
