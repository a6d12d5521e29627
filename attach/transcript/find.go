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
	// It is a pipe or a device, which may have no end, or nobody who writes.
	special bool
}

// ErrNoFiles is the error for a place that has no session files.
var ErrNoFiles = errors.New("there are no session files")

// search finds session files.
type search struct {
	list []found
	// closed are the folders that could not be read, and why.
	closed map[string]error
	// walk is filepath.WalkDir, but where a test has a disk that refuses.
	walk func(root string, fn fs.WalkDirFunc) error
}

// find finds the session files of places, those that were changed first before the others.
func (s *search) find(places []string) error {
	for _, place := range places {
		if err := s.in(place); err != nil {
			return err
		}
	}
	// A fork is younger than the session it was made of, which therefore has its rows first.
	slices.SortStableFunc(s.list, func(a, b found) int { return a.time.Compare(b.time) })
	return nil
}

// in adds the session files of a place: a file, whatever its name, with those of its sub-agents; or a folder, or
// the folder of a format in it, with all files below it that are of a format. Links are not followed.
func (s *search) in(place string) error {
	info, err := os.Stat(place)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		s.list = append(s.list, found{place, info.Size(), info.ModTime(), !info.Mode().IsRegular()})
		folder := strings.TrimSuffix(place, ".jsonl")
		if _, err := os.Stat(folder); err != nil || folder == place {
			return nil
		}
		// The files of sub-agents stand in a folder named like the session.
		place = folder
	}
	// OpenCode keeps a great many files of other kinds beside its database.
	database := filepath.Join(place, databaseName)
	if info, err := os.Stat(database); err == nil && info.Mode().IsRegular() {
		s.list = append(s.list, found{database, info.Size(), info.ModTime(), false})
		return nil
	}
	whole := true
	for _, f := range formats {
		// A program's folder has more than its sessions, so that of each format only its own folder is read.
		if folder := filepath.Join(place, f.folder); isFolder(folder) {
			whole = false
			if err := s.files(folder, f.is); err != nil {
				return err
			}
		}
	}
	if !whole {
		return nil
	}
	return s.files(place, func(path string) bool {
		_, ok := formatOf(path)
		return ok || isDatabase(path)
	})
}

// files adds those files below a folder that are session files. A folder that is closed to us is left out, with all
// that is in it, and kept in closed, so that whoever asked hears of it. What has gone since its folder was read is
// left out without a word: programs delete their old sessions while we look.
func (s *search) files(place string, is func(path string) bool) error {
	return s.walk(place, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has just gone
			return nil
		case errors.Is(err, fs.ErrPermission):
			s.closed[path] = err
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular() || !is(path):
			return nil
		case len(s.list) == maxFiles:
			return fmt.Errorf("%s has more than %d session files: name a folder in it", place, maxFiles)
		}
		if info, err := d.Info(); err == nil { // else it has just gone
			s.list = append(s.list, found{path, info.Size(), info.ModTime(), false})
		}
		return nil
	})
}

// isFolder reports whether there is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
