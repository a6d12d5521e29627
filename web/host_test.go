package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

// atHost sends a request for a host to a server that answers to candor.example as well. The
// connection arrives at local.
func atHost(path, host string, local *net.TCPAddr) *httptest.ResponseRecorder {
	srv := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler),
		Hosts: []string{"candor.example", "2001:db8::9"}, Page: http.NotFoundHandler()})
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	return w
}

func TestAServerAnswersToItsOwnNames(t *testing.T) {
	here := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080}
	for _, host := range []string{
		"localhost", "localhost:9000", "LocalHost:8080", "127.0.0.1", "127.0.0.1:8080", "127.8.8.8", "[::1]:8080",
		"192.0.2.7", "192.0.2.7:80", "candor.example", "Candor.Example:443", "[2001:db8:0::9]:8080",
	} {
		assert.Equal(t, http.StatusOK, atHost("/api/health", host, here).Code, host)
	}
	assert.Equal(t, http.StatusOK, atHost("/api/health", "[2001:db8::7]:8080",
		&net.TCPAddr{IP: net.ParseIP("2001:db8::7")}).Code)
}

func TestAServerRefusesTheNamesOfOthers(t *testing.T) {
	here := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080}
	for _, host := range []string{
		"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "not-candor.example",
		"candor.example.evil.example", "candor.example.", "192.0.2.8", "192.0.2.7.evil.example", "0.0.0.0:8080",
		"[2001:db8::1]", "localhost:evil.example", "evil.example@localhost", "",
	} {
		for _, path := range []string{"/", "/ui/app.js", "/api/health", "/api/login", "/metrics", "/nothing"} {
			w := atHost(path, host, here)
			assert.Equal(t, http.StatusMisdirectedRequest, w.Code, "%q %s", host, path)
			assert.Contains(t, w.Body.String(), `"error":"wrong_host"`)
			assert.Contains(t, w.Body.String(), "--host NAME")
			assert.NotContains(t, w.Body.String(), "evil")
		}
	}
}
