//go:build realagents

package realtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/attach/gemini"
	"candor/attach/settings"
	"candor/cmd/candor/agenttest"
)

// program returns the path of the real Gemini CLI, which node runs.
func program(t *testing.T) string {
	t.Helper()
	path := agenttest.Program(t, "Gemini CLI", "@google/gemini-cli/bundle/gemini.js")
	if _, err := exec.LookPath("node"); err != nil {
		agenttest.Missing(t, "node is not installed; make real-agents installs the program that needs it")
	}
	return path
}

// TestMain runs the tests, or is the command of a hook.
func TestMain(m *testing.M) {
	agenttest.Main(m, func(payload []byte) []byte {
		return gemini.WithTurn(payload, func(path string) (io.ReadSeekCloser, error) { return os.Open(path) })
	}, gemini.Remind)
}

// player runs the real program in folders of its own.
type player struct {
	program, home, work string
	model               *standIn
	token               string // what the program's environment has as CANDOR_TOKEN
}

// newPlayer returns a player whose model follows plans.
func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{program: program(t), home: t.TempDir(), work: t.TempDir(), model: newStandIn(t, plans()),
		token: agenttest.HookToken}
	require.NoError(t, os.MkdirAll(filepath.Join(p.home, ".gemini"), 0o700))
	self, err := os.Executable()
	require.NoError(t, err)
	p.attach(t, gemini.Commands(self).Reporting(), p.model.URL)
	require.NoError(t, os.WriteFile(filepath.Join(p.work, "notes.txt"), []byte("port: 8080\n"), 0o600))
	return p
}

// attach sets the program's hooks.
func (p *player) attach(t *testing.T, hooks settings.Hooks, server string) {
	t.Helper()
	text, err := hooks.Attach([]byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), server)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.home, ".gemini", "settings.json"), text, 0o600))
}

// prompt runs the program once, without a terminal, and lets it run every tool.
func (p *player) prompt(t *testing.T, text string, flags ...string) {
	t.Helper()
	require.NoError(t, p.exec(t, text, append(flags, "--approval-mode", "yolo")...))
}

// exec runs the program once, without a terminal. Whatever it would send to another host ends at the stand-in.
func (p *player) exec(t *testing.T, text string, flags ...string) error {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	args := append([]string{p.program, "-p", text, "--output-format", "json", "--model", "gemini-2.5-pro",
		"--skip-trust"}, flags...)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = p.work
	cmd.Env = append(p.model.Environment(t, p.home, p.token), "GOOGLE_GEMINI_BASE_URL="+p.model.URL,
		"GEMINI_API_KEY="+strings.Repeat("k", 20), "GEMINI_TELEMETRY_ENABLED=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// play has the program work through the plans: a session, and the same resumed.
func (p *player) play(t *testing.T) {
	t.Helper()
	p.prompt(t, "PLAN:one go")
	p.prompt(t, "PLAN:two go", "--resume", "latest")
	// The program tries to send its statistics, whatever it is told. Nothing else may leave this machine.
	for _, host := range p.model.Strayed() {
		require.Contains(t, host, "play.googleapis.com", "asked of another host")
	}
}

// project returns the folder in which the program keeps what it has of the tests' project.
func (p *player) project(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.home, ".gemini", "tmp", "*", "chats"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return filepath.Dir(found[0])
}

// files returns the session files that the program wrote, in their order. Their names have the minute, so a session
// that is resumed in a later one has another file.
func (p *player) files(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.project(t), "chats", "session-*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	slices.Sort(found)
	return found
}
