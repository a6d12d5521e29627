//go:build realagents

package realtest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/agenttest"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// prompt is what the agent is asked.
const prompt = "How warm is it?"

// installed skips the test, and says so, where the libraries are not there.
func installed(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("node_modules", "@ai-sdk", "otel", "package.json")); err != nil {
		agenttest.Missing(t, "the real AI SDK and OpenTelemetry's exporters are not installed; "+
			"make real-agents installs them")
	}
	// The go command keeps a test's result until a file has changed that the test itself has read.
	_, err := os.ReadFile("agent.mjs")
	require.NoError(t, err)
}

// gate stands in front of a server and keeps how requests came and how they were answered.
type gate struct {
	*httptest.Server
	served http.Handler

	mu    sync.Mutex
	kinds []string
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answered := httptest.NewRecorder()
	kind := r.URL.Path + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("Content-Encoding")
	g.served.ServeHTTP(answered, r)
	g.mu.Lock()
	g.kinds = append(g.kinds, kind+" => "+http.StatusText(answered.Code)+" "+answered.Body.String())
	g.mu.Unlock()
	w.Header().Set("Content-Type", answered.Header().Get("Content-Type"))
	w.WriteHeader(answered.Code)
	_, _ = w.Write(answered.Body.Bytes())
}

// heard returns in which kinds requests came and were answered, each once, and how many came.
func (g *gate) heard() (kinds []string, requests int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(g.kinds))), len(g.kinds)
}

// play runs the agent once beside a server for ann.
func play(t *testing.T, args ...string) (*apptest.Server, *gate, *standIn) {
	t.Helper()
	s, model := apptest.Start(t, app.Settings{}, nil), newStandIn(t)
	g := &gate{served: s.HTTP.Config.Handler}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	cmd := exec.CommandContext(t.Context(), "node", append(append([]string{"agent.mjs"}, args...), prompt)...)
	// Nothing is read of the person's own settings, and whatever would leave the machine ends at the stand-in.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8",
		"OPENAI_BASE_URL=" + model.URL + "/v1", "CANDOR_SERVER=" + g.URL, "CANDOR_TOKEN=" + apptest.TokenOf("ann"),
		"HTTPS_PROXY=" + model.URL, "HTTP_PROXY=" + model.URL, "NO_PROXY=127.0.0.1"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, plan[len(plan)-1].text+"\n", string(out), "and nothing else")
	return s, g, model
}
