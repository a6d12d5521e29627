//go:build realagents

package realtest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/attach/claude"
	"candor/attach/settings"
	"candor/cmd/candor/agenttest"
)

// TestMain lets the program run this one as its hooks.
func TestMain(m *testing.M) { agenttest.Main(m, bytes.Clone, claude.Remind) }

// commands returns the hooks that run this program.
func commands(t *testing.T) settings.Commands {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return claude.Commands(self)
}

// session is the id under which the program keeps the conversation that the tests begin.
const session = "11111111-2222-4333-8444-555555555555"

// player runs the real program in folders of its own.
type player struct {
	program, home, work string
	token               string   // of the hooks
	allowed             string   // tools that the program runs without asking
	exporter            []string // what its environment has for telemetry
	model               *standIn
}

// newPlayer returns a player whose model follows plans.
func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{program: agenttest.Program(t, "Claude Code", "@anthropic-ai/claude-code-PLATFORM/claude"),
		home: t.TempDir(), work: t.TempDir(), model: newStandIn(t, plans()),
		token: agenttest.HookToken, allowed: "Bash Read Edit Agent"}
	p.attach(t, commands(t).Reporting(), p.model.URL)
	require.NoError(t, os.WriteFile(filepath.Join(p.work, "notes.txt"), []byte("port: 8080\n"), 0o600))
	return p
}

// attach lets the program's hooks post to a server.
func (p *player) attach(t *testing.T, hooks settings.Hooks, server string) {
	t.Helper()
	attached, err := hooks.Attach(nil, server)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "settings.json"), attached, 0o600))
}

// prompt runs the program once, without a terminal. Whatever it would send to another host ends at the stand-in.
func (p *player) prompt(t *testing.T, text string, flags ...string) {
	t.Helper()
	out, err := p.run(t, text, flags...)
	require.NoError(t, err, "%s", out)
}

// run is prompt, and returns what the program printed and how it ended.
func (p *player) run(t *testing.T, text string, flags ...string) (out []byte, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	args := append([]string{"-p", text, "--output-format", "json", "--model", "claude-sonnet-4-5",
		"--allowedTools", p.allowed}, flags...)
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Dir = p.work
	cmd.Env = append(p.model.Environment(t, p.home, p.token), "CLAUDE_CONFIG_DIR="+p.home,
		"ANTHROPIC_BASE_URL="+p.model.URL, "ANTHROPIC_API_KEY="+strings.Repeat("k", 20),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1")
	cmd.Env = append(cmd.Env, p.exporter...)
	return cmd.CombinedOutput()
}

// play has the program work through the plans: a session, the same resumed, and a fork of it.
func (p *player) play(t *testing.T) {
	t.Helper()
	p.prompt(t, "PLAN:one go", "--session-id", session)
	p.prompt(t, "PLAN:two go", "--resume", session)
	p.prompt(t, "PLAN:three go", "--resume", session, "--fork-session")
	require.Empty(t, p.model.Strayed(), "nothing may leave this machine")
}

// files returns the session files that the program wrote, those of sub-agents behind the others.
func (p *player) files(t *testing.T) (list []string) {
	t.Helper()
	for _, pattern := range []string{"*/*.jsonl", "*/*/subagents/agent-*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(p.home, "projects", pattern))
		require.NoError(t, err)
		list = append(list, found...)
	}
	return list
}
