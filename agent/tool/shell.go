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
	"candor/agent/tool/internal/process"
)

const (
	shellTimeout   = 2 * time.Minute
	shellOutput    = 64 << 10    // bytes kept of each output stream
	shellWaitDelay = time.Second // how long a command's children may keep its output open
)

// shellEnviron are the variables that a command gets of our environment. The others may
// contain secrets.
var shellEnviron = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR"}

// shellArgs are the arguments of shell.
type shellArgs struct {
	Command string `json:"command" jsonschema:"what to run, in the language of sh; it starts in the workspace folder"`
}

// shellResult is the result of shell. Truncated says how much of which stream is missing.
type shellResult struct {
	ExitCode  int    `json:"exit_code"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated string `json:"truncated,omitempty"`
}

// Shell returns the tool shell, which runs commands with sh in dir. It is not part of
// [Builtin]: a command may do whatever the server's user may do, and dir is only where it
// starts. Each call therefore needs a person's approval.
//
// A command has no input, sees PATH, HOME and a few other harmless variables of our
// environment, and may take two minutes; [WithTimeout] shortens that. It runs in a process
// group of its own, which is killed when the context or the command ends, so that only
// processes in a session of their own outlive it. (On Windows only sh itself is killed.)
// The tool returns the beginning and the end of each output stream, up to 64 KiB. A failed
// command is a result with its exit code, not an error; the code is -1 after a signal.
func Shell(dir string) agent.Tool {
	t := New("shell", "Runs a command with sh in the workspace folder and returns its exit code and output.",
		func(ctx context.Context, in shellArgs) (shellResult, error) { return runShell(ctx, dir, in) })
	return WithTimeout(WithApproval(t, agent.ApprovalAlways), shellTimeout)
}

// runShell runs one command to its end.
func runShell(ctx context.Context, dir string, in shellArgs) (shellResult, error) {
	if strings.TrimSpace(in.Command) == "" || strings.ContainsRune(in.Command, 0) {
		return shellResult{}, errors.New("there is no command to run")
	}
	var stdout, stderr clippedOutput
	cmd := exec.CommandContext(ctx, "sh", "-c", in.Command)
	cmd.Dir, cmd.Env = dir, shellEnv(os.Environ())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = shellWaitDelay
	process.NewGroup(cmd)
	cmd.Cancel = func() error { return process.KillGroup(cmd) }
	err := cmd.Run()
	if cmd.Process != nil {
		_ = process.KillGroup(cmd) // ends what the command left running in the background
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
		Truncated: strings.TrimSpace(stdout.describeMissing("stdout") + " " + stderr.describeMissing("stderr")),
	}, nil
}

// shellEnv returns the variables of an environment that a command may see.
func shellEnv(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains(shellEnviron, name)
	})
}

// clippedOutput is a writer that keeps the beginning and the end of a command's output,
// shellOutput bytes in all, since these usually say most. It never fails.
type clippedOutput struct {
	head, tail []byte
	written    int
}

// Write implements io.Writer.
func (c *clippedOutput) Write(b []byte) (int, error) {
	const half = shellOutput / 2
	n := len(b)
	c.written += n
	if free := half - len(c.head); free > 0 {
		taken := min(free, len(b))
		c.head, b = append(c.head, b[:taken]...), b[taken:]
	}
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*half { // trim rarely, not on each write
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-half:]...)
	}
	return n, nil
}

// parts returns the stored beginning and end of the output. If output between them is
// missing, both are cut between words: half of a credential would not be recognized and
// redacted later.
func (c *clippedOutput) parts() (head, tail string) {
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

// missing returns the number of bytes between the two parts.
func (c *clippedOutput) missing() int {
	head, tail := c.parts()
	return c.written - len(head) - len(tail)
}

// String returns the output, with a mark where bytes are missing.
func (c *clippedOutput) String() string {
	head, tail := c.parts()
	if c.missing() == 0 {
		return valid(head + tail)
	}
	return valid(head) + fmt.Sprintf("\n[%d bytes left out]\n", c.missing()) + valid(tail)
}

// describeMissing says how much of the named stream is missing, or returns "".
func (c *clippedOutput) describeMissing(name string) string {
	if c.missing() == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes of %s left out.", c.missing(), name)
}
