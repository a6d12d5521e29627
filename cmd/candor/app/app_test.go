package app_test

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/access"
)

// A conversation in this process has the same API as a server, and its end leaves
// nothing behind.
func TestAnInProcessAppServesItsClientAndEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	p, err := app.StartInProcess(app.Settings{
		Model: app.ModelSettings{Provider: "script", Script: apptest.ScriptFile(t, apptest.Waiting(600_000))},
		Tools: app.ToolSettings{Workspace: t.TempDir()},
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	status, err := p.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "script", p.Model)
	assert.Equal(t, p.Model, status.Model)
	list, active, err := p.Threads(t.Context())
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.Empty(t, active)
	p.Close()
	_, err = p.Status(t.Context())
	require.Error(t, err, "nobody listens any more")
}

// The script has a tool of its own, a policy, and an agent to hand tasks to.
func TestAScriptBringsItsToolsItsPolicyAndItsAgents(t *testing.T) {
	call := func(tool string) apptest.M {
		return apptest.M{"id": tool, "name": tool, "arguments": apptest.M{"task": "look"}, "rationale": "because"}
	}
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"tool_calls": []apptest.M{call("clock"), call("wipe"), call("helper")}}, {"text": "done"},
		},
		"tools":  apptest.M{"clock": apptest.M{"result": "noon"}, "wipe": apptest.M{"result": "gone"}},
		"deny":   []string{"wipe"},
		"agents": apptest.M{"helper": apptest.M{"steps": []apptest.M{{"text": "the helper looked"}}}},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	history := s.Get("ann", "/api/chat/history").Body
	assert.Contains(t, history, "noon")
	assert.Contains(t, history, "rejected by policy: this tool is not allowed here")
	assert.NotContains(t, history, "gone")
	assert.Contains(t, history, "the helper looked")

	metrics := s.Get("ann", "/metrics").Body
	assert.Contains(t, metrics, `candor_tool_calls_total{model="script",source="model",tool="clock"} 1`)
	assert.Contains(t, metrics, `candor_rationale_coverage{model="script",tool="clock"} 1`)
	assert.Contains(t, metrics, "candor_unrecorded_events_total 0")
}

// A tool of the script replaces the built-in tool of the same name; the others stay.
func TestAScriptMayReplaceABuiltInTool(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"tool_calls": []apptest.M{
				{"id": "a", "name": "time", "arguments": apptest.M{}},
				{"id": "b", "name": "file_read", "arguments": apptest.M{"path": "go.mod"}},
			}},
			{"text": "ok"},
		},
		"tools": apptest.M{"time": apptest.M{"result": "tea time"}},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	history := s.Get("ann", "/api/chat/history").Body
	assert.Contains(t, history, "tea time")
	assert.Contains(t, history, "module candor")
}

func TestAGUIShowsNoMoreThanTheOperatorAllows(t *testing.T) {
	for level, want := range map[string]bool{"": true, "full": true, "summary": false, "hidden": false} {
		s := apptest.Start(t, app.Settings{Reasoning: level}, apptest.M{
			"steps": []apptest.M{
				{"tool_calls": []apptest.M{
					{"id": "a", "name": "clock", "rationale": "they want to know when lunch is"},
				}},
				{"text": "ok"},
			},
			"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
		})
		run := s.Post("ann", "/agui", string(apptest.JSON(t, apptest.M{
			"threadId": "t", "runId": "r", "protocolVersion": "1.0", "context": []apptest.M{}, "tools": []apptest.M{},
			"messages": []apptest.M{{"id": "1", "role": "user", "content": "go"}},
		}))).Body
		assert.Contains(t, run, "noon", "%q", level)
		assert.Equal(t, want, strings.Contains(run, "when lunch is"), "%q", level)
	}
}

func TestMetricsTellReasonsFromFallbacks(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"tool_calls": []apptest.M{
				{"id": "a", "name": "clock", "rationale": "because"}, {"id": "b", "name": "clock"},
				{"id": "c", "name": "clock"}, {"id": "d", "name": "clock"},
			}},
			{"text": "ok"},
		},
		"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	metrics := s.Get("ann", "/metrics").Body
	assert.Contains(t, metrics, `candor_tool_calls_total{model="script",source="model",tool="clock"} 1`)
	assert.Contains(t, metrics, `candor_tool_calls_total{model="script",source="fallback",tool="clock"} 3`)
	assert.Contains(t, metrics, `candor_rationale_coverage{model="script",tool="clock"} 0.25`)
}

