// Package process starts commands in a process group of their own and ends the whole
// group, so that nothing that a command has started outlives it.
//
// The shell tool (package tool) and the stdio servers (package mcp) both use it:
//
//	cmd := exec.CommandContext(ctx, "sh", "-c", script)
//	process.NewGroup(cmd)
//	cmd.Cancel = func() error { return process.KillGroup(cmd) }
//
// On systems other than Unix the package uses no process groups: the functions then
// affect only the command itself, and processes that it started may stay behind. On
// Unix, too, a process that makes itself the leader of another group or session
// escapes.
package process
