package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/built"
)

// server runs candor serve for the users ann and bob, with the rig's model and tools.
type server struct {
	*rig
	t    *testing.T
	url  string
	addr string
	args []string
	cmd  *exec.Cmd
	done chan struct{}
	out  bytes.Buffer
	mu   sync.Mutex
}

func tokenOf(user string) string { return "token-of-" + user + "-for-tests" }

func startServer(t *testing.T, flags ...string) *server {
	t.Helper()
	return startServerOf(t, append([]string{"--approve", "danger=ask", "--approve", "remove_releases=ask",
		"--provider", "openai", "--model", "test-model"}, flags...)...)
}

// startServerOf is startServer for a model of any kind.
func startServerOf(t *testing.T, flags ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{rig: newRig(t), t: t}
	tokens, config := filepath.Join(dir, "tokens"), filepath.Join(dir, "mcp.json")
	require.NoError(t, os.WriteFile(tokens, []byte("ann:"+tokenOf("ann")+"\nbob:"+tokenOf("bob")+"\n"), 0o600))
	mcp := fmt.Appendf(nil, `{"mcpServers":{"rig":{"type":"http","url":%q}}}`, s.tools.URL)
	require.NoError(t, os.WriteFile(config, mcp, 0o600))
	s.addr = apptest.FreeAddress(t)
	s.url = "http://" + s.addr
	s.args = append([]string{
		"serve", "--addr", s.addr, "--workspace", dir, "--tokens", tokens, "--mcp", config,
		"--sends-per-minute", "100000", "--shutdown-timeout", "1s",
	}, flags...)
	s.start()
	t.Cleanup(func() {
		s.openAll()
		s.kill()
		if t.Failed() {
			t.Log(s.said())
		}
	})
	return s
}

// Write collects the server's output.
func (s *server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

// start runs the server and waits until it answers. After a kill it has the same address
// and the same tokens, and nothing else.
func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command(built.Candor(s.t), s.args...)
	s.cmd.Env = append(os.Environ(),
		"OPENAI_BASE_URL="+s.model.URL+"/v1", "OPENAI_API_KEY=none-at-all", "CANDOR_TOKEN=")
	s.cmd.Stdout, s.cmd.Stderr = s, s
	require.NoError(s.t, s.cmd.Start())
	s.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		defer close(done)
		_ = cmd.Wait()
	}(s.cmd, s.done)
	answers := func() bool {
		resp, err := (&http.Client{Timeout: 10 * time.Second}).Get(s.url + "/api/health")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
	for end := time.Now().Add(*patience); !answers(); time.Sleep(20 * time.Millisecond) { // polls another process
		select {
		case <-s.done:
			require.Fail(s.t, "the server ended", s.said())
		default:
			require.True(s.t, time.Now().Before(end), "the server does not answer: %s", s.said())
		}
	}
	eventually(s.t, "the tools are there", func() bool {
		return strings.Contains(fmt.Sprint(s.do("ann", http.MethodGet, "/api/gateway/status", nil)), "state:up")
	})
}

// said returns what the server said.
func (s *server) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "the server said:\n" + s.out.String()
}

// kill ends the server without warning.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
}

var patience = flag.Duration("patience", 2*time.Minute, "how long to wait for a condition before the test fails")

// eventually polls until ok returns true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, *patience, 20*time.Millisecond, what)
}

// do calls the API as a user, without a browser.
func (s *server) do(user, method, path string, body any) map[string]any {
	s.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(context.Background(), method, s.url+path, bytes.NewReader(raw))
	require.NoError(s.t, err)
	return s.answer(req, tokenOf(user))
}

// as posts with a token of any kind, such as a participant's of a space.
func (s *server) as(token, path string, body any) map[string]any {
	s.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+path, bytes.NewReader(raw))
	require.NoError(s.t, err)
	return s.answer(req, token)
}

// answer sends a request with a token, and returns the answer, which has to be a success.
func (s *server) answer(req *http.Request, token string) map[string]any {
	s.t.Helper()
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.Less(s.t, resp.StatusCode, 400, "%s %s: %s", req.Method, req.URL.Path, text)
	out := map[string]any{}
	if len(bytes.TrimSpace(text)) > 0 {
		require.NoError(s.t, json.Unmarshal(text, &out))
	}
	return out
}

// say sends a message and waits until its turn has ended; it returns the thread.
func (s *server) say(user, thread, message string) string {
	s.t.Helper()
	sent := s.do(user, http.MethodPost, "/api/chat/send", map[string]string{"content": message, "thread_id": thread})
	thread = sent["thread_id"].(string)
	at := fmt.Sprintf("/api/chat/turn?thread_id=%s&turn=%v", thread, sent["turn_number"])
	eventually(s.t, "the turn ends", func() bool {
		return strings.Contains("completed failed interrupted", s.do(user, http.MethodGet, at, nil)["state"].(string))
	})
	return thread
}
