package web

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// LocalUser is who a single configured token speaks for.
const LocalUser = "local"

// Tokens knows which token speaks for which user. It keeps hashes only. The zero
// value lets nobody in.
type Tokens struct{ entries []tokenEntry }

type tokenEntry struct {
	hash [sha256.Size]byte
	Caller
}

// Caller is who a request speaks for. Reasoning is how much of it their token is
// shown, "" if nothing was said: such a token is good for every route, any other
// only for those of a protocol that heeds it.
type Caller struct{ User, Reasoning string }

// Add lets a token speak for a user, besides those it knows.
func (t *Tokens) Add(user, token string) { t.add(Caller{User: user}, token) }

func (t *Tokens) add(who Caller, token string) {
	t.entries = append(t.entries, tokenEntry{sha256.Sum256([]byte(token)), who})
}

// Levels are how much of the reasoning a token can be shown: all, narratives
// without the reasons of single calls, or none.
var Levels = []string{"full", "summary", "hidden"}

// MinToken is how many characters a configured token needs: shorter ones can be
// guessed.
const MinToken = 16

// ParseTokens reads lines of user:token, with reasoning=LEVEL after a space where
// the token is not shown all. Blank lines and lines that begin with # are skipped. An
// error names the line and shows nothing of it.
func ParseTokens(r io.Reader) (Tokens, error) {
	var t Tokens
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		user, token, ok := strings.Cut(line, ":")
		token, level, leveled := strings.Cut(token, " reasoning=")
		user, token = strings.TrimSpace(user), strings.TrimSpace(token)
		if !ok || user == "" || len(token) < MinToken {
			return Tokens{}, fmt.Errorf("line %d: want user:token with a token of at least %d characters", n, MinToken)
		}
		if level = strings.TrimSpace(level); leveled && !slices.Contains(Levels, level) {
			return Tokens{}, fmt.Errorf("line %d: reasoning is none of %s", n, strings.Join(Levels, ", "))
		}
		t.add(Caller{user, level}, token)
	}
	if err := lines.Err(); err != nil {
		return Tokens{}, err
	}
	if len(t.entries) == 0 {
		return Tokens{}, fmt.Errorf("no line of the form user:token")
	}
	return t, nil
}

// caller is who the token speaks for.
func (t *Tokens) caller(token string) (who Caller, ok bool) {
	e, ok := t.entry(token)
	return e.Caller, ok
}

// entry is the token's. Every one is compared, each in constant time, so the
// answer's delay says nothing about how near a guess was.
func (t *Tokens) entry(token string) (entry tokenEntry, ok bool) {
	hash := sha256.Sum256([]byte(token))
	for _, e := range t.entries {
		if subtle.ConstantTimeCompare(hash[:], e.hash[:]) == 1 {
			entry, ok = e, true
		}
	}
	return entry, ok && token != ""
}

const userKey = "candor.user"

// userOf is who the request speaks for; the authenticating middleware set it.
func userOf(c echo.Context) string { return c.Get(userKey).(string) }

// tokenInQuery is refused with its own words: whoever sends one should learn
// that it now stands in the logs between us and them.
var tokenInQuery = problem(http.StatusBadRequest, "token_in_query",
	"A token in the URL ends up in logs, so it is accepted on event streams only. "+
		"Send it as Authorization: Bearer <token>, and replace this one.")

// authenticate lets in who has a token in the header or, without that header, a
// login in a cookie.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.QueryParams().Has("token") {
			return tokenInQuery
		}
		return s.admit(c, bearer(c), next)
	}
}

// authenticateStream also takes the token from the query, since a browser's
// EventSource cannot set headers. The header wins.
func (s *Server) authenticateStream(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		token := bearer(c)
		if token == "" {
			token = c.QueryParam("token")
		}
		return s.admit(c, token, next)
	}
}

// authenticateByAccept takes the token from the query only of who wants a stream.
func (s *Server) authenticateByAccept(next echo.HandlerFunc) echo.HandlerFunc {
	stream, plain := s.authenticateStream(next), s.authenticate(next)
	return func(c echo.Context) error {
		if wantsStream(c) {
			return stream(c)
		}
		return plain(c)
	}
}

func wantsStream(c echo.Context) bool {
	return strings.Contains(c.Request().Header.Get("Accept"), "text/event-stream")
}

func (s *Server) admit(c echo.Context, token string, next echo.HandlerFunc) error {
	if token == "" && c.Request().Header.Get("Authorization") == "" {
		return s.admitCookie(c, next)
	}
	who, ok := s.Tokens.caller(token)
	if !ok {
		return unauthorized
	}
	if who.Reasoning != "" {
		return limitedToken // these routes show all of it
	}
	c.Set(userKey, who.User)
	return next(c)
}

// bearer is the token of the Authorization header, "" when it has none.
func bearer(c echo.Context) string {
	scheme, token, _ := strings.Cut(c.Request().Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
