//go:build !unix

package tool

import "os/exec"

// Without process groups only the command itself can be killed.

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
