package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// dataFiles are what a folder of --data may have before the first sessions are in it, besides what serve puts there. A
// file system has lost+found in its root.
var dataFiles = []string{"key", "token", "lock", "witness", "lost+found"}

// checkDataFolder refuses a folder for --data that others can write, since whoever can exchange its files decides what
// the server knows and who may log in; and one that is in use for something else, such as a person's home.
func checkDataFolder(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil // it is made, or refused, where sessions are opened
	}
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if user, _, known := ownerOf(info); known {
		if mode := info.Mode().Perm(); mode&0o022 != 0 {
			return fmt.Errorf("--data: others can write to the folder %s, whose mode is %04o; run chmod go-w %[1]s, "+
				"or name a new folder in it", dir, mode)
		}
		if user != 0 && user != os.Geteuid() {
			return fmt.Errorf("--data: the folder %s belongs to another user; name one of your own", dir)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "candor.db")); err == nil {
		return nil
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	for _, one := range there {
		if !slices.Contains(dataFiles, one.Name()) {
			return fmt.Errorf("--data: the folder %s has no sessions and is in use for something else: it has %q; "+
				"name an empty or a new folder", dir, one.Name())
		}
	}
	return nil
}
