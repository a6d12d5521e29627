package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"candor/web/access"
	"candor/web/problem"
)

// throwawayLife is how long the token of a throwaway session is valid.
const throwawayLife = 10 * time.Minute

// throwawayUser matches the names of the users of throwaway sessions.
var throwawayUser = regexp.MustCompile(`~[A-Z2-7]{26}$`)

// IsThrowaway reports whether a user is that of a throwaway session, which no storage has to keep.
func IsThrowaway(user string) bool { return throwawayUser.MatchString(user) }

// noThrowaway answers a request to remove a session that is not one to throw away.
var noThrowaway = problem.New(http.StatusConflict, "no_throwaway",
	"This token does not belong to a throwaway session. Use the token that POST /api/session/throwaway returned.")

// throwaways are sessions that users opened for a check, such as candor doctor --canary, and
// that hold nothing of their own conversations. A user has one at a time, always under the
// same name, so that limits per user hold for them as well. The zero value is empty and
// ready to use.
type throwaways struct {
	mu      sync.Mutex
	suffix  string // of the names of their users; random, so that no configured user has one
	byOwner map[string]throwaway
}

// throwaway is a session of a user that exists for it alone.
type throwaway struct {
	user    string // whose the session is
	hash    [sha256.Size]byte
	expires time.Time
}

// open makes a throwaway session's user and token, valid until expires. replaced is the user
// of the owner's session before it, "" if there was none.
func (t *throwaways) open(owner string, expires time.Time) (user, token, replaced string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byOwner == nil {
		t.byOwner, t.suffix = map[string]throwaway{}, "~"+rand.Text()
	}
	replaced = t.byOwner[owner].user
	user, token = owner+t.suffix, rand.Text()
	t.byOwner[owner] = throwaway{user, sha256.Sum256([]byte(token)), expires}
	return user, token, replaced
}

// lookup returns whom the token of a throwaway session speaks for.
func (t *throwaways) lookup(token string, now time.Time) (who access.Caller, ok bool) {
	hash := sha256.Sum256([]byte(token))
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.byOwner {
		if subtle.ConstantTimeCompare(hash[:], one.hash[:]) == 1 && now.Before(one.expires) {
			return access.Caller{User: one.user}, true
		}
	}
	return access.Caller{}, false
}

// close forgets the throwaway session of this user and reports whether there was one.
func (t *throwaways) close(user string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for owner, one := range t.byOwner {
		if one.user == user {
			delete(t.byOwner, owner)
			return true
		}
	}
	return false
}

// ThrowawaySession is the answer to POST /api/session/throwaway.
type ThrowawaySession struct {
	User    string    `json:"user"`
	Token   string    `json:"token"` // valid wherever the caller's own is, but for the session User
	Expires time.Time `json:"expires_at"`
}

// openThrowaway handles POST /api/session/throwaway: it answers 201 with a token for an
// empty session, and removes the one that the caller had before. A throwaway session
// cannot open another.
func (s *Server) openThrowaway(c echo.Context) error {
	_, configured := s.options.Tokens.Lookup(access.Bearer(c.Request()))
	if !configured {
		return problem.Unauthorized
	}
	expires := time.Now().Add(throwawayLife)
	user, token, replaced := s.throwaways.open(callerOf(c).User, expires)
	if replaced != "" {
		s.options.Discard(c.Request().Context(), replaced)
	}
	return c.JSON(http.StatusCreated, ThrowawaySession{User: user, Token: token, Expires: expires})
}

// closeThrowaway handles DELETE /api/session/throwaway with the token of a throwaway
// session: it removes the session and answers 204.
func (s *Server) closeThrowaway(c echo.Context) error {
	user := callerOf(c).User
	if !s.throwaways.close(user) {
		return noThrowaway
	}
	s.options.Discard(c.Request().Context(), user)
	return c.NoContent(http.StatusNoContent)
}
