package sqlite

import (
	"errors"
	"os"
	"syscall"

	"candor/session/journal"
)

// sharingViolation is the error of Windows for a file that somebody else has opened for themselves alone.
const sharingViolation = syscall.Errno(32)

// lockFile opens a file that nobody else can open until it is closed or the process ends, however that ends.
// It fails with ErrLocked if another process, or this one, has it open.
func lockFile(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const alone = 0 // shares neither reading nor writing nor deleting
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, journal.ErrLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}
