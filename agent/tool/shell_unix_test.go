//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool"
)

type shellAnswer struct {
	ExitCode                  int `json:"exit_code"`
	Stdout, Stderr, Truncated string
}

func sh(t *testing.T, s agent.Tool, command string) shellAnswer {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	return run[shellAnswer](t, t.Context(), s, string(args))
}

func TestShellRunsInItsFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o644))
	s := tool.Shell(dir)
	assert.Equal(t, shellAnswer{0, "hello\n", "", ""}, sh(t, s, "cat a.txt"))
	assert.Equal(t, shellAnswer{3, "", "oh\n", ""}, sh(t, s, "echo oh >&2; exit 3"))
	assert.Equal(t, shellAnswer{0, "", "", ""}, sh(t, s, "cat"), "there is no input to wait for")
	assert.Equal(t, "\uFFFD\n", sh(t, s, `printf '\377\n'`).Stdout)
	for _, none := range []string{`{"command":" "}`, `{"command":"a\u0000b"}`} {
		assert.Equal(t, "there is no command to run", fails(t, t.Context(), s, none))
	}
	assert.Contains(t, fails(t, t.Context(), tool.Shell(filepath.Join(dir, "gone")), `{"command":"ls"}`), "could not be run")
}

func TestShellSeesNoSecretsOfOurs(t *testing.T) {
	t.Setenv("CANDOR_TEST_SECRET", "hush")
	got := sh(t, tool.Shell(t.TempDir()), "env").Stdout
	assert.NotContains(t, got, "hush")
	assert.Contains(t, got, "PATH=")
}

func TestShellKeepsTheEndsOfALongOutput(t *testing.T) {
	s := tool.Shell(t.TempDir())
	got := sh(t, s, "echo first; seq 100000; echo last; seq 100000 >&2")
	assert.True(t, strings.HasPrefix(got.Stdout, "first\n1\n2\n"))
	assert.True(t, strings.HasSuffix(got.Stdout, "99999\n100000\nlast\n"))
	assert.Regexp(t, `\n\[\d+ bytes left out\]\n`, got.Stdout)
	assert.Regexp(t, `^\d+ bytes of stdout left out\. \d+ bytes of stderr left out\.$`, got.Truncated)
	assert.Less(t, len(got.Stdout), 66<<10)
	assert.Less(t, len(got.Stderr), 66<<10)

	got = sh(t, s, "yes '' | head -c 65536")
	assert.Len(t, got.Stdout, 64<<10)
	assert.Empty(t, got.Truncated)
	got = sh(t, s, "yes '' | head -c 65537")
	assert.NotEmpty(t, got.Truncated)
}

// gone reports whether the process whose id stands in a file is no more.
func gone(t *testing.T, file string) bool {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	id, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	require.NoError(t, err)
	state, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err == nil && strings.Contains(string(state), ") Z ") {
		return true // dead, and nobody there to reap it
	}
	return syscall.Kill(id, 0) != nil
}

func TestAnInterruptKillsGrandchildrenToo(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan string, 1)
	go func() {
		failed <- fails(t, ctx, tool.Shell(dir), `{"command":"sh -c 'echo $$ > pid.new; mv pid.new pid; sleep 600' & wait"}`)
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(pid); return err == nil }, 10*time.Second, 10*time.Millisecond)
	cancel()
	assert.Equal(t, "context canceled", <-failed)
	assert.Eventually(t, func() bool { return gone(t, pid) }, 10*time.Second, 10*time.Millisecond)
}

func TestWhatACommandLeavesBehindIsKilled(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	got := sh(t, tool.Shell(dir), "sleep 600 & echo $! > pid; echo done")
	assert.Equal(t, shellAnswer{0, "done\n", "", ""}, got)
	assert.Less(t, time.Since(began), 30*time.Second, "it holds the output open, which must not keep us")
	assert.Eventually(t, func() bool { return gone(t, filepath.Join(dir, "pid")) }, 10*time.Second, 10*time.Millisecond)
}

func TestShellHasATimeLimit(t *testing.T) {
	limited := tool.Timeout(tool.Shell(t.TempDir()), 50*time.Millisecond)
	assert.Contains(t, fails(t, t.Context(), limited, `{"command":"sleep 600"}`), "shell was stopped after 50ms, its time limit")
}
