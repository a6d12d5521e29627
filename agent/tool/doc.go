// Package tool has the tools Candor brings along, and the way to write more:
// [New] makes a tool of a typed function, [Timeout] puts a limit on any tool.
//
// # What the built-in tools guarantee
//
// The file tools see one workspace folder and nothing else: they go through an
// os.Root, which refuses whatever leads out of it, symbolic links included. They
// read only, return a bounded amount, stop when their context ends, and give
// the same answer for the same files. Paths are relative to the workspace, with
// forward slashes; no error names the workspace's own place on the disk.
//
// The memory tools keep notes for each user apart, cleaned by a safety.Layer,
// and refuse when nobody said who the user is.
//
// [Shell] and [HTTPGet] reach further, so they are not part of [Builtin]: whoever
// wants them adds them, and says when they may run.
//
// Errors are written for whoever reads them in a conversation: what was wrong,
// with what, and what to do instead.
package tool
