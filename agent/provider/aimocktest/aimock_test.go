// Package aimock runs the real loop against a mock of the model providers' wire
// formats that was written elsewhere, the npm package @copilotkit/aimock, with and
// without the failures it can make. It needs Node, and npm to fetch the mock once.
package aimock

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mock is a running server.
type mock struct {
	url  string
	stop func() // waits for its end; may be called more than once
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

// start runs the mock on a free port, answering by the fixtures.
func start(t *testing.T, fixtures []fixture, flags ...string) *mock {
	t.Helper()
	install(t)
	file := filepath.Join(t.TempDir(), "fixtures.json")
	raw, err := json.Marshal(map[string]any{"fixtures": fixtures})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, raw, 0o600))

	cli := filepath.Join("node_modules", "@copilotkit", "aimock", "dist", "cli.js")
	cmd := exec.CommandContext(t.Context(), "node", append([]string{cli, "-p", "0", "-f", file}, flags...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())

	var said strings.Builder
	lines := bufio.NewReader(out)
	m := &mock{}
	for m.url == "" {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		require.NoError(t, err, "the mock did not start: %s", said.String())
		if found := listening.FindStringSubmatch(line); found != nil {
			m.url = found[1]
		}
	}
	var drained sync.WaitGroup
	drained.Go(func() { _, _ = io.Copy(io.Discard, lines) })
	m.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		drained.Wait()
		_ = cmd.Wait() // it was killed
	})
	t.Cleanup(m.stop)
	return m
}

// install fetches the mock where it is missing, as the lockfile says.
func install(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("node")
	require.NoError(t, err, "this test needs Node 20 or later: https://nodejs.org")
	if _, err := os.Stat(filepath.Join("node_modules", "@copilotkit", "aimock", "package.json")); err == nil {
		return
	}
	out, err := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund").CombinedOutput()
	require.NoError(t, err, "npm ci: %s", out)
}

// fixture is one of the mock's: what it matches, and what it answers.
type fixture struct {
	Match    match  `json:"match"`
	Response answer `json:"response"`
	CutAfter int    `json:"truncateAfterChunks,omitempty"`
}

type match struct {
	User     string `json:"userMessage"`
	Answered *bool  `json:"hasToolResult,omitempty"`
	Result   string `json:"toolResultContains,omitempty"`
	Time     *int   `json:"sequenceIndex,omitempty"`
}

type answer struct {
	Content   string     `json:"content,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Calls     []toolCall `json:"toolCalls,omitempty"`
}

type toolCall struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}
