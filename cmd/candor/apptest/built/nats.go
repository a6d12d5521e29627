package built

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// NATS is a NATS server in a process of its own.
type NATS struct {
	file string
	cmd  *exec.Cmd
	in   io.Closer // the server runs until its standard input ends
}

// NewNATS returns a server with the text of a configuration file. It does not run yet; the end of the test kills it.
// The program is the test binary of the JetStream engine, the only test binary that contains a NATS server.
func NewNATS(t testing.TB, config string) *NATS {
	t.Helper()
	n := &NATS{file: filepath.Join(t.TempDir(), "nats.conf")}
	require.NoError(t, os.WriteFile(n.file, []byte(config), 0o600))
	t.Cleanup(n.Kill)
	return n
}

// Launch starts the server.
func (n *NATS) Launch(t testing.TB) (out io.Reader) {
	t.Helper()
	n.cmd = exec.Command(program(t, "nats", "./session/journal/jetstream", "test", "-c", "-vet=off"))
	n.cmd.Env = append(os.Environ(), "CANDOR_TEST_NATS_NODE="+n.file)
	n.cmd.Stderr = os.Stderr
	in, err := n.cmd.StdinPipe()
	require.NoError(t, err)
	out, err = n.cmd.StdoutPipe()
	require.NoError(t, err)
	n.in = in
	require.NoError(t, n.cmd.Start())
	return out
}

// Start starts the server and waits until it takes connections.
func (n *NATS) Start(t testing.TB) {
	t.Helper()
	line, err := bufio.NewReader(n.Launch(t)).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
}

// Kill ends the server as kill -9 does. It may have ended.
func (n *NATS) Kill() {
	if n.cmd != nil {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
		n.cmd = nil
	}
}

// Stop ends the server in order.
func (n *NATS) Stop(t testing.TB) {
	t.Helper()
	require.NoError(t, n.in.Close())
	require.NoError(t, n.cmd.Wait())
	n.cmd = nil
}
