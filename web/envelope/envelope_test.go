package envelope

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// token is what a test's user has.
const token = "a-token-of-a-test"

// served is a server behind envelopes, and what came to it over the wire.
type served struct {
	*httptest.Server
	wire bytes.Buffer
	// last is the last envelope.
	last *http.Request
	sent []byte
}

// serve starts a server that knows tokens.
func serve(t *testing.T, next http.HandlerFunc, tokens ...string) *served {
	t.Helper()
	s := &served{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		s.last, s.sent = r, raw
		s.wire.WriteString(r.Method + " " + r.URL.String() + "\n")
		_ = r.Header.Write(&s.wire)
		s.wire.Write(raw)
		r.Body = io.NopCloser(bytes.NewReader(raw))
		if r.URL.Path != Path || !Serve(w, r, named(tokens), next) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// named finds tokens by their names.
func named(tokens []string) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		for _, one := range tokens {
			if NameOf(one) == name {
				return one, true
			}
		}
		return "", false
	}
}

// post posts a body to a server in an envelope.
func post(t *testing.T, server, path, body string) (status int, answer string, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := Transport{http.DefaultTransport, server, token}.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw), nil
}

// TestAnEnvelopeShowsNothingOnTheWire holds that the server gets the request as with the token, and nobody else any of
// it.
func TestAnEnvelopeShowsNothingOnTheWire(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Equal(t, "Bearer "+token, r.Header.Get("Authorization"))
		assert.Equal(t, "application/x-ndjson", r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "got "+r.URL.String()+" "+string(body))
	}, "another-token-of-it", token)
	status, answer, err := post(t, s.URL, "/api/hooks/claude?a=1", "the payload")
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, status)
	assert.Equal(t, "got /api/hooks/claude?a=1 the payload", answer)
	for _, secret := range []string{token, "claude", "payload", "ndjson"} {
		assert.NotContains(t, s.wire.String(), secret)
	}
}

// TestOnlyWhoKnowsTheTokenCanAnswer holds it for answers in the clear, of another token, and for another request.
func TestOnlyWhoKnowsTheTokenCanAnswer(t *testing.T) {
	var answer []byte
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	defer s.Close()
	other, err := seal("answer", "another-token-of-it", head{Status: 200}, nil, nil)
	require.NoError(t, err)
	recorded, err := seal("answer", token, head{Status: 200}, []byte("{}"), []byte("other nonce "))
	require.NoError(t, err)
	mirrored, err := seal("request", token, head{Status: 200}, nil, nil)
	require.NoError(t, err)
	for _, answer = range [][]byte{nil, []byte(`{"decision":"allow"}`), other, recorded, mirrored} {
		_, _, err := post(t, s.URL, "/api/hooks/claude", "{}")
		require.ErrorContains(t, err, "not that of a Candor server")
	}
	status, answer = http.StatusUnauthorized, []byte(`{"error":"x","message":"Paste your token here."}`)
	got, body, err := post(t, s.URL, "/api/hooks/claude", "{}")
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, got)
	assert.NotContains(t, body, "Paste")
	status = http.StatusTeapot
	_, _, err = post(t, s.URL, "/api/hooks/claude", "{}")
	require.ErrorContains(t, err, "it answers with status 418")
}

// TestWhatIsNotForTheServerIsNotServed holds that an envelope of an unknown token, one that was changed, an old one,
// and one to a path that is not carried reach no handler.
func TestWhatIsNotForTheServerIsNotServed(t *testing.T) {
	reached := 0
	h := func(http.ResponseWriter, *http.Request) { reached++ }
	status, _, err := post(t, serve(t, h, "another-token-of-it").URL, "/api/hooks/claude", "{}")
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, status)

	s := serve(t, h, token)
	for _, path := range []string{"/api/chat/send", "/api/hooks", "/v1/traces"} {
		status, _, err = post(t, s.URL, path, "{}")
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, status)
	}
	assert.Zero(t, reached)
	status, _, err = post(t, s.URL, "/api/attached", "{}")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, 1, reached)

	// The same once more, in time and too late, and changed.
	again := func(body []byte) []byte {
		r := httptest.NewRequest(http.MethodPost, Path, bytes.NewReader(body))
		r.Header = s.last.Header
		w := httptest.NewRecorder()
		if !Serve(w, r, named([]string{token}), http.HandlerFunc(h)) {
			return nil
		}
		_, answer, err := open("answer", token, w.Body.Bytes(), body[:nonceBytes])
		require.NoError(t, err)
		return answer
	}
	envelope := bytes.Clone(s.sent)
	assert.Empty(t, again(envelope))
	assert.Equal(t, 2, reached)
	for _, later := range []time.Duration{6 * time.Minute, -6 * time.Minute} {
		now = func() time.Time { return time.Now().Add(later) }
		assert.Contains(t, string(again(envelope)), "stale_envelope")
	}
	now = time.Now
	for at := range envelope {
		changed := bytes.Clone(envelope)
		changed[at] ^= 1
		assert.Nil(t, again(changed))
	}
	assert.Nil(t, again(nil))
	assert.Equal(t, 2, reached)
}
