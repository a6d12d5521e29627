// Package replaytest plays kept provider traffic to a provider, for tests.
//
// A case is a folder under testdata/providers: case.json says what it is about and
// which options the provider has, answer.http is what the server sends, want.json
// what has to come of it, and next.json, where the model called tools, the request
// that has to follow. The last two are written by the -update flag, to be read
// before they are kept.
package replaytest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

var update = flag.Bool("update", false, "rewrite what the cases of recorded traffic have to yield")

// New makes a provider from a case's options. The transport brings its requests,
// whatever host they are for, to the server of the case.
type New func(t *testing.T, options json.RawMessage, through http.RoundTripper) agent.Provider

// Run plays all cases of a folder of testdata/providers.
func Run(t *testing.T, folder string, made New) {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "providers", folder, "*", "case.json"))
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		dir := filepath.Dir(c)
		t.Run(filepath.Base(dir), func(t *testing.T) { play(t, dir, made) })
	}
}

func play(t *testing.T, dir string, made New) {
	var about struct {
		About   string
		Options json.RawMessage
	}
	raw, err := os.ReadFile(filepath.Join(dir, "case.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &about))
	require.NotEmpty(t, about.About)
	answer, err := os.ReadFile(filepath.Join(dir, "answer.http"))
	require.NoError(t, err)

	server := Serve(t, answer)
	p := made(t, about.Options, server)
	req := Question(t)
	resp, err := p.Respond(t.Context(), req)
	golden(t, filepath.Join(dir, "want.json"), outcome(resp, err))
	if len(resp.Calls) > 0 {
		_, _ = p.Respond(t.Context(), Continued(req, resp))
		golden(t, filepath.Join(dir, "next.json"), server.Last())
	}
}

// Question is a request with two tools, made ready as the loop does it.
func Question(t *testing.T) agent.Request {
	t.Helper()
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace(tool("look", "Look at a path."), tool("search", "Search for a word.")))
	return agent.Request{
		Messages: []agent.Message{
			{Role: agent.RoleSystem, Text: "Be brief."},
			{Role: agent.RoleUser, Text: "What is <in> a/b?"},
		},
		Tools: box.Specs(),
	}
}

// Continued is the request after the tools ran, with ids of our own for the calls,
// as the loop gives them.
func Continued(req agent.Request, resp agent.Response) agent.Request {
	said := agent.Message{Role: agent.RoleAssistant, Text: resp.Text, Opaque: resp.Opaque}
	var results []agent.Message
	for i, c := range resp.Calls {
		c.ID = "call_" + strconv.Itoa(i+1)
		said.Calls = append(said.Calls, c)
		results = append(results, agent.Message{Role: agent.RoleTool, CallID: c.ID, Text: `{"found":"<b>"}`})
	}
	req.Messages = append(append(req.Messages[:len(req.Messages):len(req.Messages)], said), results...)
	return req
}

// described is a tool that nothing runs.
type described struct{ spec agent.Spec }

func (d described) Spec() agent.Spec { return d.spec }

func (d described) Run(context.Context, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("not run")
}

func tool(name, description string) agent.Tool {
	return described{agent.Spec{Name: name, Description: description, Schema: &jsonschema.Schema{
		Type: "object", Required: []string{"path"},
		Properties: map[string]*jsonschema.Schema{
			"path": {Type: "string"}, "depth": {Type: "integer"}, "after": {Type: "string"},
		},
		PropertyOrder: []string{"path", "depth", "after"},
	}}}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "-update makes it")
	require.Equal(t, string(want), string(got), file)
}

// Server answers everything with the same bytes and keeps what it was asked. It is
// the transport that leads to it, too.
type Server struct {
	at *url.URL

	mu   sync.Mutex
	last []byte
	asks int
	head http.Header
}

// Serve starts a server that sends an HTTP response as it was kept. It stops with
// the test.
func Serve(t *testing.T, answer []byte) *Server {
	t.Helper()
	_, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
	require.NoError(t, err)
	return Handle(t, func(w http.ResponseWriter, r *http.Request) {
		resp, _ := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), r)
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
}

// Handle starts a server of one's own.
func Handle(t *testing.T, h http.HandlerFunc) *Server {
	t.Helper()
	s := &Server{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.last, s.head = body, r.Header
		s.asks++
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(server.Close)
	var err error
	s.at, err = url.Parse(server.URL)
	require.NoError(t, err)
	return s
}

// RoundTrip implements http.RoundTripper: every request goes to the server.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = s.at.Scheme, s.at.Host
	return http.DefaultTransport.RoundTrip(r)
}

// Last is the last request's body, indented.
func (s *Server) Last() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out bytes.Buffer
	if json.Indent(&out, s.last, "", "  ") != nil {
		return s.last
	}
	return append(out.Bytes(), '\n')
}

// Asks is how many requests there were.
func (s *Server) Asks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

// Header is the last request's.
func (s *Server) Header() http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}
