//go:build !unix

package process

import "os/exec"

// NewGroup does nothing here.
func NewGroup(*exec.Cmd) {}

// TerminateGroup kills the command, since there is no gentler way here.
func TerminateGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// KillGroup kills the command, but not the processes that it has started.
func KillGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
