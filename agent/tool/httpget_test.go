package tool_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool"
)

type getAnswer struct {
	URL                         string
	Status                      int
	Type, Body, Note, Truncated string
}

const refused = "the host is not on the public internet, and other addresses are refused"

// site serves h on loopback, with a tool that may reach 127.0.0.1 and no other
// address of this machine.
func site(t *testing.T, h http.HandlerFunc) (agent.Tool, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return tool.HTTPGet(tool.HTTPGetOptions{
		UserAgent: "candor-test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}), s.URL
}

func asked(t *testing.T, to string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"url": to})
	require.NoError(t, err)
	return string(raw)
}

func TestHTTPGetReadsText(t *testing.T) {
	get, at := site(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "candor-test", r.UserAgent())
		assert.Empty(t, r.Cookies())
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"a":"<b>"}`)
		case "/old":
			w.Header().Set("Content-Type", "text/plain; charset=ISO-8859-1")
			_, _ = w.Write([]byte("caf\xe9"))
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/plain")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, strings.Repeat("all work ", 1<<20))
			_ = z.Close()
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			_, _ = io.WriteString(w, "\x89PNG")
		case "/liar":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "a\x00b")
		}
	})
	ask := func(path string) getAnswer { return run[getAnswer](t, t.Context(), get, asked(t, at+path)) }
	assert.Equal(t, getAnswer{at + "/json", 404, "application/problem+json", `{"a":"<b>"}`, "", ""}, ask("/json"))
	old := ask("/old")
	assert.Equal(t, "caf\uFFFD", old.Body)
	assert.Contains(t, old.Note, "iso-8859-1")
	zip := ask("/zip")
	assert.LessOrEqual(t, len(zip.Body), 256<<10)
	assert.True(t, strings.HasSuffix(zip.Body, "work"), "cut between words")
	assert.Contains(t, zip.Truncated, "only the first")
	assert.Equal(t, getAnswer{at + "/picture", 200, "image/png", "", "not text, and left out; it has 4 bytes", ""}, ask("/picture"))
	assert.Equal(t, "not text, and left out; it has 3 bytes", ask("/liar").Note)
}

func TestHTTPGetRefuses(t *testing.T) {
	get := tool.HTTPGet(tool.HTTPGetOptions{})
	for given, want := range map[string]string{
		"file:///etc/passwd":            "only http and https URLs can be fetched",
		"ftp://example.com/":            "only http and https URLs can be fetched",
		"example.com":                   "only http and https URLs can be fetched",
		"http://":                       "the URL names no host",
		"http://:80/":                   "the URL names no host",
		"http://me:word@example.com/":   "a URL with credentials in it is not fetched",
		"http://[::1":                   "this is no URL that can be read",
		"http://127.0.0.1:1/":           refused,
		"http://localhost:1/":           refused,
		"http://[::1]:1/":               refused,
		"http://[::ffff:127.0.0.1]:1/":  refused,
		"http://169.254.169.254/latest": refused,
		"http://[64:ff9b::7f00:1]/":     refused,
		"http://0.0.0.0:1/":             refused,
		"https://10.0.0.1/":             refused,
		"http://no..name/":              "the host's name could not be resolved",
	} {
		assert.Equal(t, want, fails(t, t.Context(), get, asked(t, given)), given)
	}
}

func TestHTTPGetChecksRedirects(t *testing.T) {
	get, at := site(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if n == 0 {
			_, _ = io.WriteString(w, "here")
			return
		}
		http.Redirect(w, r, "/"+strconv.Itoa(n-1), http.StatusFound)
	})
	got := run[getAnswer](t, t.Context(), get, asked(t, at+"/5"))
	assert.Equal(t, getAnswer{URL: at + "/0", Status: 200, Type: "text/plain", Body: "here"}, got)
	assert.Equal(t, "the server redirects more than 5 times", fails(t, t.Context(), get, asked(t, at+"/6")))

	port := at[strings.LastIndex(at, ":"):]
	for to, want := range map[string]string{
		"http://127.0.0.2" + port + "/0": refused,
		"http://no..name/":               "the host's name could not be resolved",
		"file:///etc/passwd":             "the server redirects to where we do not follow: only http and https URLs can be fetched",
		"http://a:b@127.0.0.1" + port:    "the server redirects to where we do not follow: a URL with credentials in it is not fetched",
	} {
		assert.Equal(t, want, fails(t, t.Context(), get, asked(t, at+"/?to="+url.QueryEscape(to))), to)
	}
}

func TestHTTPGetEndsWithItsContext(t *testing.T) {
	get, at := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := get.Run(ctx, json.RawMessage(asked(t, at)))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	limited := tool.Timeout(get, 50*time.Millisecond)
	assert.Contains(t, fails(t, t.Context(), limited, asked(t, at)), "http_get was stopped after 50ms")
}
