package web

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/openapi/openapitest"
)

// indexOf returns what a server says of its API to somebody without a token.
func indexOf(t *testing.T, s *Server) (index APIIndex) {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost/api", nil)
	s.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	openapitest.Check(t, s, r, w.Code, w.Header(), w.Body.Bytes())
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &index))
	return index
}

func TestTheIndexOfTheAPINamesItsRoutes(t *testing.T) {
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler), Page: http.NotFoundHandler()})
	index := indexOf(t, s)
	assert.Equal(t, "/api/openapi.json", index.OpenAPI)
	assert.Equal(t, "/ui/wire.d.ts", index.Types)
	all := map[string]APIRoute{}
	for _, r := range index.Routes {
		all[r.Method+" "+r.Path] = r
		assert.NotEmpty(t, r.Summary, r.Path)
	}
	assert.Equal(t, APIRoute{"POST", "/api/chat/send", operations["POST /api/chat/send"].Summary, true},
		all["POST /api/chat/send"])
	assert.Contains(t, all, "DELETE /api/chat/threads/{id}")
	assert.False(t, all["GET /api/health"].Token)
	assert.False(t, all["GET /api"].Token)
	for _, r := range index.Routes {
		assert.NotContains(t, r.Path, "/ui/", "the page's files are no part of it")
	}
}

func TestAServerWithoutThePageNamesNoTypes(t *testing.T) {
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	assert.Empty(t, indexOf(t, s).Types)
}
