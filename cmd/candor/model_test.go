package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutModels hides what this machine's environment has for providers.
func withoutModels(t *testing.T) {
	for _, name := range []string{openAIKey, openAIBaseURL, openAIModel, anthropicKey, anthropicBase, anthropicName} {
		t.Setenv(name, "")
	}
}

func TestTheEnvironmentChoosesTheProvider(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		flag string
		want string
	}{
		{"nothing means the offline model", nil, "", "offline"},
		{"a key of OpenAI's", map[string]string{openAIKey: "k"}, "", "openai"},
		{"an address that speaks like OpenAI", map[string]string{openAIBaseURL: "http://127.0.0.1:11434/v1"}, "", "openai"},
		{"a key of Anthropic's", map[string]string{anthropicKey: "k"}, "", "anthropic"},
		{"the flag wins", map[string]string{openAIKey: "k"}, "offline", "offline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			withoutModels(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			assert.Equal(t, tt.want, modelSettings{provider: tt.flag}.chosen())
		})
	}
}

// chatServer speaks like OpenAI: first a call of file_read with a reason, then an
// answer. It says back the key it was given, as careless servers do.
func chatServer(t *testing.T) *httptest.Server {
	asked := 0
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		assert.Equal(t, "/v1/chat/completions", r.URL.Path)
		body, _ := io.ReadAll(r.Body)
		assert.Contains(t, string(body), `"rationale"`)
		asked++
		delta := `{"role":"assistant","content":"The module is candor, and your key is ` + r.Header.Get("Authorization") + `."}`
		finish := "stop"
		if asked == 1 {
			finish = "tool_calls"
			delta = `{"role":"assistant","content":"I read go.mod.","tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"file_read","arguments":"{\"rationale\":\"it names the module\",\"path\":\"go.mod\"}"}}]}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", delta)
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
	}))
}

// With an address and a key in the environment, serve uses them without a flag: the
// model is the first that the server lists. The key comes out nowhere.
func TestServeUsesTheModelOfTheEnvironment(t *testing.T) {
	withoutModels(t)
	fake := chatServer(t)
	defer fake.Close()
	key := "my-own-key-of-no-known-form-42"
	t.Setenv("CANDOR_TOKEN", testToken)
	t.Setenv(openAIBaseURL, fake.URL+"/v1")
	t.Setenv(openAIKey, key)
	r := runServe(t, "--log-level", "debug")
	r.must("POST", "/api/chat/send", `{"content":"which module is this?"}`, 202)
	var history string
	eventually(t, "the turn ends", func() bool {
		history = r.must("GET", "/api/chat/history", "", 200)
		return !strings.Contains(history, `"state":"processing"`)
	})
	assert.Contains(t, history, `"state":"completed"`)
	assert.Contains(t, history, `"rationale":"it names the module","rationale_source":"model"`)
	assert.Contains(t, history, "[REDACTED:")
	status := r.must("GET", "/api/gateway/status", "", 200)
	assert.Contains(t, status, `"llm_backend":"openai","llm_model":"m"`)
	for _, text := range []string{history, status, r.out.String(), r.errOut.String()} {
		assertAbsent(t, key, "what the server says", text)
	}
	r.signal()
	require.NoError(t, <-r.exit)
}

func TestAModelMayHandTasksOnWhereItIsAllowedTo(t *testing.T) {
	withoutModels(t)
	var s settings
	s.workspace, s.delegate = t.TempDir(), true
	team, kit, err := newTeam(s, mustLayer(t), quietLog())
	require.NoError(t, err)
	defer kit.close()
	assert.Contains(t, team.lead.Tools.Names(), "delegate")
	require.Len(t, team.members, 2)
	for _, m := range team.members {
		if m.Dispatcher != team.lead {
			assert.NotContains(t, m.Tools.Names(), "delegate", "it does not hand them on again")
			assert.Contains(t, m.Tools.Names(), "file_read")
		}
	}
}

func TestToolsThatAreOffAreOfferedWhenEnabled(t *testing.T) {
	withoutModels(t)
	var s settings
	s.workspace, s.enable = t.TempDir(), []string{"shell", "http_get"}
	team, kit, err := newTeam(s, mustLayer(t), quietLog())
	require.NoError(t, err)
	defer kit.close()
	assert.Subset(t, team.lead.Tools.Names(), []string{"shell", "http_get", "time"})
}

func TestABadMCPFileIsExplained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"mcpServers":{"docs":{"url":"https://x.example/mcp","headers":{"Authorization":"Bearer ${NOT_SET_ANYWHERE}"}}}}`), 0o600))
	t.Setenv("CANDOR_TOKEN", testToken)
	err := run(t.Context(), []string{"candor", "serve", "--addr", "127.0.0.1:0", "--mcp", file}, strings.NewReader(""), io.Discard, io.Discard)
	require.ErrorContains(t, err, "NOT_SET_ANYWHERE")
	require.ErrorContains(t, err, "docs")
}
