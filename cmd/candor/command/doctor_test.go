package command_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func runDoctor(t *testing.T, flags ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := command.Run(t.Context(), append([]string{"candor", "doctor"}, flags...), strings.NewReader(""), &out, &out)
	return out.String(), err
}

func TestTheDoctorFindsAHealthyServerKeepingItsSecrets(t *testing.T) {
	workspace := app.ToolSettings{Workspace: t.TempDir()}
	s := apptest.Start(t, app.Settings{SendsPerMinute: 1000, Version: "2b72d6cb", Tools: workspace}, nil)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	out, err := runDoctor(t, "--server", s.HTTP.URL, "--canary")
	require.NoError(t, err, out)
	assert.Equal(t, 9, strings.Count(out, "planted; found in none of 35 places"), out)
	assert.Contains(t, out, "the temporary session is removed")
	assert.Regexp(t, `model +offline\n`, out, "a model that has its provider's name is named once")
	assert.Regexp(t, `version +2b72d6cb\n`, out)
	assert.Empty(t, s.Get("ann", "/api/chat/threads").JSON()["threads"], "nothing stays among ann's conversations")
	assert.Empty(t, s.Get("ann", "/api/jobs").JSON()["jobs"])
}

func TestTheDoctorSeesWhatIsWrong(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	t.Setenv("CANDOR_TOKEN", "not-a-token-of-anyone")
	out, err := runDoctor(t, "--server", s.HTTP.URL)
	require.EqualError(t, err, "a check failed")
	assert.Contains(t, out, "✗ token")
	out, err = runDoctor(t, "--server", "http://127.0.0.1:1")
	require.EqualError(t, err, "a check failed")
	assert.Contains(t, out, "✗ server")
}

// A server does without the MCP servers that are down, so they do not make it unwell.
func TestTheDoctorNamesTheMCPServers(t *testing.T) {
	config := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"mcpServers":{"docs":{"url":"http://127.0.0.1:1"}}}`), 0o600))
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{MCPConfig: config, AwaitMCP: true}}, nil)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	out, err := runDoctor(t, "--server", s.HTTP.URL)
	require.NoError(t, err)
	assert.Contains(t, out, "✗ MCP server")
	assert.Contains(t, out, "docs is down, tools: 0")
	assert.NotContains(t, s.Get("bob", "/api/gateway/status").Body, "127.0.0.1", "where it is stands in the log only")
}

// A server that says back whatever it is told does not pass.
func TestTheDoctorCatchesAServerThatLeaks(t *testing.T) {
	said := make(chan string, 100)
	var refused, removed atomic.Bool
	leaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/api/chat/thread/new":
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"id":"t"}`)
		case "/api/session/throwaway":
			if !refused.Swap(true) { // as one message too many in this minute
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			if r.Method == http.MethodDelete {
				removed.Store(true)
				w.WriteHeader(http.StatusNoContent)
				return
			}
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"token":"t"}`)
		case "/api/jobs":
			io.WriteString(w, `{"job_id":"j","token":"t"}`)
		case "/api/chat/send":
			w.WriteHeader(http.StatusAccepted)
			w.Write(body)
			said <- string(body)
		case "/api/chat/events":
			w.(http.Flusher).Flush()
			if r.URL.Query().Has("thread_id") {
				io.WriteString(w, <-said+"\nevent: response\n\n")
			}
		default:
			io.WriteString(w, `{"user":"x"}`)
		}
	}))
	defer leaky.Close()
	out, err := runDoctor(t, "--server", leaky.URL, "--canary")
	require.EqualError(t, err, "a check failed")
	assert.Contains(t, out, "leaked in the event stream")
	assert.True(t, removed.Load(), "what was planted is removed in any case")
}
