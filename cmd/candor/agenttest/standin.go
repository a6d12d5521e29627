package agenttest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/settings"
	"candor/web/envelope"
)

// HookToken is what a program that reports to a stand-in has as CANDOR_TOKEN.
const HookToken = "ann"

// Model answers a request of a program to its model, whose body was read.
type Model func(w http.ResponseWriter, r *http.Request, body []byte)

// StandIn is what a real program speaks to: a model, a server that takes the program's hooks, and a proxy that lets
// nothing out.
type StandIn struct {
	*httptest.Server

	mu      sync.Mutex
	hooks   [][]byte
	strayed []string
}

// NewStandIn starts a stand-in until the test ends. The agent is named as in the address to which its hooks report.
func NewStandIn(t *testing.T, agent string, model Model) *StandIn {
	t.Helper()
	s := &StandIn{}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		case r.Method == http.MethodConnect || r.URL.IsAbs():
			s.mu.Lock()
			s.strayed = append(s.strayed, r.Method+" "+r.Host)
			s.mu.Unlock()
			http.Error(w, "nothing leaves this machine", http.StatusForbidden)
		case r.URL.Path == "/api/hooks/"+agent && r.Header.Get("Authorization") == "Bearer "+HookToken:
			s.mu.Lock()
			s.hooks = append(s.hooks, body)
			s.mu.Unlock()
			_, _ = io.WriteString(w, "{}")
		default:
			model(w, r, body)
		}
	})
	known := func(string) (string, bool) { return HookToken, true }
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != envelope.Path || !envelope.Serve(w, r, known, answer) {
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Hooks returns the payloads of the hooks that came, in order.
func (s *StandIn) Hooks() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hooks)
}

// Told returns the sightings of the hooks that came, which hook decodes.
func (s *StandIn) Told(t *testing.T, hook func(payload []byte) ([]attach.Sighting, error)) (all []attach.Sighting) {
	t.Helper()
	for _, raw := range s.Hooks() {
		list, err := hook(raw)
		require.NoError(t, err, "%s", raw)
		all = append(all, list...)
	}
	return all
}

// Strayed returns what was asked of other hosts: methods and hosts.
func (s *StandIn) Strayed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strayed)
}

// Environment returns what a program of a home folder is run with, besides its own variables. Whatever it would send
// to another host ends at the stand-in.
func (s *StandIn) Environment(t *testing.T, home, token string) []string {
	t.Helper()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8",
		settings.TokenVariable + "=" + token, "HTTPS_PROXY=" + s.URL, "HTTP_PROXY=" + s.URL, "NO_PROXY=127.0.0.1"}
}
