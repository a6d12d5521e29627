package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxFiles bounds the session files of a walk.
const maxFiles = 50_000

// found is a session file as the walk found it.
type found struct {
	path string
	size int64
	// When it was changed last. A file with the same size and time is not looked at again.
	time time.Time
}

// ErrNoFiles is the error for a place that has no session files.
var ErrNoFiles = errors.New("there are no session files")

// find returns the session files of places, those that were changed first before the others.
func find(places []string) (list []found, err error) {
	for _, place := range places {
		if list, err = findIn(list, place); err != nil {
			return nil, err
		}
	}
	// A fork is younger than the session it was made of, which therefore has its rows first.
	slices.SortStableFunc(list, func(a, b found) int { return a.time.Compare(b.time) })
	return list, nil
}

// findIn adds the session files of a place: a file, whatever its name, with those of its sub-agents; or a folder, or
// the folder of a format in it, with all files below it that are of a format. Links are not followed.
func findIn(list []found, place string) ([]found, error) {
	info, err := os.Stat(place)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		list = append(list, found{place, info.Size(), info.ModTime()})
		folder := strings.TrimSuffix(place, ".jsonl")
		if _, err := os.Stat(folder); err != nil || folder == place {
			return list, nil
		}
		// The files of sub-agents stand in a folder named like the session.
		place = folder
	}
	// OpenCode keeps a great many files of other kinds beside its database.
	database := filepath.Join(place, databaseName)
	if info, err := os.Stat(database); err == nil && info.Mode().IsRegular() {
		return append(list, found{database, info.Size(), info.ModTime()}), nil
	}
	whole := true
	for _, f := range formats {
		// A program's folder has more than its sessions, so that of each format only its own folder is read.
		if folder := filepath.Join(place, f.folder); isFolder(folder) {
			whole = false
			if list, err = findFiles(list, folder, f.is); err != nil {
				return list, err
			}
		}
	}
	if !whole {
		return list, nil
	}
	return findFiles(list, place, func(path string) bool {
		_, ok := formatOf(path)
		return ok || isDatabase(path)
	})
}

// findFiles adds those files below a folder that are session files.
func findFiles(list []found, place string, is func(path string) bool) ([]found, error) {
	err := filepath.WalkDir(place, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return skipUnreadable(err)
		}
		if !is(path) {
			return nil
		}
		if len(list) == maxFiles {
			return fmt.Errorf("%s has more than %d session files: name a folder in it", place, maxFiles)
		}
		if info, err := d.Info(); err == nil { // else it has just gone
			list = append(list, found{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	return list, err
}

// skipUnreadable returns an error of a walk, but for folders that are gone or closed to us.
func skipUnreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// isFolder reports whether there is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
