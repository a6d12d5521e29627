package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"candor/web/problem"
)

// openCount counts what users have open at once, such as streams or requests.
type openCount struct {
	perUser int // the most one user may have
	refused *problem.Problem

	mu   sync.Mutex
	open map[string]int // by user; never zero
}

// streamCount counts event streams.
func streamCount(perUser int) openCount {
	return openCount{perUser: perUser, refused: problem.New(http.StatusTooManyRequests, "too_many_streams",
		"You have as many open event streams as the server allows. Close one first.").With("max", perUser)}
}

// requestCount counts requests that are no streams.
func requestCount(perUser int) openCount {
	return openCount{perUser: perUser, refused: problem.New(http.StatusTooManyRequests, "too_many_requests",
		"You have as many requests in progress as the server allows. Wait until one ends.").With("max", perUser)}
}

// enter counts one until leave is called. It fails if the user has as many as are allowed.
func (c *openCount) enter(user string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[user] >= c.perUser {
		return nil, c.refused
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

// count returns how many a user has open, and how many all users have.
func (c *openCount) count(user string) (own, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.open {
		all += n
	}
	return c.open[user], all
}

// countRequests refuses a request of a user who has as many under way as are allowed. It
// follows authentication, and precedes whatever reads the body. Streams do not pass it:
// they are counted apart.
func (s *Server) countRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		leave, err := s.requests.enter(countedAs(c))
		if err != nil {
			return err
		}
		defer leave()
		return next(c)
	}
}

// countedAs returns the user among whose requests one counts. A user's workers count apart,
// so that many of them cannot keep their user from the page.
func countedAs(c echo.Context) string {
	if worksFor, ok := c.Get(worksForKey).(string); ok {
		return "worker/" + worksFor
	}
	return "user/" + callerOf(c).User
}

// payerOf returns the user whose share of the processors one uses: the caller, or the one that the
// caller works for.
func payerOf(c echo.Context) string {
	if worksFor, ok := c.Get(worksForKey).(string); ok {
		return worksFor
	}
	return callerOf(c).User
}

// pacedWriter writes an answer that is made as it leaves. What is made of it counts as its user's
// share of the processors; the time in which its client reads does not.
type pacedWriter struct {
	http.ResponseWriter
	share *answerShare // nil if the answer has none
	begun bool         // a part of the answer has left
}

// newPacedWriter returns a writer of the answer to r.
func newPacedWriter(w http.ResponseWriter, r *http.Request) *pacedWriter {
	share, _ := r.Context().Value(shareKey{}).(*answerShare)
	return &pacedWriter{ResponseWriter: w, share: share}
}

// Write implements io.Writer.
func (p *pacedWriter) Write(b []byte) (n int, err error) {
	p.begun = true
	if p.share == nil {
		return p.ResponseWriter.Write(b)
	}
	p.share.end()
	if n, err = p.ResponseWriter.Write(b); err != nil {
		return n, err
	}
	p.share.mu.Lock()
	p.share.begun, p.share.ended = false, false
	p.share.mu.Unlock()
	return n, p.share.begin()
}

// breakOff ends an answer that failed. If a part of it has left, the client notices: the answer
// has no end as HTTP gives it to those that are whole. Else an error may take its place.
func (p *pacedWriter) breakOff() {
	if !p.begun {
		p.Header().Del("Content-Disposition")
		return
	}
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Unix(1, 0)) // a recorder has no connection
}
