//go:build realagents

package realtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/attach/codex"
	"candor/attach/settings"
	"candor/cmd/candor/agenttest"
)

// TestMain runs the tests, or is the command of a hook.
func TestMain(m *testing.M) { agenttest.Main(m, bytes.Clone, codex.Remind) }

// player runs the real program in folders of its own.
type player struct {
	program, home, work string
	model               *standIn
	session             string // id of the session that was begun first
	token               string // what the program knows as CANDOR_TOKEN
}

// config is the program's configuration; it is told where the stand-in is. What would ask other hosts is off.
const config = `model = "gpt-5-codex"
model_provider = "standin"
model_reasoning_summary = "detailed"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
apps = false
[model_providers.standin]
name = "standin"
base_url = "%s/v1"
wire_api = "responses"
env_key = "STANDIN_KEY"
`

// newPlayer returns a player whose model follows plans.
func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{program: agenttest.Program(t, "Codex", "@openai/codex-PLATFORM/vendor/*/bin/codex"),
		home: t.TempDir(), work: t.TempDir(), model: newStandIn(t, plans()), token: agenttest.HookToken}
	self, err := os.Executable()
	require.NoError(t, err)
	p.attach(t, codex.Commands(self).Reporting(), p.model.URL)
	for name, text := range map[string]string{filepath.Join(p.home, "config.toml"): fmt.Sprintf(config, p.model.URL),
		filepath.Join(p.work, "notes.txt"): "port: 8080\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return p
}

// attach sets the program's hooks.
func (p *player) attach(t *testing.T, hooks settings.Hooks, server string) {
	t.Helper()
	text, err := hooks.Attach(nil, server)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "hooks.json"), text, 0o600))
}

// trusted lets hooks run that no person has looked at.
const trusted = "--dangerously-bypass-hook-trust"

// exec runs the program once, without a terminal, and returns what it prints. Whatever it would send to another host
// ends at the stand-in.
func (p *player) exec(t *testing.T, args ...string) (out []byte, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := p.command(ctx, t, append([]string{"exec", "--skip-git-repo-check", "--json"}, args...)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if out, err = cmd.Output(); err != nil {
		err = fmt.Errorf("%w: %s%s", err, out, &complaints)
	}
	return out, err
}

// command returns the program as it is run.
func (p *player) command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Dir = p.work
	cmd.Env = append(p.model.Environment(t, p.home, p.token), "CODEX_HOME="+p.home,
		"STANDIN_KEY="+strings.Repeat("k", 20))
	return cmd
}

// run runs the program once, and returns the id of the session.
func (p *player) run(t *testing.T, args ...string) (session string) {
	t.Helper()
	out, err := p.exec(t, args...)
	require.NoError(t, err)
	var first struct {
		Thread string `json:"thread_id"`
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	require.NoError(t, json.Unmarshal(line, &first), "%s", out)
	require.Empty(t, p.model.Strayed(), "nothing may leave this machine")
	return first.Thread
}

// play has the program work through the plans: a session, the same resumed, and a fork of it.
func (p *player) play(t *testing.T) {
	t.Helper()
	p.session = p.run(t, trusted, "PLAN:one go")
	p.run(t, trusted, "resume", p.session, "PLAN:two go")
	p.run(t, trusted, "fork", p.session, "PLAN:three go")
}

// files returns the rollouts that the program wrote, in the order in which they were begun.
func (p *player) files(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(p.home, "sessions", "*", "*", "*", "rollout-*.jsonl"))
	require.NoError(t, err)
	return list
}
