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

	"candor/attach/opencode"
	"candor/cmd/candor/agenttest"

	"github.com/stretchr/testify/require"
)

// player runs the real program in folders of its own.
type player struct {
	program, home, work string
	model               *standIn
	// The session that is begun first.
	session string
	token   string
}

// newPlayer returns a player whose model follows the plans.
func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{program: agenttest.Program(t, "OpenCode", "opencode-PLATFORM/bin/opencode"),
		home: t.TempDir(), work: t.TempDir(), token: agenttest.HookToken}
	p.model = newStandIn(t, plans(p.work))
	p.configure(t, object{"*": "allow", "touch *": "deny"})
	p.attach(t, opencode.Plugin{}, p.model.URL)
	require.NoError(t, os.WriteFile(filepath.Join(p.work, "notes.txt"), []byte("port: 8080\n"), 0o600))
	return p
}

// configure writes the program's settings, which have rules for commands.
func (p *player) configure(t *testing.T, commands object) {
	t.Helper()
	config, err := json.Marshal(object{
		"provider": object{"standin": object{"npm": "@ai-sdk/openai-compatible", "name": "Stand-in",
			"options": object{"baseURL": p.model.URL + "/v1", "apiKey": strings.Repeat("k", 20)},
			"models": object{"m": object{"name": "M", "reasoning": true, "tool_call": true,
				"limit": object{"context": 100_000, "output": 8000}}}}},
		"model": "standin/m", "small_model": "standin/m", "autoupdate": false, "share": "disabled",
		"permission": object{"bash": commands},
	})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(p.config(), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(p.config(), "opencode.json"), config, 0o600))
}

// attach writes the plugin that reports to a server.
func (p *player) attach(t *testing.T, plugin opencode.Plugin, server string) {
	t.Helper()
	text, err := plugin.Attach(nil, server)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(p.config(), "plugin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(p.config(), "plugin", "candor.js"), text, 0o600))
}

// config returns the folder of the program's settings, database that of its sessions.
func (p *player) config() string   { return filepath.Join(p.home, "config", "opencode") }
func (p *player) database() string { return filepath.Join(p.home, "data", "opencode", "opencode.db") }

// prompt runs the program once, without a terminal. Whatever it would send to another host ends at the stand-in.
func (p *player) prompt(t *testing.T, text string, flags ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	cmd := p.command(ctx, t, append([]string{"run", "--format", "json", text}, flags...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	if p.session == "" {
		line, _, _ := bytes.Cut(out, []byte("\n"))
		var first struct {
			Session string `json:"sessionID"`
		}
		require.NoError(t, json.Unmarshal(line, &first), "%s", out)
		p.session = first.Session
	}
}

// command returns the program with arguments, as prompt runs it.
func (p *player) command(ctx context.Context, t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, p.program, arguments...)
	cmd.Dir = p.work
	cmd.Env = append(p.model.Environment(t, p.home, p.token), "OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
	for _, kind := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		cmd.Env = append(cmd.Env, fmt.Sprintf("XDG_%s_HOME=%s", kind, filepath.Join(p.home, strings.ToLower(kind))))
	}
	return cmd
}

// play has the program work through the plans: a session, the same resumed, and a fork of it. The program asks npm for
// its plugins' library, which is not there; that is all that may stray.
func (p *player) play(t *testing.T) {
	t.Helper()
	p.prompt(t, "PLAN:one")
	p.prompt(t, "PLAN:two", "--session", p.session)
	p.prompt(t, "PLAN:three", "--session", p.session, "--fork")
	for _, where := range p.model.Strayed() {
		require.Contains(t, where, "registry.npmjs.org", "nothing else may be asked for")
	}
}
