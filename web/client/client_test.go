package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a-token-for-tests-only"

// serving returns a client of a server that answers with h.
func serving(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := New(s.URL, token)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestARefusalIsAnErrorWithTheServersWords(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer "+token, r.Header.Get("Authorization"))
		w.WriteHeader(404)
		_, _ = w.Write([]byte(`{"error":"no_thread","message":"You have no such thread.","details":{"n":1}}`))
	})
	_, err := c.History(t.Context(), "nope", 10, "")
	e, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	want := &Error{Status: 404, Code: "no_thread", Message: "You have no such thread.",
		Details: map[string]any{"n": 1.0}}
	assert.Equal(t, want, e)
	assert.True(t, Is(err, "no_thread"))
	assert.EqualError(t, err, "You have no such thread.")
}

func TestAnswersOfOtherServersAreRejected(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"a web page": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>It works</html>"))
		},
		"an error of a proxy": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Bad Gateway", http.StatusBadGateway)
		},
		"an error without a code": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			_, _ = w.Write([]byte("{}"))
		},
		"an answer that is cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("{"))
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			assert.NotEqual(t, "/elsewhere", r.URL.Path, "the token is sent to no other address")
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serving(t, h).Status(t.Context())
			_, ok := errors.AsType[*Unreachable](err)
			require.True(t, ok, "%v", err)
			assert.Contains(t, err.Error(), "no answer from 127.0.0.1")
			assert.NotContains(t, err.Error(), token)
		})
	}
}

func TestAnUnreachableServerIsNamedInTheError(t *testing.T) {
	c, err := New("http://127.0.0.1:1", token)
	require.NoError(t, err)
	_, err = c.Send(t.Context(), "", "a secret in my words")
	require.ErrorContains(t, err, "no answer from 127.0.0.1:1")
	assert.NotContains(t, err.Error(), "secret")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Send(ctx, "", "x")
	assert.ErrorIs(t, err, context.Canceled, "it was the caller, not the server")
}

func TestWrongURLsAndTokensAreExplained(t *testing.T) {
	for _, tt := range []struct{ url, token, want string }{
		{"127.0.0.1:8080", token, "must be a URL"},
		{"ftp://x", token, "must be a URL"},
		{"http://me:pw@x", token, "must not have a user, query or fragment"},
		{"http://x", "", "the token is missing"},
		{"http://x", "two words", "invalid characters"},
	} {
		_, err := New(tt.url, tt.token)
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "pw")
	}
}

func TestTurnsFetchesOnlyThePagesThatAreRead(t *testing.T) {
	asked := []string{}
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("limit")+" "+r.URL.Query().Get("before"))
		switch r.URL.Query().Get("before") {
		case "":
			_, _ = w.Write([]byte(`{"turns":[{"turn_number":3},{"turn_number":4}],
				"has_more":true,"oldest_timestamp":"t3"}`))
		default:
			_, _ = w.Write([]byte(`{"turns":[{"turn_number":1},{"turn_number":2}],
				"has_more":false,"oldest_timestamp":"t1"}`))
		}
	})
	var seen []int
	for turn, err := range c.Turns(t.Context(), "x") {
		require.NoError(t, err)
		seen = append(seen, turn.Number)
	}
	assert.Equal(t, []int{4, 3, 2, 1}, seen, "the newest first")
	for turn, err := range c.Turns(t.Context(), "x") {
		require.NoError(t, err)
		assert.Equal(t, 4, turn.Number)
		break
	}
	assert.Equal(t, []string{"20 ", "200 t3", "20 "}, asked)
}

func TestALoginCodeIsACode(t *testing.T) {
	answer := ""
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST /api/login/code", r.Method+" "+r.URL.Path)
		_, _ = w.Write([]byte(`{"code":"` + answer + `","expires_at":"2026-11-22T13:00:00Z"}`))
	})
	answer = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	code, err := c.LoginCode(t.Context())
	require.NoError(t, err)
	assert.Equal(t, answer, code)
	for _, answer = range []string{"", "short", `\u001b[2Jabcdefghijklmnop`, "abcdefgh ijklmnop",
		"abcdefghijklmnop#x"} {
		_, err := c.LoginCode(t.Context())
		require.ErrorContains(t, err, "not that of a Candor server", answer)
	}
}
