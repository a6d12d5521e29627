package secret

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// FileError says why a file with a secret cannot be used, and what to do. Its text has nothing of
// the file's content.
type FileError struct {
	File   string
	Reason error
	Remedy string
}

// Error names the file, the reason and the remedy.
func (e *FileError) Error() string { return fmt.Sprintf("%s: %v; %s", e.File, e.Reason, e.Remedy) }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Reason }

// maxFile is the length of the longest file that is read, in bytes.
const maxFile = 4096

// errNoToken says that a file of a token has none.
var errNoToken = errors.New("it holds no token")

// minToken is the length of the shortest token that TokenIn takes, in bytes.
const minToken = 16

// TokenIn returns the token of the local user in the server's folder, which it makes at the first
// start. The file has the mode 0600.
func TokenIn(folder string) (string, error) {
	file := filepath.Join(folder, "token")
	content, err := keep(file, rand.Text)
	if err != nil {
		return "", err
	}
	token := bytes.TrimSpace(content)
	if len(token) < minToken || bytes.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &FileError{File: file, Reason: errNoToken,
			Remedy: "remove it, and the server makes another, with which everybody has to sign in again"}
	}
	return string(token), nil
}

// keep returns the content of a file that only its owner may read. A file that is not there is made
// with a line that fresh returns. If several processes make it at once, all return what the first has written.
func keep(file string, fresh func() string) ([]byte, error) {
	content, err := read(file, 0o077)
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	if err := write(file, fresh()+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, &FileError{File: file, Reason: reasonOf(err), Remedy: "let the server write into its folder"}
	}
	return read(file, 0o077)
}

// write makes a file as a whole, or not at all: a process that is killed meanwhile leaves none that is
// cut off. It fails with fs.ErrExist if the file is there.
func write(file, content string) (err error) {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(folder, ".new-*") // with the mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(draft.Name())) }()
	_, err = draft.WriteString(content)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), file); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes the entries of a folder last, so that what was made with them is not lost in a crash.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such call
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// read returns the content of a file whose mode has none of the forbidden bits.
func read(file string, forbidden fs.FileMode) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &FileError{File: file, Reason: reasonOf(err), Remedy: "let the server's user read it"}
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, &FileError{File: file, Reason: reasonOf(err), Remedy: "let the server's user read it"}
	case !info.Mode().IsRegular():
		return nil, &FileError{File: file, Reason: errors.New("it is no file"), Remedy: "name a file"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&forbidden != 0:
		return nil, &FileError{File: file,
			Reason: fmt.Errorf("its mode is %04o, so others may read or change it", info.Mode().Perm()),
			Remedy: "if nobody has, run chmod 600 on it; otherwise replace it"}
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, &FileError{File: file, Reason: reasonOf(err), Remedy: "let the server's user read it"}
	}
	return content, nil
}

// reasonOf returns an error without the name of its file, which a [FileError] has already.
func reasonOf(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
