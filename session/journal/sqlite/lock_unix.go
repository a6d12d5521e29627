//go:build unix

package sqlite

import (
	"errors"
	"os"
	"syscall"

	"candor/session/journal"
)

// The lock is the kernel's, so that nothing is left of it when a process is killed. The file has nothing in it.

// lockFile opens a file and locks it until it is closed or the process ends, however that ends. It fails with
// ErrLocked if another process, or this one, has it locked.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, journal.ErrLocked
		}
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return f, nil
}
