package mcp

import (
	"cmp"
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
)

const (
	patience = 2 * time.Second // for a process, at each step of being told to end
	drain    = time.Second     // for the last words of a process that has ended
	writing  = 10 * time.Second
)

// inherited is what a process gets of our environment. All else may be secret.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR",
	// without these hardly anything starts on Windows
	"APPDATA", "LOCALAPPDATA", "HOMEDRIVE", "HOMEPATH", "PATHEXT", "COMSPEC",
	"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE",
}

// environment is what is inherited, with own on top.
func environment(all []string, own map[string]string) []string {
	var out []string
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := own[name]; !replaced && slices.Contains(inherited, environName(name)) {
			out = append(out, kv)
		}
	}
	for name, value := range own {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// environName is a name as it is compared: Windows has Path for PATH.
func environName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// process is a server we started, in a process group of its own where there is
// such a thing, so that what it starts ends with it.
type process struct {
	cmd  *exec.Cmd
	in   *os.File // its input, our end
	out  *os.File // its output, our end
	done chan struct{}
	err  error // once done
}

// startProcess is the way to a server of kind stdio.
func startProcess(e Endpoint) (*line, error) {
	p := &process{cmd: exec.Command(e.Command, e.Args...), done: make(chan struct{})}
	p.cmd.Dir = e.Dir
	p.cmd.Env = environment(os.Environ(), e.Env)
	ownGroup(p.cmd)
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		in.Close()
		return nil, err
	}
	p.in, p.out = in, out
	p.cmd.Stdin, p.cmd.Stdout = theirIn, theirOut // stderr goes to the null device
	err = p.cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go p.wait()
	return &line{
		// Its output stays open for us until it has ended, so that it can end well.
		transport: &sdk.IOTransport{Reader: io.NopCloser(out), Writer: promptly{in}},
		why:       p.why, hangUp: p.kill, free: p.end,
	}, nil
}

// wait awaits the process, then ends what it left behind and lets the session
// read what is still in the pipe before it sees the end.
func (p *process) wait() {
	defer close(p.done)
	p.err = p.cmd.Wait()
	killGroup(p.cmd)
	// Only what has left the group can still hold the pipe open.
	_ = p.out.SetReadDeadline(time.Now().Add(drain))
}

// why is how the process ended, if that explains err: an answer that it gave, or
// none, explains itself.
func (p *process) why(err error) error {
	var answer *jsonrpc.Error
	if errors.As(err, &answer) && !ours(answer.Code) || errors.Is(err, context.DeadlineExceeded) || !p.gone() {
		return err
	}
	// It may also have ended because we let go of it. Its status tells less then.
	return cmp.Or(p.err, failf("it ended, or has something else than MCP messages in its output"))
}

func (p *process) kill() {
	killGroup(p.cmd)
	p.in.Close()
	p.out.Close()
}

// end asks the process to end: by closing its input, by a signal, by force. It
// returns once the process is gone.
func (p *process) end() {
	p.in.Close()
	if !p.gone() {
		endGroup(p.cmd)
		if !p.gone() {
			killGroup(p.cmd)
		}
	}
	<-p.done
	p.out.Close()
}

func (p *process) gone() bool {
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		return false
	}
}

// promptly gives up on a process that does not read its input.
type promptly struct{ *os.File }

func (w promptly) Write(b []byte) (int, error) {
	_ = w.SetWriteDeadline(time.Now().Add(writing))
	return w.File.Write(b)
}
