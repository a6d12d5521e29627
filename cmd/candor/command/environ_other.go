//go:build !linux

package command

// hideMemory does nothing here: there is no portable way. The processes that Candor starts
// get few variables of its environment, and none with a key, but on some systems a process
// may read the environment of others of the same user.
func hideMemory() error { return nil }
