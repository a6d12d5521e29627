package openapitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/openapi"
	"candor/web/problem"
)

// failed notes what a test would have failed with.
type failed struct {
	testing.TB
	messages []string
}

func (f *failed) Errorf(format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}

func (f *failed) FailNow() {}

type thing struct {
	Name string `json:"name"`
	Size *int   `json:"size,omitempty"`
}

// server answers each request with the same answer, and has a document.
type server struct {
	status int
	kind   string
	body   string
}

func (s server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/openapi.json" {
		w.Header().Set("Content-Type", s.kind)
		if s.status != http.StatusOK {
			w.WriteHeader(s.status)
		}
		for part := range strings.SplitAfterSeq(s.body, "|") { // in several writes
			_, _ = w.Write([]byte(strings.TrimSuffix(part, "|")))
			w.(http.Flusher).Flush()
		}
		return
	}
	d := openapi.New("Test", "1", problem.Problem{})
	d.Add("GET", "/things/:id", openapi.Operation{Summary: "a", Answers: []openapi.Answer{
		openapi.JSON(http.StatusOK, thing{}), {Status: http.StatusOK, Kind: "text/plain"},
		{Status: http.StatusOK, Kind: "text/event-stream", Events: map[string]any{"grown": thing{}}},
	}})
	d.Add("GET", "/things/all", openapi.Operation{Summary: "b",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, []thing{})}})
	d.Add("GET", "/free/*", openapi.Operation{Summary: "c", Answers: []openapi.Answer{
		{Body: openapi.Anything{}}, {Kind: "text/event-stream"},
	}})
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(d.JSON())
}

const (
	asJSON   = "application/json; charset=utf-8"
	asStream = "text/event-stream"
	refusal  = `{"error":"no_thing","message":"None.","details":{}}`
)

func TestAnAnswerIsCheckedAgainstTheDocument(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		server server
		want   string // part of what the test fails with; "" if it does not
	}{
		"as described":           {"/things/1", server{200, asJSON, `{"name":|"x","size":1}`}, ""},
		"without what is needed": {"/things/1", server{200, asJSON, `{"size":1}`}, "missing property 'name'"},
		"with a member that nobody described": {
			"/things/1", server{200, asJSON, `{"name":"x","more":1}`}, "additional properties 'more' not allowed"},
		"of another type":             {"/things/1", server{200, asJSON, `{"name":1}`}, "got number, want string"},
		"that is no JSON":             {"/things/1", server{200, asJSON, `{"name":`}, "unexpected EOF"},
		"of a path without variables": {"/things/all", server{200, asJSON, `[{"name":"x"}]`}, ""},
		"with another status":         {"/things/1", server{201, asJSON, `{"name":"x"}`}, "does not have this answer"},
		"that is a file":              {"/things/1", server{200, "text/plain", "x"}, ""},
		"that is a problem":           {"/things/1", server{404, asJSON, refusal}, ""},
		"that is a strange problem":   {"/things/1", server{404, asJSON, `{"error":1}`}, "missing properties"},
		"at no path":                  {"/nothing", server{404, asJSON, refusal}, ""},
		"at no path, with success":    {"/nothing", server{200, asJSON, `{}`}, "does not have this answer"},
		"of any form":                 {"/free/a/b", server{202, asJSON, `[1]`}, ""},

		"an event as described": {"/things/1",
			server{200, asStream, "retry: 1\n\nevent: grown\ndata: {\"na|me\":\"x\"}\nid: 1\n\n: idle\n\n"}, ""},
		"an event without what is needed": {"/things/1",
			server{200, asStream, "event: grown\ndata: {}\n\n"}, "missing property 'name'"},
		"an event that nobody described": {"/things/1",
			server{200, asStream, "event: shrunk\ndata: {}\n\n"}, "does not have this answer"},
		"an event that broke off":           {"/things/1", server{200, asStream, "event: grown\ndata: {"}, ""},
		"an event of another specification": {"/free/a", server{200, asStream, "event: x\ndata: 1\n\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &failed{TB: t}
			w := httptest.NewRecorder()
			Watch(seen, c.server).ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.path, nil))
			assert.Equal(t, c.server.status, w.Code)
			assert.Equal(t, strings.ReplaceAll(c.server.body, "|", ""), w.Body.String(), "it is passed on as it is")
			assertFailed(t, seen, c.want)

			seen = &failed{TB: t}
			Check(seen, c.server, httptest.NewRequest(http.MethodGet, c.path, nil), w.Code, w.Header(), w.Body.Bytes())
			assertFailed(t, seen, c.want)
		})
	}
}

func assertFailed(t *testing.T, seen *failed, want string) {
	t.Helper()
	if want == "" {
		assert.Empty(t, seen.messages)
		return
	}
	require.Len(t, seen.messages, 1)
	assert.Contains(t, seen.messages[0], want)
}

// without is a server that has no document, or a broken one.
type without struct{ body string }

func (s without) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if s.body == "" {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write([]byte(s.body))
}

func TestAServerWithoutADocumentFailsTheTest(t *testing.T) {
	for body, want := range map[string]string{"": "status 404", "{": "unexpected EOF", "[]": "no object"} {
		_, err := contractOf(without{body})
		require.ErrorContains(t, err, want)
		seen := &failed{TB: t}
		Watch(seen, without{body})
		assertFailed(t, seen, want)
	}
}

func TestAConnectionCanBeReachedThroughAWatchedAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	assert.Same(t, w, (&recorder{ResponseWriter: w}).Unwrap())
}
