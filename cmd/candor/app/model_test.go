package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheEnvironmentChoosesTheProvider(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		flag string
		want string
	}{
		{"nothing means the offline model", nil, "", "offline"},
		{"a key of OpenAI's", map[string]string{app.OpenAIKeyEnv: "k"}, "", "openai"},
		{"an address that speaks like OpenAI", map[string]string{app.OpenAIBaseEnv: "http://127.0.0.1:11434/v1"}, "",
			"openai"},
		{"a key of Anthropic's", map[string]string{app.AnthropicKeyEnv: "k"}, "", "anthropic"},
		{"the flag wins", map[string]string{app.OpenAIKeyEnv: "k"}, "offline", "offline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			apptest.HideProviders(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			assert.Equal(t, tt.want, app.ModelSettings{Provider: tt.flag}.Chosen())
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
		delta := `{"role":"assistant","content":"The module is candor, and your key is ` +
			r.Header.Get("Authorization") + `."}`
		finish := "stop"
		if asked == 1 {
			finish = "tool_calls"
			delta = `{"role":"assistant","content":"I read go.mod.","tool_calls":[{"index":0,"id":"x",` +
				`"type":"function","function":{"name":"file_read",` +
				`"arguments":"{\"rationale\":\"it names the module\",\"path\":\"go.mod\"}"}}]}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		const chunk = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",` +
			`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
		fmt.Fprintf(w, chunk, delta, "null")
		fmt.Fprintf(w, chunk+"data: [DONE]\n\n", "{}", strconv.Quote(finish))
	}))
}

// With an address and a key in the environment, serve uses them without a flag: the
// model is the first that the server lists. The key comes out nowhere.
func TestServeUsesTheModelOfTheEnvironment(t *testing.T) {
	apptest.HideProviders(t)
	fake := chatServer(t)
	defer fake.Close()
	key := "my-own-key-of-no-known-form-42"
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	t.Setenv(app.OpenAIBaseEnv, fake.URL+"/v1")
	t.Setenv(app.OpenAIKeyEnv, key)
	r := program.Serve(t, "--log-level", "debug")
	r.Must("POST", "/api/chat/send", `{"content":"which module is this?"}`, 202)
	var history string
	apptest.Eventually(t, "the turn ends", func() bool {
		history = r.Must("GET", "/api/chat/history", "", 200)
		return !strings.Contains(history, `"state":"processing"`)
	})
	assert.Contains(t, history, `"state":"completed"`)
	assert.Contains(t, history, `"rationale":"it names the module","rationale_source":"model"`)
	assert.Contains(t, history, "[REDACTED:")
	status := r.Must("GET", "/api/gateway/status", "", 200)
	assert.Contains(t, status, `"llm_backend":"openai","llm_model":"m"`)
	for _, text := range []string{history, status, r.Out.String(), r.ErrOut.String()} {
		apptest.AssertAbsent(t, key, "what the server says", text)
	}
	r.Stop()
}

func TestABadMCPFileIsExplained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(file,
		[]byte(`{"mcpServers":{"docs":{"url":"https://x.example/mcp",`+
			`"headers":{"Authorization":"Bearer ${NOT_SET_ANYWHERE}"}}}}`), 0o600))
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	err := command.Run(t.Context(), []string{"candor", "serve", "--addr", "127.0.0.1:0", "--mcp", file},
		strings.NewReader(""), io.Discard, io.Discard)
	require.ErrorContains(t, err, "NOT_SET_ANYWHERE")
	require.ErrorContains(t, err, "docs")
}
