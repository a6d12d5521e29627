package web

import (
	"net/http"
	"sync"

	"candor/web/problem"
)

// connections counts the event streams that users have open.
type connections struct {
	perUser int // the most one user may have

	mu   sync.Mutex
	open map[string]int // by user; never zero
}

// enter counts a stream until leave is called. It fails if the user has as many as
// are allowed.
func (c *connections) enter(user string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[user] >= c.perUser {
		return nil, problem.New(http.StatusTooManyRequests, "too_many_streams",
			"You have as many event streams open as the server allows. Close one first.").With("max", c.perUser)
	}
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[user]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[user]--; c.open[user] == 0 {
			delete(c.open, user)
		}
	}, nil
}

// count returns how many streams a user has open, and how many all users have.
func (c *connections) count(user string) (own, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.open {
		all += n
	}
	return c.open[user], all
}
