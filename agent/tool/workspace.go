package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// workspace is the folder that the file tools see. Its root refuses every path that leads
// out of it; the checks of paths here only produce better error messages.
type workspace struct{ root *os.Root }

// locate returns a path that a model wrote as a clean path relative to the workspace,
// which is "." itself.
func locate(given string) (string, error) {
	p := path.Clean(strings.TrimSpace(given))
	switch {
	case strings.ContainsRune(given, 0):
		return "", fmt.Errorf("%q is no path: it has a NUL character in it", given)
	case path.IsAbs(p) || filepath.IsAbs(p):
		return "", fmt.Errorf(
			"%q is an absolute path; give one relative to the workspace, such as docs/notes.md", given)
	case !filepath.IsLocal(filepath.FromSlash(p)):
		return "", fmt.Errorf("%q leads out of the workspace; only what is inside can be read", given)
	}
	return p, nil
}

// stat returns the info of a file or folder. It follows links.
func (w workspace) stat(p string) (fs.FileInfo, error) {
	info, err := w.root.Stat(p)
	if err != nil {
		return nil, explain(p, err)
	}
	return info, nil
}

// open opens a regular file. It refuses anything else, such as a pipe, whose content may
// never end.
func (w workspace) open(p string) (*os.File, fs.FileInfo, error) {
	info, err := w.stat(p)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%q is not a regular file and cannot be read", p)
	}
	f, err := w.root.Open(p)
	if err != nil {
		return nil, nil, explain(p, err)
	}
	return f, info, nil
}

// explain returns an error of package os in words for the conversation. Its text contains
// no path but p.
func explain(p string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("there is no %q in the workspace; file_list shows what there is", p)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q may not be read: permission denied", p)
	}
	// The PathError itself would repeat the path as the system sees it.
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	// Package os does not export the error for this.
	if strings.Contains(err.Error(), "escapes") {
		return fmt.Errorf("%q leads out of the workspace; only what is inside can be read", p)
	}
	return fmt.Errorf("%q cannot be read: %w", p, err)
}

// sniff is the number of bytes by which text is distinguished from binary content.
const sniff = 8000

// binary reports whether content is not text. Like grep and git, it looks for a NUL byte.
func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniff)], 0) >= 0
}

// valid returns s with each run of invalid UTF-8 replaced by U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
