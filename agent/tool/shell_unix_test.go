//go:build unix

package tool_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
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
	assert.Equal(t, shellAnswer{0, "", "", ""}, sh(t, s, "cat"), "there is no input")
	assert.Equal(t, "\uFFFD\n", sh(t, s, `printf '\377\n'`).Stdout)
	for _, none := range []string{`{"command":" "}`, `{"command":"a\u0000b"}`} {
		assert.Equal(t, "there is no command to run", fails(t, t.Context(), s, none))
	}
	nowhere := tool.Shell(filepath.Join(dir, "gone"))
	assert.Contains(t, fails(t, t.Context(), nowhere, `{"command":"ls"}`), "could not be run")
}

func TestShellDoesNotSeeOurSecrets(t *testing.T) {
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

// newFIFO creates a named pipe in a folder. Reading it ends when all the processes that
// hold its other end open have ended.
func newFIFO(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	return name
}

func TestAnInterruptKillsGrandchildrenToo(t *testing.T) {
	dir := t.TempDir()
	fifo := newFIFO(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan string, 1)
	go func() {
		failed <- fails(t, ctx, tool.Shell(dir), `{"command":"exec 3>fifo; sh -c 'echo up >&3; sleep 100000' & wait"}`)
	}()
	held, err := os.Open(fifo)
	require.NoError(t, err)
	defer held.Close()
	output := bufio.NewReader(held)
	line, err := output.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "up\n", line)
	cancel()
	assert.Equal(t, "context canceled", <-failed)
	_, err = io.ReadAll(output)
	assert.NoError(t, err, "no process holds the pipe open")
}

// The background process also holds the command's output open, which must not keep the
// tool waiting for it.
func TestBackgroundProcessesOfACommandAreKilled(t *testing.T) {
	dir := t.TempDir()
	fifo := newFIFO(t, dir)
	released := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(fifo)
		released <- err
	}()
	got := sh(t, tool.Shell(dir), "exec 3>fifo; sleep 600 & echo done")
	assert.Equal(t, shellAnswer{0, "done\n", "", ""}, got)
	select {
	case err := <-released:
		assert.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the background process still holds the pipe open")
	}
}

func TestShellHasATimeLimit(t *testing.T) {
	limited := tool.WithTimeout(tool.Shell(t.TempDir()), 50*time.Millisecond)
	assert.Contains(t, fails(t, t.Context(), limited, `{"command":"sleep 100000"}`),
		"shell was stopped after 50ms, its time limit")
}
