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

// site serves h on 127.0.0.1 and returns a tool that may reach that address in addition to
// public ones.
func site(t *testing.T, h http.HandlerFunc) (agent.Tool, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return tool.HTTPGet(tool.HTTPGetOptions{
		UserAgent: "candor-test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}), s.URL
}

// urlArgs returns the arguments of http_get.
func urlArgs(t *testing.T, to string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"url": to})
	require.NoError(t, err)
	return string(raw)
}

func TestHTTPGetReadsNoMoreThanItReturns(t *testing.T) {
	brokeOff := make(chan bool, 1)
	get, at := site(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		words := []byte(strings.Repeat("all work ", 1000))
		for range 10_000 { // far more than fits into the buffers of a connection
			if _, err := w.Write(words); err != nil {
				brokeOff <- true
				return
			}
		}
		brokeOff <- false
	})
	assert.LessOrEqual(t, len(run[getAnswer](t, t.Context(), get, urlArgs(t, at)).Body), 256<<10)
	assert.True(t, <-brokeOff, "the connection is closed before the end")
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
	ask := func(path string) getAnswer { return run[getAnswer](t, t.Context(), get, urlArgs(t, at+path)) }
	assert.Equal(t, getAnswer{at + "/json", 404, "application/problem+json", `{"a":"<b>"}`, "", ""}, ask("/json"))
	old := ask("/old")
	assert.Equal(t, "caf\uFFFD", old.Body)
	assert.Contains(t, old.Note, "iso-8859-1")
	zip := ask("/zip")
	assert.LessOrEqual(t, len(zip.Body), 256<<10)
	assert.True(t, strings.HasSuffix(zip.Body, "work"), "cut between words")
	assert.Contains(t, zip.Truncated, "only the first")
	picture := getAnswer{
		URL: at + "/picture", Status: 200, Type: "image/png", Note: "not text, and left out; it has 4 bytes",
	}
	assert.Equal(t, picture, ask("/picture"))
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
		assert.Equal(t, want, fails(t, t.Context(), get, urlArgs(t, given)), given)
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
	got := run[getAnswer](t, t.Context(), get, urlArgs(t, at+"/5"))
	assert.Equal(t, getAnswer{URL: at + "/0", Status: 200, Type: "text/plain", Body: "here"}, got)
	assert.Equal(t, "the server redirects more than 5 times", fails(t, t.Context(), get, urlArgs(t, at+"/6")))

	const refusedRedirect = "the server redirects to where we do not follow: "
	port := at[strings.LastIndex(at, ":"):]
	for to, want := range map[string]string{
		"http://127.0.0.2" + port + "/0": refused,
		"http://no..name/":               "the host's name could not be resolved",
		"file:///etc/passwd":             refusedRedirect + "only http and https URLs can be fetched",
		"http://a:b@127.0.0.1" + port:    refusedRedirect + "a URL with credentials in it is not fetched",
	} {
		assert.Equal(t, want, fails(t, t.Context(), get, urlArgs(t, at+"/?to="+url.QueryEscape(to))), to)
	}
}

func TestHTTPGetEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	get, at := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	})
	_, err := get.Run(ctx, json.RawMessage(urlArgs(t, at)))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestHTTPGetExplainsAServerThatCannotBeReached(t *testing.T) {
	get, at := site(t, http.NotFound)
	closed := httptest.NewServer(nil)
	closed.Close()
	got := fails(t, t.Context(), get, urlArgs(t, closed.URL))
	assert.Contains(t, got, "the server could not be reached: ")
	assert.NotContains(t, got, strings.TrimPrefix(closed.URL, "http://"), "the address is not revealed")
	assert.Equal(t, 404, run[getAnswer](t, t.Context(), get, urlArgs(t, at)).Status, "an HTTP error is a result")
}

func TestHTTPGetIsKnownAsARequestToAServer(t *testing.T) {
	assert.True(t, tool.HTTPGet(tool.HTTPGetOptions{}).Spec().HTTP)
}
