package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/web/client"
)

// running is the real program, serving in this process.
type running struct {
	t      *testing.T
	url    string
	out    *logBuffer
	errOut *logBuffer
	signal context.CancelFunc // what SIGTERM does
	exit   chan error
}

// runServe starts candor serve with flags on a free port.
func runServe(t *testing.T, flags ...string) *running {
	t.Helper()
	if os.Getenv(openAIBaseURL) == "" {
		withoutModels(t)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, out: &logBuffer{}, errOut: &logBuffer{}, signal: cancel, exit: make(chan error, 1)}
	args := append([]string{"candor", "serve", "--addr", "127.0.0.1:0", "--workspace", "../.."}, flags...)
	go func() { r.exit <- run(ctx, args, strings.NewReader(""), r.out, r.errOut) }()
	address := regexp.MustCompile(`http://\S+`)
	eventually(t, "the server says where it is", func() bool { return address.MatchString(r.out.String()) })
	r.url = address.FindString(r.out.String())
	return r
}

func (r *running) call(method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

func (r *running) must(method, path, body string, status int) string {
	r.t.Helper()
	resp, err := r.call(method, path, body)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, status, resp.StatusCode, string(raw))
	return string(raw)
}

// lastThread is the thread used last.
func (r *running) lastThread() string {
	r.t.Helper()
	var out struct {
		Active string `json:"active_thread"`
	}
	require.NoError(r.t, json.Unmarshal([]byte(r.must("GET", "/api/chat/threads", "", 200)), &out))
	return out.Active
}

// turns are those of the thread used last.
func (r *running) turns() []client.Turn {
	r.t.Helper()
	var p client.Page
	require.NoError(r.t, json.Unmarshal([]byte(r.must("GET", "/api/chat/history?thread_id="+r.lastThread(), "", 200)), &p))
	return p.Turns
}

func scriptFile(t *testing.T, script any) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, mustJSON(t, script), 0o600))
	return file
}

// slow is a script whose one tool takes this long.
func slow(ms int) map[string]any {
	return map[string]any{
		"steps": []any{map[string]any{"tool_calls": []any{map[string]any{"id": "a", "name": "wait", "arguments": map[string]any{}, "rationale": "to wait"}}}, map[string]any{"text": "waited"}},
		"tools": map[string]any{"wait": map[string]any{"delay_ms": ms, "result": "ok"}},
	}
}

// On SIGTERM a turn that can end in time does, streams get all of it, and nothing
// of the program is left.
func TestShutdownLetsTurnsAndStreamsFinish(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t, "--provider", "script", "--script", scriptFile(t, slow(300)), "--shutdown-timeout", "1m")
	stream, err := r.call("GET", "/api/chat/events", "")
	require.NoError(t, err)
	defer stream.Body.Close()
	r.must("POST", "/api/chat/send", `{"content":"hi"}`, 202)
	r.signal()
	eventually(t, "no new turn is taken", func() bool {
		resp, err := r.call("POST", "/api/chat/send", `{"content":"late"}`)
		if err != nil {
			return true // the turn has ended already, and with it the server
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusServiceUnavailable
	})
	all, err := io.ReadAll(stream.Body)
	require.NoError(t, err, "the stream ends, it is not cut")
	assert.Contains(t, string(all), `"content":"waited"`)
	assert.Contains(t, string(all), "event: reasoning_update")
	require.NoError(t, <-r.exit)
}

func TestShutdownInterruptsWhatOutlastsItsTime(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t, "--provider", "script", "--script", scriptFile(t, slow(600_000)), "--shutdown-timeout", "50ms")
	stream, err := r.call("GET", "/api/chat/events", "")
	require.NoError(t, err)
	defer stream.Body.Close()
	r.must("POST", "/api/chat/send", `{"content":"hi"}`, 202)
	r.signal()
	all, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	assert.Contains(t, string(all), `"outcome":"cancelled"`)
	assert.Contains(t, string(all), `"state":"interrupted"`)
	require.NoError(t, <-r.exit)
}

