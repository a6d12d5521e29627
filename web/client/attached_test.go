package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
	"candor/web/envelope"
)

// enveloped serves what comes in envelopes of the token ann.
func enveloped(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !envelope.Serve(w, r, func(string) (string, bool) { return "ann", true }, h) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
}

func TestSightingsArePostedAsTheyAre(t *testing.T) {
	answer := `{"taken":2,"known":1}`
	s := httptest.NewServer(enveloped(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Equal(t, "{}\n{}\n{}\n", string(body))
		assert.Equal(t, "POST /api/attached", r.Method+" "+r.URL.Path)
		assert.Equal(t, "application/x-ndjson", r.Header.Get("Content-Type"))
		assert.Equal(t, "Bearer ann", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, answer)
	}))
	defer s.Close()
	c, err := client.New(s.URL, "ann")
	require.NoError(t, err)
	got, err := c.Attach(t.Context(), []byte("{}\n{}\n{}\n"))
	require.NoError(t, err)
	assert.Equal(t, client.Attached{Taken: 2, Known: 1}, got)

	answer = "<html>"
	_, err = c.Attach(t.Context(), []byte("{}\n{}\n{}\n"))
	require.ErrorContains(t, err, "not that of a Candor server")
}

func TestAHookIsPostedAsItIs(t *testing.T) {
	answer, path := " {\"decision\":\"block\"}\n", "/api/hooks/claude"
	s := httptest.NewServer(enveloped(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Equal(t, `{"a": 1}`, string(body))
		assert.Equal(t, "POST "+path, r.Method+" "+r.URL.Path)
		_, _ = io.WriteString(w, answer)
	}))
	defer s.Close()
	c, err := client.New(s.URL, "ann")
	require.NoError(t, err)
	reply, err := c.Hook(t.Context(), "claude", []byte(`{"a": 1}`), client.HookTells)
	require.NoError(t, err)
	assert.Equal(t, `{"decision":"block"}`, string(reply))
	path = "/api/hooks/claude/reasons"
	_, err = c.Hook(t.Context(), "claude", []byte(`{"a": 1}`), client.HookReminds)
	require.NoError(t, err)
	path = "/api/hooks/claude"
	for _, answer = range []string{"", "<html>", "[]"} {
		_, err = c.Hook(t.Context(), "claude", []byte(`{"a": 1}`), client.HookTells)
		require.ErrorContains(t, err, "not that of a Candor server")
	}
}
