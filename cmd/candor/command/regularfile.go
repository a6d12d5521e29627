package command

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// errNotRegular is why a file of another program is neither read nor replaced.
var errNotRegular = errors.New("it is not a regular file, so that candor leaves it alone")

// openRegular opens a regular file. It fails for anything else, and waits for nobody: to open a pipe waits for its
// other end, and to open a device may do something.
func openRegular(name string, flag int) (*os.File, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	f, err := os.OpenFile(name, flag|nonBlocking, 0o600)
	if err != nil {
		return nil, err
	}
	// It may have become another one in between.
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: name, Err: errNotRegular})
	}
	return f, nil
}

// readRegular returns the content of a regular file; nil if there is no file, and never nil if there is one.
func readRegular(name string) ([]byte, error) {
	f, err := openRegular(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