// The adapter gives AG-UI the loop: its tools, its messages, its results, its errors.
func TestAGUIReachesTheLoop(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"tool_calls": []apptest.M{{"id": "a", "name": "pick", "arguments": apptest.M{}}}}, {"text": "picked"},
		},
		"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
	})
	input := func(run, tool string, messages ...apptest.M) string {
		return string(apptest.JSON(t, apptest.M{
			"threadId": "t", "runId": run, "protocolVersion": "1.0", "messages": messages,
			"context": []apptest.M{}, "tools": []apptest.M{{"name": tool, "description": "Picks."}},
		}))
	}
	words := []apptest.M{{"id": "0", "role": "system", "content": "Be brief."},
		{"id": "1", "role": "user", "content": "go"}}
	assert.Equal(t, "bad_tool", s.Post("ann", "/agui", input("r0", "clock", words...)).JSON()["error"])
	assert.Contains(t, s.Post("ann", "/agui", input("r1", "pick", words...)).Body,
		`"pendingToolCallIds":["turn_1_call_1"]`)
	result := apptest.M{"id": "2", "role": "tool", "toolCallId": "turn_1_call_1", "content": "blue"}
	assert.Contains(t, s.Post("ann", "/agui", input("r2", "pick", result)).Body, `"delta":"picked"`)
	assert.Contains(t, s.Get("ann", "/api/chat/history").Body, "blue")
	assert.Contains(t, s.Get("ann", "/agui/capabilities").Body, `"name":"clock"`)
}

