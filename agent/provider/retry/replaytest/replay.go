// Package replaytest replays recorded traffic of providers, for tests of the adapters.
//
// A case is a folder under testdata/providers with these files:
//
//	case.json    what the case is about, and the options of the provider
//	answer.http  the answer of the server, byte for byte
//	want.json    the response or failure that the provider has to return
//	next.json    where the model called tools, the request that has to follow
//
// Run sends one request through a real HTTP server, compares want.json, sends the
// results of the tools, and compares next.json. The -update flag rewrites these two
// files; review the difference before you commit it. Fuzz uses the same cases as
// seeds. A new case is a folder with case.json and answer.http, and a run with
// -update.
//
// Tests that need a server of their own use Handle, which records the requests.
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

var update = flag.Bool("update", false, "rewrite want.json and next.json of the recorded cases")

// New makes a provider from the options of a case. The provider has to send its requests
// through the transport, which takes them to the server of the case whatever host
// they are for.
type New func(t *testing.T, options json.RawMessage, through http.RoundTripper) agent.Provider

// Run replays every case of a folder of testdata/providers as a subtest.
func Run(t *testing.T, folder string, provider New) {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "providers", folder, "*", "case.json"))
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		dir := filepath.Dir(c)
		t.Run(filepath.Base(dir), func(t *testing.T) { play(t, dir, provider) })
	}
}

// play replays the case in a folder.
func play(t *testing.T, dir string, provider New) {
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
	p := provider(t, about.Options, server)
	req := Question(t)
	said := ""
	req.OnText = func(piece string) { said += piece }
	resp, err := p.Respond(t.Context(), req)
	golden(t, filepath.Join(dir, "want.json"), outcome(resp, err))
	require.True(t, said == resp.Text || err != nil || said == "", "the pieces are %q, the text is %q", said, resp.Text)
	req.OnText = nil
	if len(resp.Calls) > 0 {
		_, _ = p.Respond(t.Context(), Continued(req, resp))
		golden(t, filepath.Join(dir, "next.json"), server.Last())
	}
}

// Question returns a request with two tools, whose schemas have the rationale that the
// agent loop adds.
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

// Continued returns the request that follows once the tools of resp have run. The calls
// have ids of our own, as in the agent loop.
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

// described is a tool that has a description and never runs.
type described struct{ spec agent.Spec }

func (d described) Spec() agent.Spec { return d.spec }

func (d described) Run(context.Context, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("not run")
}

// tool has a schema whose properties are not in alphabetical order, so that a provider
// that sorts them is noticed.
func tool(name, description string) agent.Tool {
	return described{agent.Spec{Name: name, Description: description, Schema: &jsonschema.Schema{
		Type: "object", Required: []string{"path"},
		Properties: map[string]*jsonschema.Schema{
			"path": {Type: "string"}, "depth": {Type: "integer"}, "after": {Type: "string"},
		},
		PropertyOrder: []string{"path", "depth", "after"},
	}}}
}

// golden compares got with a file of the case, or writes the file under -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "-update makes it")
	require.Equal(t, string(want), string(got), file)
}

// Server is an HTTP server that records the requests it gets, and the transport that
// takes requests to it. It is safe for concurrent use.
type Server struct {
	at *url.URL

	mu    sync.Mutex // guards the members below
	last  []byte
	count int
	head  http.Header
}

// Serve starts a server that answers every request with a recorded HTTP response. It
// stops when the test ends.
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

// Handle starts a server with a handler. The handler gets requests whose body was read
// already; Last has it. The server stops when the test ends.
func Handle(t *testing.T, h http.HandlerFunc) *Server {
	t.Helper()
	s := &Server{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.last, s.head = body, r.Header
		s.count++
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(server.Close)
	var err error
	s.at, err = url.Parse(server.URL)
	require.NoError(t, err)
	return s
}

// RoundTrip implements http.RoundTripper. Every request goes to the server, whatever its
// URL says.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = s.at.Scheme, s.at.Host
	return http.DefaultTransport.RoundTrip(r)
}

// Last returns the body of the last request: indented if it is JSON, else as it came.
func (s *Server) Last() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out bytes.Buffer
	if json.Indent(&out, s.last, "", "  ") != nil {
		return s.last
	}
	return append(out.Bytes(), '\n')
}

// Requests returns the number of requests so far.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Header returns the header of the last request.
func (s *Server) Header() http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}
