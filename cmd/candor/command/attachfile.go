package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file returns the settings that are changed: those of a folder that nobody shares, or the person's own. A link is
// followed, so that it stays one.
func (s attachSettings) file() string { return s.fileBeside("") }

// fileBeside returns a file of a name beside that of file, which it returns without one.
func (s attachSettings) fileBeside(other string) string {
	name := filepath.Join(s.program.folder(), s.program.personal)
	if s.project != "" {
		name = filepath.Join(s.project, s.program.project)
	}
	if other != "" {
		name = filepath.Join(filepath.Dir(name), other)
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// hasProject reports whether the folder of --project is there, if one is named. Its settings may be missing, and are
// made then; a folder that is missing is a typing error, and hooks in it would never run.
func (s attachSettings) hasProject() bool {
	if s.project == "" {
		return true
	}
	info, err := os.Stat(s.project)
	return err == nil && info.IsDir()
}

// writable fails for a file that is not the caller's own, or that somebody protected, and for a link to nothing, in
// whose place a file would come. The system asks nobody about them, since a file is replaced and not written: that is a
// matter of its folder alone, and the new file would have another owner.
func writable(name string) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(name)
		return fmt.Errorf("%s is a link to %s, which does not exist: nothing was changed. "+
			"Create that file, or remove the link", name, target)
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "change", Path: name, Err: errNotRegular}
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only: nothing was changed. Make it writable first", name)
	}
	if user, _, known := ownerOf(info); known && user != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user: nothing was changed. Run candor as its owner", name)
	}
	return nil
}

// unchanged fails if a file is no longer what was read of it, nil for no file: to answer takes a person's time, in
// which the program itself may write its settings.
func unchanged(name string, before []byte) error {
	now, err := readRegular(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) || (now == nil) != (before == nil) {
		return fmt.Errorf("%s was changed by somebody else meanwhile, and candor changed nothing. Run it again", name)
	}
	return nil
}

// replaceFile gives a file that is still what it was new content, all of it or none, and keeps its owner and mode. No
// content, nil, is no file.
func replaceFile(name string, before, after []byte) error {
	// Settings may have keys of other programs, so that a new file is its owner's alone.
	mode, folder, group := fs.FileMode(0o600), filepath.Dir(name), -1
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
		_, group, _ = ownerOf(info)
	}
	if err := writable(name); err != nil {
		return err
	}
	if after == nil {
		if err := unchanged(name, before); err != nil {
			return err
		}
		return os.Remove(name)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	// The program may read its settings at any moment, so the file is whole under its name at all times. A draft in the
	// same folder is on the same disk.
	draft, err := os.CreateTemp(folder, ".settings-*")
	if err != nil {
		return fmt.Errorf("%s: cannot create a file in the folder %s: %w", name, folder, withoutPath(err))
	}
	// Once it has the name it is no longer there under the other one.
	defer func() { _ = os.Remove(draft.Name()) }()
	_, failed := draft.Write(after)
	if made, err := draft.Stat(); err == nil && group >= 0 {
		if _, its, known := ownerOf(made); known && its != group {
			failed = errors.Join(failed, draft.Chown(-1, group))
		}
	}
	if err := errors.Join(failed, draft.Chmod(mode), draft.Sync(), draft.Close()); err != nil {
		return err
	}
	// To write the draft takes a while, in which the program may write, too.
	if err := unchanged(name, before); err != nil {
		return err
	}
	return os.Rename(draft.Name(), name)
}
