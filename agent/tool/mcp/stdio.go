package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"candor/agent/tool/internal/process"
)

const (
	stopTimeout  = 2 * time.Second  // for a process to end after each way of asking it
	drainTimeout = time.Second      // for reading the last output of an ended process
	writeTimeout = 10 * time.Second // for a process to read what it is sent
)

// inherited are the variables that a process gets of our environment. The others may
// contain secrets.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR",
	// On Windows hardly any program starts without these.
	"APPDATA", "LOCALAPPDATA", "HOMEDRIVE", "HOMEPATH", "PATHEXT", "COMSPEC",
	"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE",
}

// environment returns the inherited variables of all, replaced and extended by own.
func environment(all []string, own map[string]string) []string {
	var out []string
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := own[name]; !replaced && slices.Contains(inherited, canonicalName(name)) {
			out = append(out, kv)
		}
	}
	for name, value := range own {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// canonicalName returns a variable's name as it is compared: Windows may have Path for
// PATH.
func canonicalName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// child is a server that we started as a process. Where the system has process groups it
// leads one, so that whatever it starts ends with it.
type child struct {
	cmd    *exec.Cmd
	stdin  *os.File // our end
	stdout *os.File // our end
	done   chan struct{}
	err    error // valid once done is closed
}

// startProcess starts a server of kind stdio. It calls noise when the server writes something
// else than messages, and lost when that has no end.
func startProcess(e Endpoint, lost func(error), noise func()) (*connection, error) {
	p := &child{cmd: exec.Command(e.Command, e.Args...), done: make(chan struct{})}
	p.cmd.Dir = e.Dir
	p.cmd.Env = environment(os.Environ(), e.Env)
	process.NewGroup(p.cmd)
	theirStdin, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// Pipes of our own, since those of exec.Cmd are closed as soon as Wait returns.
	stdout, theirStdout, err := os.Pipe()
	if err != nil {
		theirStdin.Close()
		stdin.Close()
		return nil, err
	}
	p.stdin, p.stdout = stdin, stdout
	p.cmd.Stdin, p.cmd.Stdout = theirStdin, theirStdout // stderr goes to the null device
	err = p.cmd.Start()
	// Our copies of its ends must be closed, or its end would not be seen.
	theirStdin.Close()
	theirStdout.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	go p.wait()
	return &connection{
		// Closing the session leaves stdout open, so that the process can finish writing.
		transport: &sdk.IOTransport{
			Reader: io.NopCloser(newMessageReader(stdout, lost, noise)), Writer: deadlineWriter{stdin},
		},
		explain: p.explain, abort: p.kill, release: p.stop,
	}, nil
}

// wait waits for the process, then ends what it left behind. The session can still read
// what is in the pipe before it sees the end.
func (p *child) wait() {
	defer close(p.done)
	p.err = p.cmd.Wait()
	_ = process.KillGroup(p.cmd)
	// Only a process that has left the group can still hold the pipe open.
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainTimeout))
}

// explain returns how the process ended if that is the cause of err. An error that the
// server sent, and a timeout while the process runs, are causes themselves.
func (p *child) explain(err error) error {
	if own, ok := errors.AsType[*failure](err); ok {
		return own
	}
	var answer *jsonrpc.Error
	if errors.As(err, &answer) && !isSDKError(answer.Code) || errors.Is(err, context.DeadlineExceeded) || !p.exits() {
		return err
	}
	// If we closed its pipes first, the process may have ended well; then the status does
	// not say what was wrong.
	if p.err != nil {
		return p.err
	}
	return failf("it ended")
}

// kill ends the process by force, without waiting.
func (p *child) kill() {
	_ = process.KillGroup(p.cmd)
	p.stdin.Close()
	p.stdout.Close()
}

// stop ends the process: by closing its input, then by a signal, then by force. It
// returns once the process has ended.
func (p *child) stop() {
	p.stdin.Close()
	if !p.exits() {
		_ = process.TerminateGroup(p.cmd)
		if !p.exits() {
			_ = process.KillGroup(p.cmd)
		}
	}
	<-p.done
	p.stdout.Close()
}

// exits reports whether the process has ended, or does so within stopTimeout.
func (p *child) exits() bool {
	select {
	case <-p.done:
		return true
	case <-time.After(stopTimeout):
		return false
	}
}

// deadlineWriter is a pipe whose writes fail if its reader does not read in time.
type deadlineWriter struct{ *os.File }

// Write implements io.Writer.
func (w deadlineWriter) Write(b []byte) (int, error) {
	_ = w.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.File.Write(b)
}
