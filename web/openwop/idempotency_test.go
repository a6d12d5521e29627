package openwop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/access"
	"candor/web/problem"
)

// asked is a request of a user's with a key and a body.
func asked(user, path, key, body string) *incoming {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set(keyHeader, key)
	}
	return &incoming{Request: r, who: access.Caller{User: user}, version: V1}
}

// counter is something to change, whose n-th answer is the n-th of these errors or n itself.
type counter struct {
	n    int
	errs []error
}

func (c *counter) change(*incoming, []byte) (changed, error) {
	c.n++
	if c.n <= len(c.errs) && c.errs[c.n-1] != nil {
		return changed{}, c.errs[c.n-1]
	}
	return changed{http.StatusCreated, map[string]int{"n": c.n}}, nil
}

// try sends a request and returns the answer: status, body and whether it is a replay.
func try(t *testing.T, s *Server, c *counter, in *incoming) string {
	t.Helper()
	w := httptest.NewRecorder()
	if err := s.once(c.change)(w, in); err != nil {
		return "error " + err.Error()[:strings.IndexByte(err.Error()+":", ':')]
	}
	return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()), " ", w.Header().Get("OpenWOP-Idempotent-Replay"))
}

func TestARequestWithTheSameKeyIsCarriedOutOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		second *incoming
		want   string
	}{
		"the same again":        {asked("ann", "/v1/runs", "k", `{"a":1}`), `201 {"n":1} true`},
		"with another body":     {asked("ann", "/v1/runs", "k", `{"a":2}`), "error idempotency_key_mismatch"},
		"at another endpoint":   {asked("ann", "/v1/runs/x/cancel", "k", `{"a":1}`), `201 {"n":2} `},
		"by another user":       {asked("bob", "/v1/runs", "k", `{"a":1}`), `201 {"n":2} `},
		"with another key":      {asked("ann", "/v1/runs", "l", `{"a":1}`), `201 {"n":2} `},
		"without a key":         {asked("ann", "/v1/runs", "", `{"a":1}`), `201 {"n":2} `},
		"with a key of no text": {asked("ann", "/v1/runs", " ", `{"a":1}`), `201 {"n":2} `},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := New(Options{}), &counter{}
			require.Equal(t, `201 {"n":1} `, try(t, s, c, asked("ann", "/v1/runs", "k", `{"a":1}`)))
			assert.Equal(t, tt.want, try(t, s, c, tt.second))
		})
	}
}

func TestOnlyFinalAnswersAreKept(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"a conflict":             {errTerminal, `409 {"error":"run_terminal",`},
		"a run that is not":      {errNotFound, `404 {"error":"not_found",`},
		"a mistake":              {badRequest("Wrong."), `201 {"n":2}`},
		"too much":               {problem.New(http.StatusTooManyRequests, "rate_limited", "Wait."), `201 {"n":2}`},
		"a refusal":              {problem.New(http.StatusForbidden, "forbidden", "No."), `201 {"n":2}`},
		"a part that is not":     {errUnsupported, `201 {"n":2}`},
		"a session that is full": {session.ErrFull, `201 {"n":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := New(Options{}), &counter{errs: []error{tt.err}}
			first := try(t, s, c, asked("ann", "/v1/runs", "k", `{}`))
			again := try(t, s, c, asked("ann", "/v1/runs", "k", `{}`))
			assert.True(t, strings.HasPrefix(again, tt.want), "%s, then %s", first, again)
		})
	}
}

func TestAKeyIsGoodForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := New(Options{}), &counter{}
		try(t, s, c, asked("ann", "/v1/runs", "k", `{}`))
		time.Sleep(keyLife - time.Second)
		assert.Equal(t, `201 {"n":1} true`, try(t, s, c, asked("ann", "/v1/runs", "k", `{}`)))
		time.Sleep(time.Second)
		assert.Equal(t, `201 {"n":2} `, try(t, s, c, asked("ann", "/v1/runs", "k", `{}`)))
	})
}

func TestARequestUnderWayIsNotCarriedOutTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := New(Options{}), &counter{}
		slow := s.once(func(in *incoming, body []byte) (changed, error) {
			time.Sleep(time.Minute)
			return c.change(in, body)
		})
		go func() { _ = slow(httptest.NewRecorder(), asked("ann", "/v1/runs", "k", `{}`)) }()
		synctest.Wait()
		assert.Equal(t, "error idempotency_in_flight", try(t, s, c, asked("ann", "/v1/runs", "k", `{}`)))
		time.Sleep(2 * time.Minute)
		assert.Equal(t, `201 {"n":1} true`, try(t, s, c, asked("ann", "/v1/runs", "k", `{}`)))
	})
}

func TestAPanicFreesItsKey(t *testing.T) {
	s, c := New(Options{}), &counter{}
	panics := s.once(func(*incoming, []byte) (changed, error) { panic("ouch") })
	assert.Panics(t, func() { _ = panics(httptest.NewRecorder(), asked("ann", "/v1/runs", "k", `{}`)) })
	assert.Equal(t, `201 {"n":1} `, try(t, s, c, asked("ann", "/v1/runs", "k", `{}`)))
}

func TestKeptAnswersAreBounded(t *testing.T) {
	var k keyStore
	name := func(i int) (sum [sha256.Size]byte) { return sha256.Sum256(fmt.Append(nil, i)) }
	put := func(user string, i int) {
		_, promise, err := k.begin(user, name(i), name(0), time.Time{})
		require.NoError(t, err)
		k.keep(promise, http.StatusOK, []byte("{}"))
	}
	has := func(user string, i int) bool {
		have, promise, _ := k.begin(user, name(i), name(0), time.Time{})
		if promise != nil {
			k.forget(user, promise)
		}
		return have != nil
	}
	_, underWay, err := k.begin("ann", name(-1), name(0), time.Time{})
	require.NoError(t, err)
	for i := range maxUserKeys + 1 {
		put("ann", i)
	}
	assert.Len(t, k.byUser["ann"], maxUserKeys)
	assert.Contains(t, k.byUser["ann"], underWay, "a request under way keeps its key")
	assert.False(t, has("ann", 0), "the oldest made room")
	assert.False(t, has("ann", 1), "so did the next")
	assert.True(t, has("ann", maxUserKeys))

	users := maxKeys/maxUserKeys - 1
	for u := range users {
		for i := range maxUserKeys {
			put(fmt.Sprint("user", u), i)
		}
	}
	put("late", 1)
	total := 0
	for _, list := range k.byUser {
		total += len(list)
	}
	assert.Equal(t, maxKeys, total)
	assert.Equal(t, total, k.count)
	assert.True(t, has("late", 1), "whoever has the most makes room")
}

func TestABodyThatIsTooDeepIsCountedRight(t *testing.T) {
	for raw, want := range map[string]int{
		`1`: 0, `{}`: 1, `[]`: 1, `{"a":[{"b":[]}]}`: 4, `{"a":{},"b":[1]}`: 2, `"[[["`: 0, ``: 0,
	} {
		assert.Equal(t, want, nesting(bytes.TrimSpace([]byte(raw))), raw)
	}
}
