package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// workspace is the folder that the file tools see. Its root refuses every path that leads
// out of it; the checks of paths here only produce better error messages. What is private
// is refused although it lies in the workspace.
type workspace struct {
	root    *os.Root
	private privatePaths
}

// maxNamed is the length in bytes up to which an error message repeats a path.
const maxNamed = 1024

// location is a file or folder of the workspace that a model named.
type location struct {
	path string // clean, with slashes, relative to the workspace, which is "." itself
	name string // the path as error messages show it
}

// locate returns the location that a model's path leads to.
func locate(given string) (location, error) {
	at := location{path: path.Clean(strings.TrimSpace(given)), name: displayName(given)}
	switch {
	case strings.ContainsRune(given, 0):
		return at, fmt.Errorf("%s is not a path: it contains a NUL character", at.name)
	case path.IsAbs(at.path) || filepath.IsAbs(at.path):
		return at, fmt.Errorf(
			"%s is an absolute path; give one relative to the workspace, such as docs/notes.md", at.name)
	case !filepath.IsLocal(filepath.FromSlash(at.path)):
		return at, fmt.Errorf("%s leads out of the workspace; only what is inside can be read", at.name)
	}
	return at, nil
}

// displayName returns a path for error messages: quoted, as the model wrote it apart from
// surrounding white space. A clean path would hide secrets from the leak detector, which
// finds the password in postgres://user:password@host but not in postgres:/user:password@host.
// For the same reason a path longer than maxNamed is not cut but replaced by its length.
func displayName(given string) string {
	switch name := strings.TrimSpace(given); {
	case name == "":
		return `"."`
	case len(name) > maxNamed:
		return fmt.Sprintf("path of %d bytes", len(name))
	default:
		return strconv.Quote(name)
	}
}

// stat returns the info of a file or folder that is not private. It follows links.
func (w workspace) stat(at location) (fs.FileInfo, error) {
	if inStateFolder(at.path) {
		return nil, refusal(at) // also if there is none
	}
	info, err := w.root.Stat(at.path)
	if err != nil {
		return nil, explain(at, err)
	}
	if w.linksIntoStateFolder(at.path) || isPrivate(info, w.private.identities()) {
		return nil, refusal(at)
	}
	return info, nil
}

// open opens a regular file that is not private. It refuses anything else, such as a pipe,
// whose content may never end.
func (w workspace) open(at location) (*os.File, fs.FileInfo, error) {
	if _, err := w.stat(at); err != nil {
		return nil, nil, err
	}
	f, info, err := w.openRegular(at)
	if err != nil {
		return nil, nil, err
	}
	// The path may lead to another file than it did for stat.
	if isPrivate(info, w.private.identities()) {
		f.Close()
		return nil, nil, refusal(at)
	}
	return f, info, nil
}

// openRegular opens a regular file, private or not, and never waits. What the path leads to
// is looked at before, since opening a device may have an effect, and again afterwards,
// since it may be another file by then.
func (w workspace) openRegular(at location) (*os.File, fs.FileInfo, error) {
	notRegular := fmt.Errorf("%s is not a regular file and cannot be read", at.name)
	info, err := w.root.Stat(at.path)
	if err != nil {
		return nil, nil, explain(at, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, notRegular
	}
	f, info, err := w.openNow(at)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, notRegular
	}
	return f, info, nil
}

// openFolder opens a folder, private or not, and never waits.
func (w workspace) openFolder(at location) (*os.File, fs.FileInfo, error) {
	f, info, err := w.openNow(at)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		f.Close()
		return nil, nil, fmt.Errorf("%s is no folder", at.name)
	}
	return f, info, nil
}

// openNow opens whatever a path leads to without waiting for the other end of a pipe.
func (w workspace) openNow(at location) (*os.File, fs.FileInfo, error) {
	f, err := w.root.OpenFile(at.path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, nil, explain(at, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, explain(at, err)
	}
	return f, info, nil
}

// explain returns an error of package os in words for the conversation. Its text contains
// no path but the name of the location.
func explain(at location, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("there is no %s in the workspace; file_list shows what there is", at.name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read: permission denied", at.name)
	}
	// The PathError itself would repeat the path as the system sees it.
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	// Package os does not export the error for this.
	if strings.Contains(err.Error(), "escapes") {
		return fmt.Errorf("%s leads out of the workspace; only what is inside can be read", at.name)
	}
	return fmt.Errorf("%s cannot be read: %w", at.name, err)
}

// sniff is the number of bytes by which text is distinguished from binary content.
const sniff = 8000

// binary reports whether content is not text. Like grep and git, it looks for a NUL byte.
func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniff)], 0) >= 0
}

// valid returns s with each run of invalid UTF-8 replaced by U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
