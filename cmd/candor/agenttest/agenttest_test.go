package agenttest_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/agenttest"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestMain(m *testing.M) {
	agenttest.Main(m, bytes.ToUpper, func([]byte) any { return "reminded" })
}

func refuse(w http.ResponseWriter, r *http.Request, _ []byte) { http.NotFound(w, r) }

func TestTheCommandOfAHookReportsToTheStandIn(t *testing.T) {
	s := agenttest.NewStandIn(t, "claude", refuse)
	self, err := os.Executable()
	require.NoError(t, err)
	for args, want := range map[string]string{"--server": "{}", "--ask-reasons --server": `"reminded"`} {
		args := append(append([]string{"hook", "claude"}, strings.Fields(args)...), s.URL)
		cmd := exec.CommandContext(t.Context(), self, args...)
		cmd.Env = s.Environment(t, t.TempDir(), agenttest.HookToken)
		cmd.Stdin = strings.NewReader("payload")
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.Equal(t, want+"\n", string(out))
	}
	assert.Equal(t, [][]byte{[]byte("PAYLOAD"), []byte("PAYLOAD")}, s.Hooks())
}

func TestAStandInLetsNothingOut(t *testing.T) {
	s := agenttest.NewStandIn(t, "claude", func(w http.ResponseWriter, r *http.Request, body []byte) {
		_, _ = io.WriteString(w, r.URL.Path+" "+string(body))
	})
	reply, err := s.Client().Post(s.URL+"/v1/messages", "text/plain", strings.NewReader("Why?"))
	require.NoError(t, err)
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	assert.Equal(t, "/v1/messages Why?", string(body))
	proxy, err := url.Parse(s.URL)
	require.NoError(t, err)
	away := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	reply, err = away.Get("http://example.com/")
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	assert.Equal(t, http.StatusForbidden, reply.StatusCode)
	_, err = away.Get("https://example.com/")
	require.Error(t, err)
	assert.Equal(t, []string{"GET example.com", "CONNECT example.com:443"}, s.Strayed())
	assert.Empty(t, s.Hooks())
}

func TestAProgramIsFoundWhereNPMInstalledIt(t *testing.T) {
	t.Chdir(t.TempDir())
	processor := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	folder := filepath.Join("node_modules", "@x", "y-"+runtime.GOOS+"-"+processor, "bin")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "y"), nil, 0o600))
	path := agenttest.Program(t, "Y", "@x/y-PLATFORM/*/y")
	assert.True(t, filepath.IsAbs(path))
	assert.True(t, strings.HasSuffix(path, filepath.Join(folder, "y")), path)
}

func TestAPersonAnswersOneQuestionAfterTheOther(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	replies := make(chan string, 2)
	for _, call := range []string{"a", "b"} {
		go func() {
			r := s.Post("ann", "/api/hooks/claude/ask", `{"hook_event_name":"PreToolUse","session_id":"s1",
				"prompt_id":"p1","tool_name":"Bash","tool_use_id":"`+call+`","tool_input":{"command":"ls"}}`)
			replies <- r.Body
		}()
	}
	first := agenttest.Question(t, s, nil)
	second := agenttest.Question(t, s, first)
	assert.NotEqual(t, first["request_id"], second["request_id"])
	agenttest.Answer(t, s, first, "approve", "")
	assert.Contains(t, <-replies, "allow")
	agenttest.Answer(t, s, second, "deny", "Not now.")
	assert.Contains(t, <-replies, "Not now.")
}
