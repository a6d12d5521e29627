package worker_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// process is a worker that runs as a child process, so that a test can kill it.
type process struct {
	*exec.Cmd
	log   *apptest.LogBuffer
	ended chan struct{} // closed once the process has ended
	err   error         // of Wait; valid once ended is closed
}

func startWorker(t *testing.T, url, id, token, script string, flags ...string) *process {
	t.Helper()
	p := &process{log: &apptest.LogBuffer{}, ended: make(chan struct{})}
	p.Cmd = program.Command(t.Context(), t, "worker", "--server", url, "--job", id, "--workspace", "..",
		"--provider", "script", "--script", script, "--poll", "50ms")
	p.Args = append(p.Args, flags...)
	p.Env = append(p.Env, "CANDOR_JOB_TOKEN="+token)
	p.Stdout, p.Stderr = p.log, p.log
	require.NoError(t, p.Start())
	go func() {
		p.err = p.Cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.ended
	})
	return p
}

// Wait waits until the worker has ended and returns its error.
func (p *process) Wait() error {
	<-p.ended
	return p.err
}

// kill ends the worker with SIGKILL and waits for it.
func (p *process) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Process.Kill())
	assert.Error(t, p.Wait())
}

// await waits until the channel has a value or is closed. It fails the test if the
// worker ends first.
func (p *process) await(t *testing.T, at <-chan struct{}) {
	t.Helper()
	select {
	case <-at:
	case <-p.ended:
		require.FailNow(t, "the worker ended by itself", "%v\n%s", p.err, p.log.String())
	}
}
