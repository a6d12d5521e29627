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
