package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/agent"
	"candor/session"
	"candor/web/access"
	"candor/web/agui"
)

var quiet = slog.New(slog.DiscardHandler)

func TestToolsOfAnMCPServerAreOfferedAndReplaced(t *testing.T) {
	docs := sdk.NewServer(&sdk.Implementation{Name: "docs", Version: "1"}, nil)
	add := func(name string) {
		docs.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return nil, nil })
	}
	add("look_up")
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return docs }, nil))
	t.Cleanup(web.Close) // after the agent, whose connections it waits for
	s := offlineSettings(t)
	s.Tools.MCPConfig, s.Tools.AwaitMCP, s.Model.Delegate = mcpConfig(t, web.URL), true, true
	lead := newTestAgent(t, s)
	assert.Subset(t, lead.Tools.Names(), []string{"look_up", "time"})
	add("look_down")
	assert.Eventually(t, func() bool { return slices.Contains(lead.Tools.Names(), "look_down") }, time.Minute,
		10*time.Millisecond)
}

func TestAnAppThatEndsLeavesNothingRunning(t *testing.T) {
	s := offlineSettings(t)
	s.Tools.MCPConfig = mcpConfig(t, "http://127.0.0.1:1/mcp") // it is tried again and again
	for name, level := range map[string]string{"closed": "full", "failed to start": "none"} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			s.Reasoning = level
			a, err := New(s, access.Tokens{}, nil, quiet)
			if level == "none" {
				require.ErrorContains(t, err, "--reasoning")
				return
			}
			require.NoError(t, err)
			a.Close(t.Context())
		})
	}
}

func TestStreamsEndWithTheApp(t *testing.T) {
	var tokens access.Tokens
	tokens.Add("ann", "a-token-of-ann-0001")
	a, err := New(offlineSettings(t), tokens, nil, quiet)
	require.NoError(t, err)
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/chat/events", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer a-token-of-ann-0001")
	stream, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer stream.Body.Close()
	require.Equal(t, http.StatusOK, stream.StatusCode)
	a.Close(t.Context())
	_, err = io.ReadAll(stream.Body)
	assert.NoError(t, err, "the stream ends, and its client is not cut off")
}

// The settings for tools hold for the agent that users talk to and for every agent that it hands tasks to.
func TestDeniedToolsAndApprovalsConcernEveryAgent(t *testing.T) {
	s := offlineSettings(t)
	s.Tools.Deny, s.Tools.Approve = []string{"time", "shell"}, []string{"file_read=ask", "file_list=always"}
	m, err := newModel(s.Model, quiet)
	require.NoError(t, err)
	var pair team
	flags, err := parseRules(s.Tools, nil)
	require.NoError(t, err)
	pair.rules = newRules(flags, quiet)
	_, err = pair.add(m.withDelegate(), nil, quiet)
	require.NoError(t, err)
	require.Len(t, pair.members, 2)
	for _, one := range pair.members {
		for _, denied := range []string{"time", "shell"} {
			assert.Error(t, one.Policy(t.Context(), agent.Spec{Name: denied}, nil), denied)
		}
		assert.NoError(t, one.Policy(t.Context(), agent.Spec{Name: "file_read"}, nil))
		assert.Equal(t, agent.ApprovalAsk, one.Approval(agent.Spec{Name: "file_read"}))
		assert.Equal(t, agent.ApprovalAlways, one.Approval(agent.Spec{Name: "file_list"}))
		assert.Equal(t, agent.ApprovalAsk, one.Approval(agent.Spec{Name: "other", Approval: agent.ApprovalAsk}))
	}
}

func TestErrorsOfTheLoopAreTranslatedForAGUI(t *testing.T) {
	assert.ErrorIs(t, toAGUIError(fmt.Errorf("turn 1: %w", agent.ErrNoCall)), agui.ErrNoCall)
	var refused *agui.ToolError
	assert.ErrorAs(t, toAGUIError(&agent.ToolError{}), &refused)
	assert.NoError(t, toAGUIError(nil))
}

// full is a recorder that can record nothing.
type full struct{}

func (full) Record(session.Body) error { return errors.New("full") }

func TestLostEventsAreCountedInTheMetrics(t *testing.T) {
	lead := newTestAgent(t, offlineSettings(t))
	require.NoError(t, lead.Run(t.Context(), full{}, []agent.Message{{Role: agent.RoleUser, Text: "hello"}}))
	require.Positive(t, lead.Unrecorded())
	w := httptest.NewRecorder()
	memory := session.NewMemory(nil)
	_, err := memory.Open(t.Context(), "ann")
	require.NoError(t, err)
	figures := newMetrics()
	figures.register(append(dispatcherFigures(lead), memoryFigures(memory)...)...)
	figures.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Contains(t, w.Body.String(), fmt.Sprintf("candor_unrecorded_events_total %d\n", lead.Unrecorded()))
	assert.Contains(t, w.Body.String(), fmt.Sprintf("candor_session_bytes %d\n", memory.Held()))
	assert.Contains(t, w.Body.String(), "candor_sessions 1\n")
}

func TestReasonsAreDemandedAsTheSettingsSay(t *testing.T) {
	t.Setenv(AnthropicKeyEnv, "k")
	for _, tt := range []struct {
		provider, model, reasons string
		want                     bool
	}{
		{"anthropic", "m", "", true}, {"anthropic", "m", "optional", false}, {"anthropic", "m", "required", true},
		{"offline", "", "optional", false}, {"offline", "", "required", true},
	} {
		m, err := newModel(ModelSettings{Provider: tt.provider, Name: tt.model, Reasons: tt.reasons}, quiet)
		require.NoError(t, err)
		assert.Equal(t, tt.want, m.demand, "%s %s", tt.provider, tt.reasons)
	}
}

func TestProvidersOnTheNetworkAreAskedAgain(t *testing.T) {
	for _, provider := range []string{"openai", "anthropic"} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.WriteHeader(map[int]int{1: http.StatusServiceUnavailable, 2: http.StatusForbidden}[asked])
		}))
		t.Setenv(OpenAIBaseEnv, server.URL)
		t.Setenv(OpenAIKeyEnv, "k")
		t.Setenv(AnthropicBaseEnv, server.URL)
		t.Setenv(AnthropicKeyEnv, "k")
		m, err := newModel(ModelSettings{Provider: provider, Name: "m"}, quiet)
		require.NoError(t, err)
		_, err = m.provider.Respond(t.Context(), agent.Request{
			Messages: []agent.Message{{Role: agent.RoleUser, Text: "hello"}},
		})
		require.ErrorContains(t, err, "asked 2 times")
		assert.Equal(t, 2, asked, provider)
		server.Close()
	}
}

func TestAPolicyFileIsApplied(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [{"id": "acme-key", "formats": ["acme_{a32}"]}]}`), 0o600))
	layer, err := NewLayer(SafetySettings{PolicyFile: file})
	require.NoError(t, err)
	text, _ := layer.Clean("it is acme_" + strings.Repeat("aB3d", 8) + " now")
	assert.Equal(t, "it is [REDACTED:acme-key] now", text.String())
}
