package tool

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// StateFolder is the name of the folder in which Candor keeps tokens. File tools refuse a
// folder of this name anywhere in the workspace, in any case, and everything below it.
const StateFolder = ".candor"

// maxPrivate bounds the entries of private folders that are compared with an opened file.
const maxPrivate = 10_000

// privatePaths are files and folders whose contents no file tool shows, such as the
// server's tokens. A file is refused if it is the same file as one of them, or as one below
// a private folder, so that neither a link nor another spelling of a path leads to it.
type privatePaths []string

// privateIn returns the private paths of a workspace: those given and its state folder.
// They are absolute where possible, so that they hold if the working directory changes.
func privateIn(root *os.Root, given []string) privatePaths {
	var all privatePaths
	for _, p := range append([]string{filepath.Join(root.Name(), StateFolder)}, given...) {
		if full, err := filepath.Abs(p); err == nil {
			p = full
		}
		all = append(all, p)
	}
	return all
}

// refusal returns the error for a private file or folder.
func refusal(at location) error {
	return fmt.Errorf("%s is private: it has tokens or settings of Candor itself, which no file tool opens", at.name)
}

// identities returns what the private paths are at this moment: the files, the folders,
// and everything below the folders. Paths that do not exist are left out.
func (p privatePaths) identities() []fs.FileInfo {
	var all []fs.FileInfo
	for _, name := range p {
		if actual, err := filepath.EvalSymlinks(name); err == nil {
			name = actual // a walk does not descend into a link
		}
		_ = filepath.WalkDir(name, func(at string, _ fs.DirEntry, err error) error {
			if len(all) == maxPrivate {
				return fs.SkipAll
			}
			// A link to a file makes that file private. A link to a folder does not, since
			// the folder could be the workspace itself.
			info, statErr := os.Stat(at)
			link, linkErr := os.Lstat(at)
			if statErr == nil && linkErr == nil && (at == name || !info.IsDir() || link.IsDir()) {
				all = append(all, info)
			}
			if err != nil {
				return fs.SkipDir // a folder that cannot be read
			}
			return nil
		})
	}
	return all
}

// isPrivate reports whether info is one of the identities.
func isPrivate(info fs.FileInfo, identities []fs.FileInfo) bool {
	for _, other := range identities {
		if os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// inStateFolder reports whether a path with slashes is a state folder or leads into one.
func inStateFolder(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, StateFolder) {
			return true
		}
	}
	return false
}

// linksIntoStateFolder reports whether a path of the workspace leads into a state folder
// once its links are followed. It is false for a path that does not exist.
func (w workspace) linksIntoStateFolder(p string) bool {
	base, err := filepath.EvalSymlinks(w.root.Name())
	if err != nil {
		return false
	}
	actual, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(p)))
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(base, actual)
	return err == nil && inStateFolder(filepath.ToSlash(inside))
}
