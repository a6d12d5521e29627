package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func runDoctor(t *testing.T, flags ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"candor", "doctor"}, flags...), strings.NewReader(""), &out, &out)
	return out.String(), err
}

func TestTheDoctorFindsAHealthyServerKeepingItsSecrets(t *testing.T) {
	s := startServer(t, settings{sends: 1000}, nil)
	t.Setenv("CANDOR_TOKEN", tokenOf("ann"))
	out, err := runDoctor(t, "--server", s.http.URL, "--canary")
	require.NoError(t, err, out)
	assert.Equal(t, len(canaries()), strings.Count(out, "planted; in none of 10 places"), out)
	for _, c := range canaries() {
		assert.Contains(t, out, c.kind)
	}
}

func TestTheDoctorSeesWhatIsWrong(t *testing.T) {
	s := startServer(t, settings{}, nil)
	t.Setenv("CANDOR_TOKEN", "not-a-token-of-anyone")
	out, err := runDoctor(t, "--server", s.http.URL)
	require.ErrorIs(t, err, errUnwell)
	assert.Contains(t, out, "✗ token")
	out, err = runDoctor(t, "--server", "http://127.0.0.1:1")
	require.ErrorIs(t, err, errUnwell)
	assert.Contains(t, out, "✗ server")
}

// A server that says back whatever it is told does not pass.
func TestTheDoctorCatchesAServerThatLeaks(t *testing.T) {
	said := make(chan string, 100)
	leaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/api/chat/thread/new":
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"id":"t"}`)
		case "/api/chat/send":
			w.WriteHeader(http.StatusAccepted)
			w.Write(body)
			said <- string(body)
		case "/api/chat/events":
			w.(http.Flusher).Flush()
			if r.URL.Query().Has("thread_id") {
				io.WriteString(w, <-said+"\nevent: response\n\n")
			}
		default:
			io.WriteString(w, `{"user":"x"}`)
		}
	}))
	defer leaky.Close()
	out, err := runDoctor(t, "--server", leaky.URL, "--canary")
	require.ErrorIs(t, err, errUnwell)
	assert.Contains(t, out, "comes out in the event stream")
}

func TestCanariesAreNewEachTime(t *testing.T) {
	a, b := canaries(), canaries()
	for i := range a {
		assert.NotEqual(t, a[i].secret, b[i].secret, a[i].kind)
		assert.True(t, a[i].leaks("x"+a[i].secret[4:13]+"x"))
		assert.False(t, a[i].leaks(a[i].secret[:7]))
	}
}
