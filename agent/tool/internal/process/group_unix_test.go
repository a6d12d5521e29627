//go:build unix

package process

import (
	"bufio"
	"io"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startFamily starts a shell with a child that holds the shell's output open. The child
// ignores SIGTERM if stubborn.
func startFamily(t *testing.T, stubborn bool) (cmd *exec.Cmd, output *bufio.Reader) {
	t.Helper()
	script := `sh -c 'echo ready; sleep 600; sleep 600' & wait`
	if stubborn {
		script = `trap "" TERM; ` + script
	}
	cmd = exec.CommandContext(t.Context(), "sh", "-c", script)
	NewGroup(cmd)
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	output = bufio.NewReader(pipe)
	line, err := output.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return cmd, output
}

func signalOf(t *testing.T, err error) syscall.Signal {
	t.Helper()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	return exit.Sys().(syscall.WaitStatus).Signal()
}

// The output ends only when every process that holds it open has ended.
func TestKillGroupEndsTheCommandAndItsChildren(t *testing.T) {
	cmd, output := startFamily(t, true)
	require.NoError(t, TerminateGroup(cmd), "which the family ignores")
	require.NoError(t, KillGroup(cmd))
	rest, err := io.ReadAll(output)
	require.NoError(t, err)
	assert.Empty(t, rest)
	assert.Equal(t, syscall.SIGKILL, signalOf(t, cmd.Wait()))
}

func TestTerminateGroupAsksTheCommandAndItsChildrenToEnd(t *testing.T) {
	cmd, output := startFamily(t, false)
	require.NoError(t, TerminateGroup(cmd))
	_, err := io.ReadAll(output)
	require.NoError(t, err)
	assert.Equal(t, syscall.SIGTERM, signalOf(t, cmd.Wait()))
}