func TestATokenIsMadeAndShownOnceWhenNoneIsConfigured(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "")
	r := runServe(t)
	eventually(t, "the token is shown", func() bool { return strings.Contains(r.out.String(), "token ") })
	shown := regexp.MustCompile(`token\s+(\S+)`).FindStringSubmatch(r.out.String())
	require.Len(t, shown, 2)
	assert.GreaterOrEqual(t, len(shown[1]), 26)
	req, err := http.NewRequest("GET", r.url+"/api/chat/threads", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+shown[1])
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	assert.NotContains(t, r.errOut.String(), shown[1], "logs do not have it")
	r.signal()
	require.NoError(t, <-r.exit)
}

func TestAConfiguredTokenIsNotShown(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t)
	r.signal()
	require.NoError(t, <-r.exit)
	assert.NotContains(t, r.out.String()+r.errOut.String(), testToken)
}

func TestMistakesAtTheCommandLineAreExplained(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", testToken)
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("ann:short"), 0o600))
	for _, tt := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"a provider that is not there", []string{"--provider", "gpt"}, `there is no provider called "gpt"; take offline, script, openai or anthropic`},
		{"reasons of no kind", []string{"--reasons", "always"}, `"always" is neither required nor optional`},
		{"an API that is not there", []string{"--provider", "openai", "--model", "m", "--api", "soap"}, `there is no API "soap"`},
		{"a tool that cannot be enabled", []string{"--enable", "sudo"}, `there is no tool "sudo" to enable`},
		{"an MCP file that is not there", []string{"--mcp", "nowhere.json"}, "nowhere.json"},
		{"a script that is not given", []string{"--provider", "script"}, "the script provider needs a file: --script FILE"},
		{"a script that is not there", []string{"--provider", "script", "--script", "nowhere.json"}, "nowhere.json"},
		{"a workspace that is not there", []string{"--workspace", "/does/not/exist"}, "workspace:"},
		{"a bad tokens file", []string{"--tokens", file}, "line 1: want user:token"},
		{"a bad log level", []string{"--log-level", "loud"}, `"loud" is none of debug, info, warn, error`},
		{"a bad log format", []string{"--log-format", "xml"}, `"xml" is neither text nor json`},
		{"an address in use or wrong", []string{"--addr", "256.0.0.1:1"}, "256.0.0.1"},
		{"an approval of no form", []string{"--approve", "shell"}, "--approve: want TOOL=MODE"},
		{"an approval of no mode", []string{"--approve", "shell=maybe"}, `--approve shell: "maybe" is none of never, ask, always`},
		{"a level of reasoning that is none", []string{"--reasoning", "some"}, `--reasoning: "some" is none of full, summary, hidden`},
		{"an argument that is no flag", []string{"here"}, "serve takes no argument but flags"},
		{"a flag that is not there", []string{"--speed"}, "speed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), append([]string{"candor", "serve", "--addr", "127.0.0.1:0"}, tt.flags...), strings.NewReader(""), &out, &out)
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
			assert.NotContains(t, err.Error(), "short")
		})
	}
}

func TestATokenThatCanBeGuessedIsRefused(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "short-one")
	err := run(t.Context(), []string{"candor", "serve", "--addr", "127.0.0.1:0"}, strings.NewReader(""), io.Discard, io.Discard)
	require.ErrorContains(t, err, "at least 16 characters")
	assert.NotContains(t, err.Error(), "short-one")
}

func TestACommandThatIsNotThereIsExplained(t *testing.T) {
	err := run(t.Context(), []string{"candor", "sevre"}, strings.NewReader(""), io.Discard, io.Discard)
	require.EqualError(t, err, `there is no command "sevre"; candor --help lists those there are`)
	var out, errOut bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"candor"}, strings.NewReader(""), &out, &errOut))
	assert.Contains(t, out.String(), "why did the agent do that?")
	err = run(t.Context(), []string{"candor", "serve", "--adr", "x"}, strings.NewReader(""), &out, &errOut)
	require.ErrorContains(t, err, "see candor serve --help")
	assert.Empty(t, errOut.String(), "one line says it")
}

func TestIdleSessionsAreEvictedByTheServer(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t, "--session-idle", "1ms")
	r.must("POST", "/api/chat/thread/new", "{}", 201)
	eventually(t, "the session is dropped", func() bool {
		return strings.Contains(r.errOut.String(), "idle sessions dropped")
	})
	r.signal()
	require.NoError(t, <-r.exit)
}
