package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"candor/agent"
)

const (
	shellLimit  = 2 * time.Minute
	shellOutput = 64 << 10    // bytes kept of each stream
	shellLinger = time.Second // for what a command leaves behind to let go of its output
)

// shellEnviron is what a command gets of our environment; the rest may be secret.
var shellEnviron = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR"}

type shellArgs struct {
	Command string `json:"command" jsonschema:"what to run, in the language of sh; it starts in the workspace folder"`
}

type shellResult struct {
	ExitCode  int    `json:"exit_code"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated string `json:"truncated,omitempty"`
}

// Shell returns the tool shell, which runs commands with sh in dir. It is not
// part of [Builtin]: a command may do whatever our user may, dir is only where it
// starts. So a person is asked about each call.
//
// A command has no input, sees PATH, HOME and a few more harmless variables of
// our environment, and may take two minutes; [Timeout] makes that less. It runs in
// a process group of its own, which is killed when its context ends and also
// when the command itself is done, so nothing stays behind but what made itself
// a session of its own. (On Windows only sh itself is killed.) Of each output
// 64 KiB are kept, the beginning and the end. A command that fails is a result
// with its exit code, not an error; -1 is one that a signal ended.
func Shell(dir string) agent.Tool {
	t := New("shell", "Runs a command with sh in the workspace folder and returns its exit code and output.",
		func(ctx context.Context, in shellArgs) (shellResult, error) { return runShell(ctx, dir, in) })
	return Timeout(Asking(t, agent.ApprovalAlways), shellLimit)
}

func runShell(ctx context.Context, dir string, in shellArgs) (shellResult, error) {
	if strings.TrimSpace(in.Command) == "" || strings.ContainsRune(in.Command, 0) {
		return shellResult{}, errors.New("there is no command to run")
	}
	var stdout, stderr clipped
	cmd := exec.CommandContext(ctx, "sh", "-c", in.Command)
	cmd.Dir, cmd.Env = dir, shellEnv(os.Environ())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = shellLinger
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	err := cmd.Run()
	if cmd.Process != nil {
		_ = killGroup(cmd) // what the command left running in the background
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return shellResult{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return shellResult{}, errors.New("there is no sh on this machine to run commands with")
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return shellResult{}, fmt.Errorf("the command could not be run: %w", err)
	}
	return shellResult{
		ExitCode: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String(),
		Truncated: strings.TrimSpace(stdout.note("stdout") + " " + stderr.note("stderr")),
	}, nil
}

func shellEnv(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains(shellEnviron, name)
	})
}

// clipped keeps the beginning and the end of what is written to it: what a
// command says first and last tells most.
type clipped struct {
	head, tail []byte
	written    int
}

func (c *clipped) Write(b []byte) (int, error) {
	const half = shellOutput / 2
	n := len(b)
	c.written += n
	if room := half - len(c.head); room > 0 {
		taken := min(room, len(b))
		c.head, b = append(c.head, b[:taken]...), b[taken:]
	}
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*half { // now and then, not each time
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-half:]...)
	}
	return n, nil
}

// parts are what is kept. Where something is missing between them they end and
// begin with whole words: half a credential would not be known for one.
func (c *clipped) parts() (head, tail string) {
	const half = shellOutput / 2
	head, tail = string(c.head), string(c.tail)
	if c.written <= shellOutput {
		return head, tail
	}
	tail = tail[len(tail)-half:]
	if at := strings.LastIndexAny(head, " \t\n"); at >= 0 {
		head = head[:at+1]
	}
	if at := strings.IndexAny(tail, " \t\n"); at >= 0 {
		tail = tail[at:]
	}
	return head, tail
}

func (c *clipped) missing() int {
	head, tail := c.parts()
	return c.written - len(head) - len(tail)
}

func (c *clipped) String() string {
	head, tail := c.parts()
	if c.missing() == 0 {
		return valid(head + tail)
	}
	return valid(head) + fmt.Sprintf("\n[%d bytes left out]\n", c.missing()) + valid(tail)
}

func (c *clipped) note(name string) string {
	if c.missing() == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes of %s left out.", c.missing(), name)
}