func TestSettingsThatCannotWorkNameTheirFlag(t *testing.T) {
	apptest.HideProviders(t)
	write := func(name, text string) string {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	for _, tt := range []struct {
		name string
		edit func(*app.Settings)
		want string
	}{
		{"an unknown provider", func(s *app.Settings) { s.Model.Provider = "gpt" },
			`there is no provider "gpt"`},
		{"a script without a file", func(s *app.Settings) { s.Model.Provider = "script" }, "--script FILE"},
		{"a script that is no JSON", func(s *app.Settings) {
			s.Model.Provider, s.Model.Script = "script", write("script.json", "steps")
		}, "script"},
		{"a script that does not exist", func(s *app.Settings) {
			s.Model.Provider, s.Model.Script = "script", "nowhere.json"
		}, "nowhere.json"},
		{"an unknown kind of reasons", func(s *app.Settings) { s.Model.Reasons = "always" }, "--reasons"},
		{"a threshold beyond 1", func(s *app.Settings) { s.Model.Confidence.Threshold = new(1.5) },
			"--confidence-threshold: 1.5 is not a number from 0 to 1"},
		{"a threshold that is no number", func(s *app.Settings) { s.Model.Confidence.Threshold = new(math.NaN()) },
			"--confidence-threshold: NaN"},
		{"an unknown way to go on", func(s *app.Settings) { s.Model.Confidence.Low = "maybe" },
			`--low-confidence: "maybe" is not ask, continue or orchestrator`},
		{"an unknown API", func(s *app.Settings) {
			s.Model = app.ModelSettings{Provider: "openai", Name: "m", API: "soap"}
		}, `"soap"`},
		{"a workspace that does not exist", func(s *app.Settings) { s.Tools.Workspace = "/does/not/exist" },
			"workspace"},
		{"a tool that cannot be enabled", func(s *app.Settings) { s.Tools.Enable = []string{"sudo"} }, "--enable"},
		{"an MCP file that does not exist", func(s *app.Settings) { s.Tools.MCPConfig = "nowhere.json" },
			"nowhere.json"},
		{"an MCP file that is no JSON", func(s *app.Settings) { s.Tools.MCPConfig = write("mcp.json", "x") }, "--mcp"},
		{"an approval without a mode", func(s *app.Settings) { s.Tools.Approve = []string{"shell"} },
			"--approve: want TOOL=MODE"},
		{"an approval of an unknown mode", func(s *app.Settings) { s.Tools.Approve = []string{"shell=maybe"} },
			"--approve shell"},
		{"an unknown level of reasoning", func(s *app.Settings) { s.Reasoning = "some" }, `--reasoning: "some"`},
		{"a policy that does not exist", func(s *app.Settings) { s.Safety.PolicyFile = "nowhere.json" },
			"nowhere.json"},
		{"a policy that is none", func(s *app.Settings) { s.Safety.PolicyFile = write("p.json", "[]") }, "--policy"},
		{"secrets that do not exist", func(s *app.Settings) { s.Safety.SecretsFile = "nowhere" }, "nowhere"},
		{"a variable that is not set", func(s *app.Settings) { s.Safety.SecretEnv = []string{"NOT_SET_ANYWHERE"} },
			"--secret-env NOT_SET_ANYWHERE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := app.Settings{Tools: app.ToolSettings{Workspace: t.TempDir()}}
			tt.edit(&s)
			_, err := app.New(s, access.Tokens{}, nil, slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestKnownSecretsAndKeysAreMasked(t *testing.T) {
	apptest.HideProviders(t)
	file := filepath.Join(t.TempDir(), "secrets")
	require.NoError(t, os.WriteFile(file, []byte("# ours\nblue-parrot-7\n"), 0o600))
	t.Setenv("MY_PIN", "kettle and spoon")
	t.Setenv(app.AnthropicKeyEnv, "a key of no known form")
	layer, err := app.NewLayer(app.SafetySettings{SecretsFile: file, SecretEnv: []string{"MY_PIN"}})
	require.NoError(t, err)
	text, _ := layer.Clean("blue-parrot-7, kettle and spoon, a key of no known form")
	assert.Equal(t, 3, strings.Count(text.String(), "[REDACTED:known-secret]"), text.String())
}

func TestAModelIsDescribedWithoutItsKey(t *testing.T) {
	apptest.HideProviders(t)
	assert.Contains(t, app.ModelSettings{}.Describe("offline"), "offline (deterministic")
	assert.Equal(t, "script", app.ModelSettings{Provider: "script"}.Describe("script"))
	assert.Equal(t, "m at api.anthropic.com", app.ModelSettings{Provider: "anthropic"}.Describe("m"))
	t.Setenv(app.OpenAIBaseEnv, "http://user:hidden@127.0.0.1:1/v1?key=hidden")
	assert.Equal(t, "m at 127.0.0.1:1", app.ModelSettings{}.Describe("m"))
	assert.Equal(t, "an address that is no URL", app.HostOf("http://[hidden"))
}

// Which model is asked, and whether it has to give reasons, can be seen in its tools.
func TestTheModelOfTheEnvironmentIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		env   map[string]string
		model string
	}{
		{"OpenAI's default", map[string]string{app.OpenAIKeyEnv: "k"}, "gpt-5-mini"},
		{"OpenAI's, named", map[string]string{app.OpenAIKeyEnv: "k", app.OpenAIModelEnv: "gpt-x"}, "gpt-x"},
		{"Anthropic's default", map[string]string{app.AnthropicKeyEnv: "k"}, "claude-sonnet-4-5"},
		{"Anthropic's, named", map[string]string{app.AnthropicKeyEnv: "k", app.AnthropicNameEnv: "c"}, "c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			apptest.HideProviders(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			s := app.Settings{Tools: app.ToolSettings{Workspace: t.TempDir()},
				Model: app.ModelSettings{Reasons: "required"}}
			layer, err := app.NewLayer(s.Safety)
			require.NoError(t, err)
			lead, closeAgent, err := app.NewAgent(s, layer, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			defer closeAgent()
			assert.Equal(t, tt.model, lead.Model)
			assert.True(t, lead.Tools.RequireRationale)
		})
	}
	apptest.HideProviders(t)
	t.Setenv(app.OpenAIBaseEnv, "http://127.0.0.1:1/v1")
	_, _, err := app.NewAgent(app.Settings{}, nil, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "which model? 127.0.0.1:1 did not list any")
}
