//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// NewGroup makes a command that has not been started the leader of a new process group.
// It replaces cmd.SysProcAttr.
func NewGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// TerminateGroup asks all processes of a started command's group to end, with SIGTERM.
func TerminateGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// KillGroup kills all processes of a started command's group. It may be called after the
// command itself has ended; it fails if no process of the group is left.
func KillGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
