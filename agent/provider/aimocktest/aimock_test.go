// Package aimock runs the agent loop over real sockets against a third party's mock
// of the model providers' APIs, the npm package @copilotkit/aimock. It tests the
// adapters against an independent reading of the wire formats.
//
// TestEveryScenarioCompletesOnEveryBackend plays each scenario of loop_test.go through
// each protocol; TestFiveHundredTurnsEndDespiteFailures lets the mock drop, malform,
// limit and cut its answers. The tests need Node, and npm to fetch the mock once.
//
// Add another course of a turn to scenarios, and another protocol to backends in
// rig_test.go.
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

// mock is a running server of the mock.
type mock struct {
	url  string
	stop func() // stops the server and waits for its end; may be called more than once
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

// start runs the mock on a free port with the given fixtures and flags. The server stops
// when the test ends.
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

	var output strings.Builder
	lines := bufio.NewReader(out)
	m := &mock{}
	for m.url == "" {
		line, err := lines.ReadString('\n')
		output.WriteString(line)
		require.NoError(t, err, "the mock did not start: %s", output.String())
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

// install fetches the version of the mock that the lockfile names, unless it is there.
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

// fixture tells the mock how to answer the requests that match. CutAfter cuts the stream
// after that many chunks.
type fixture struct {
	Match    match  `json:"match"`
	Response answer `json:"response"`
	CutAfter int    `json:"truncateAfterChunks,omitempty"`
}

// match selects requests: by the user's message, by whether a tool has run, by its
// result, and by how often the fixture matched before.
type match struct {
	User     string `json:"userMessage"`
	Answered *bool  `json:"hasToolResult,omitempty"`
	Result   string `json:"toolResultContains,omitempty"`
	Time     *int   `json:"sequenceIndex,omitempty"`
}

// answer is what the mocked model says.
type answer struct {
	Content   string     `json:"content,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Calls     []toolCall `json:"toolCalls,omitempty"`
}

// toolCall is a call in an answer.
type toolCall struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}
