package sqlite

import (
	"fmt"
	"os"
	"path/filepath"

	"candor/session/journal"
)

// reserveFile takes room on the disk that is given up when there is no other, so that Candor can start, delete and
// stop on a full disk.
const reserveFile = "reserve"

// maxReserve is the size of the reserve on disks of 128 MiB or more. On a smaller one it is an eighth.
const maxReserve = 16 << 20

// DiskSize returns how many bytes the disk of a folder has that Candor can take: those that are free, and what is in
// the folder; 0 if that is unknown.
func DiskSize(dir string) int64 {
	_, free, _ := diskSpace(dir)
	if free == 0 {
		return 0
	}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			free += info.Size()
		}
	}
	return free
}

// reserve is the room that a folder holds back. Only the writer uses it.
type reserve struct {
	dir  string
	size int64 // 0 if nothing is known of the disk
	held bool
}

// newReserve returns the reserve of a folder. It is given up first: a start needs room, too.
func newReserve(dir string) (*reserve, error) {
	size, _, _ := diskSpace(dir)
	r := &reserve{dir: dir, size: min(maxReserve, size/8)}
	return r, r.release()
}

// log returns how long the write-ahead log may become, so that the reserve has room for what is deleted.
func (r *reserve) log() int {
	if r.size == 0 {
		return maxLog
	}
	return min(maxLog, int(r.size/4))
}

// release gives the room up.
func (r *reserve) release() error {
	r.held = false
	return os.RemoveAll(filepath.Join(r.dir, reserveFile))
}

// hold takes the room, if as much again stays free.
func (r *reserve) hold() error {
	_, free, _ := diskSpace(r.dir)
	if r.held || r.size == 0 {
		return nil
	}
	if free < r.size+r.size/2 {
		return r.full(free)
	}
	f, err := os.OpenFile(filepath.Join(r.dir, reserveFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := allocate(f, r.size); err != nil {
		_ = r.release()
		return r.full(free)
	}
	r.held = true
	return nil
}

// admit returns why so many bytes may not be recorded now, nil if they may. unused are the bytes of the database that
// can be used again.
func (r *reserve) admit(need int64, unused func() int64) error {
	if r.size == 0 {
		return nil
	}
	if err := r.hold(); err != nil {
		return err
	}
	_, free, known := diskSpace(r.dir)
	least := r.size/2 + 2*need
	if known && (free < least || free < 2*least && free+unused() < 2*least) {
		return r.full(free)
	}
	return nil
}

func (r *reserve) full(free int64) error {
	return fmt.Errorf("%w: %s has %d bytes left beside the %d that are held back for starting, deleting and stopping. "+
		"Until there are more, conversations can be read and deleted only", journal.ErrDiskFull, r.dir, free, r.size)
}
