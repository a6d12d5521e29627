package app

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
)

// offlineSettings are those of an offline agent over an empty workspace.
func offlineSettings(t *testing.T) Settings {
	return Settings{Model: ModelSettings{Provider: "offline"}, Tools: ToolSettings{Workspace: t.TempDir()}}
}

// newTestAgent builds an agent and closes it with the test.
func newTestAgent(t *testing.T, s Settings) *agent.Dispatcher {
	t.Helper()
	lead, closeAgent, err := NewAgent(s, safety.NewLayer(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(closeAgent)
	return lead
}

func TestADelegateCannotDelegate(t *testing.T) {
	s := offlineSettings(t)
	m, err := newModel(s.Model, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	pair := team{rules: newRules(nil, quiet)}
	lead, err := pair.add(m.withDelegate(), safety.NewLayer(), quiet)
	require.NoError(t, err)
	require.NoError(t, pair.refresh(&toolkit{}))
	require.Len(t, pair.members, 2)
	assert.Equal(t, []string{"delegate"}, lead.Tools.Names())
	assert.Same(t, lead, pair.members[1].Dispatcher)
	assert.Empty(t, pair.members[0].Tools.Names(), "the second agent has no delegate of its own")

	s.Model.Delegate = true
	assert.Contains(t, newTestAgent(t, s).Tools.Names(), "delegate", "the setting turns it on")
}

func TestEnabledToolsAreOffered(t *testing.T) {
	s := offlineSettings(t)
	assert.NotContains(t, newTestAgent(t, s).Tools.Names(), "shell")
	s.Tools.Enable = []string{"shell", "http_get"}
	assert.Subset(t, newTestAgent(t, s).Tools.Names(), []string{"shell", "http_get", "time"})
}
