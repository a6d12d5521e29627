//go:build unix

package command

import (
	"io/fs"
	"syscall"
)

// nonBlocking makes opening a pipe return at once, instead of when somebody opens its other end.
const nonBlocking = syscall.O_NONBLOCK

// ownerOf returns the ids of a file's owner and group.
func ownerOf(info fs.FileInfo) (user, group int, known bool) {
	s, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(s.Uid), int(s.Gid), true
}
