package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/access"
	"candor/web/openapi"
	"candor/web/openapi/openapitest"
	"candor/web/sse"
)

// noEdit changes no arguments.
func noEdit(context.Context, string, string, session.Answer, json.RawMessage) (session.Ref, error) {
	return session.Ref{}, session.ErrNoEdit
}

func TestEveryDescriptionIsThatOfARoute(t *testing.T) {
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler),
		Feedback: unrated{}, Edit: noEdit, Discard: func(context.Context, string) {},
		Metrics: http.NotFoundHandler(), Page: http.NotFoundHandler()})
	routes := map[string]bool{}
	for _, r := range RoutesOf(s) {
		routes[r[0]+" "+r[1]] = true
		assert.Contains(t, operations, r[0]+" "+r[1])
	}
	for route := range operations {
		assert.Contains(t, routes, route, "there is no such route")
	}
}

func TestAMountedRouteIsDescribedAsItSays(t *testing.T) {
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	serve := func(http.ResponseWriter, *http.Request, access.Caller) error { return nil }
	s.Mount(Describe([]Route{{Method: http.MethodGet, Path: "/things/:id", Serve: serve}},
		map[string]openapi.Operation{"GET /things/:id": {Summary: "A thing"}})...)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
	assert.Equal(t, "A thing", document.Paths["/things/{id}"]["get"].Summary)
	assert.NotContains(t, document.Paths, "/metrics", "what is not mounted is not described")
}

// TestTheEventsOfAStreamItselfAreAsDescribed holds the forms of the events that are written by hand.
func TestTheEventsOfAStreamItselfAreAsDescribed(t *testing.T) {
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	at := sse.Cursor{Session: "550e8400-e29b-41d4-a716-446655440000", Seq: 3}
	r := httptest.NewRequest(http.MethodGet, "/api/chat/events", nil)
	for _, m := range []sse.Message{position(at), s.resync(at), unavailable("storage_failed", `Said "so".`)} {
		openapitest.Check(t, s, r, http.StatusOK, http.Header{"Content-Type": {"text/event-stream"}}, sse.Encode(m))
	}
}

func TestAPathSaysWhichMethodsItTakes(t *testing.T) {
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPut, "http://localhost/api/login", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Equal(t, "OPTIONS, GET, POST", w.Header().Get("Allow"))
	assert.JSONEq(t, `{"error":"method_not_allowed","details":{"allow":["GET","POST"]},
		"message":"This path does not accept this method. It accepts GET and POST."}`, w.Body.String())
}

// unrated records no rating.
type unrated struct{}

func (unrated) Rate(context.Context, string, session.Ref, string, session.Rating, string) error {
	return nil
}
