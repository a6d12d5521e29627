package sqlite

import (
	"os"
	"syscall"
)

// diskSpace returns how many bytes the disk of a folder has, and how many of them are free.
func diskSpace(dir string) (size, free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Blocks == 0 {
		return 0, 0, false
	}
	return int64(s.Blocks) * s.Bsize, int64(s.Bavail) * s.Bsize, true
}

// allocate makes a file take so many bytes of its disk.
func allocate(f *os.File, bytes int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, bytes) }
