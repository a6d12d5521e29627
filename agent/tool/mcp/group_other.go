//go:build !unix

package mcp

import "os/exec"

// Without process groups only the process itself can be ended.

func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) { killGroup(cmd) }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
