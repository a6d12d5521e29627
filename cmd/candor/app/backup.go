package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"candor/session/journal/backup"
	"candor/session/journal/sqlite"
)

// This file joins package backup with the storages that --data and --nats name. To let another engine be backed
// up, give it a branch in Backup and one in Restore: the first needs a [backup.Source] that does not disturb
// the server, the second an engine without sessions and a way to show all of them at once.

// BackupSettings say which storage is backed up or restored.
type BackupSettings struct {
	Storage StorageSettings
	KeyFile string // the file of the deployment's key; "" means that in the folder of --data
	Salvage bool   // of damaged sessions take what is whole
	NoKeys  bool   // leave the key and the token out of the backup
}

// A backup has more than the sessions: without the key of the deployment, sealed reasoning cannot be read, and logins
// and the tokens of jobs are worth nothing. So the key goes with it, unless the caller does not want that.

// The items of a backup, which are also the names of their files in the folder of --data.
const (
	itemKey   = "key"
	itemToken = "token"
)

// ErrIncomplete means that a backup was written and lacks damaged sessions, which its report names.
var ErrIncomplete = errors.New("the backup is complete except for the damaged sessions")

// check refuses settings without a storage, or with two.
func (s BackupSettings) check() error {
	if s.Storage.Dir == "" && s.Storage.NATS.URL == "" {
		return errors.New("name the storage: --data DIR or --nats URL")
	}
	return s.Storage.check()
}

// Backup writes a backup of the storage to w, beside the server that uses it. It fails with ErrIncomplete if
// damaged sessions are missing in it; it logs what is known of the damage.
func (s BackupSettings) Backup(ctx context.Context, w io.Writer, log *slog.Logger) (r backup.Report, err error) {
	if err := s.check(); err != nil {
		return r, err
	}
	items, err := s.items()
	if err != nil {
		return r, err
	}
	made := backup.Created{At: time.Now(), Engine: "NATS JetStream"}
	if s.Storage.NATS.URL != "" {
		c, err := openCluster(s.Storage.NATS, log)
		if err != nil {
			return r, err
		}
		r, err = s.write()(ctx, w, c.Engine, made, items)
		return r, errors.Join(incomplete(r, nil, log), err, c.Close())
	}
	made.Engine = "SQLite"
	open := sqlite.OpenToRead
	if s.Salvage {
		open = sqlite.OpenDamaged
	}
	from, err := open(s.Storage.Dir)
	if err != nil {
		return r, err
	}
	r, err = s.write()(ctx, w, from, made, items)
	return r, errors.Join(incomplete(r, from.Warnings(), log), err, from.Close())
}

// write returns how the sessions are written.
func (s BackupSettings) write() func(
	context.Context, io.Writer, backup.Source, backup.Created, []backup.Item,
) (backup.Report, error) {
	if s.Salvage {
		return backup.Salvage
	}
	return backup.Write
}

// incomplete logs what a backup lacks, and returns ErrIncomplete if that is anything. The names of users are left
// out, as everywhere in the log.
func incomplete(r backup.Report, warnings []string, log *slog.Logger) error {
	for _, warning := range warnings {
		log.Warn("storage", "found", warning)
	}
	for _, one := range r.LeftOut {
		log.Warn("session left out", "session", one.Session, "reason", one.Reason)
	}
	for _, one := range r.Lost {
		log.Warn("events lost", "session", one.Session, "reason", one.Reason)
	}
	if len(warnings)+len(r.LeftOut)+len(r.Lost) > 0 {
		return ErrIncomplete
	}
	return nil
}

// items returns the key and the token of the deployment, as far as it has any. A file that was named has to be there;
// the folder may lack them, if another --key-file and --tokens were always given.
func (s BackupSettings) items() (all []backup.Item, err error) {
	if s.NoKeys {
		return nil, nil
	}
	for name, file := range s.itemFiles() {
		content, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) && file != s.KeyFile {
			continue // the folder was never served from
		}
		if err != nil {
			return nil, err
		}
		all = append(all, backup.Item{Name: name, Content: content})
	}
	return all, nil
}

// itemFiles returns where the key and the token are, by the names of their items.
func (s BackupSettings) itemFiles() map[string]string {
	files := map[string]string{}
	if s.Storage.Dir != "" {
		files[itemKey] = filepath.Join(s.Storage.Dir, itemKey)
		files[itemToken] = filepath.Join(s.Storage.Dir, itemToken)
	}
	if s.KeyFile != "" {
		files[itemKey] = s.KeyFile
	}
	return files
}

// Restore checks a backup and puts it into a storage that has no sessions. It changes nothing before all of the
// backup is checked. A folder is there as a whole or not at all; in NATS nobody is served a part of a session.
// A storage with sessions is refused, since the logs of one user cannot be joined.
func (s BackupSettings) Restore(ctx context.Context, r io.ReadSeeker, log *slog.Logger) (c backup.Contents, err error) {
	if err := s.check(); err != nil {
		return c, err
	}
	if s.Storage.NATS.URL == "" {
		return s.restoreFolder(ctx, r)
	}
	if c, err = backup.Verify(ctx, r); err != nil { // before streams are made
		return c, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return c, err
	}
	cluster, err := openCluster(s.Storage.NATS, log)
	if err != nil {
		return c, err
	}
	c, err = backup.Restore(ctx, r, backup.Target{Engine: cluster.Engine, EntriesLast: true})
	if err != nil && !errors.Is(err, backup.ErrNotEmpty) {
		err = fmt.Errorf("%w; the partial restore is not served: delete the streams, or restore with another "+
			"--nats-name", err)
	}
	if err == nil {
		err = s.putItems(c.Items, "")
	}
	return c, errors.Join(err, cluster.Close())
}

// restoreFolder makes the folder of --data beside its place, and moves it there when it is whole. A draft that could
// not be finished is removed. Frames are not synced one by one, since nobody is answered before all of them are there:
// closing the engine syncs.
func (s BackupSettings) restoreFolder(ctx context.Context, r io.ReadSeeker) (c backup.Contents, err error) {
	// A link stays one, and what it names gets the sessions.
	dir, err := filepath.EvalSymlinks(s.Storage.Dir)
	if target, _ := os.Readlink(s.Storage.Dir); err != nil && target != "" {
		return c, fmt.Errorf("%s is a link to %s, which cannot be followed: %w", s.Storage.Dir, target, err)
	} else if err != nil {
		dir = filepath.Clean(s.Storage.Dir)
	}
	if there, err := os.ReadDir(dir); len(there) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, errors.Join(err, fmt.Errorf("%s must be empty or not exist: %w", dir, backup.ErrNotEmpty))
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return c, err
	}
	// Beside its place, so that the two are on one disk and the draft can be renamed.
	draft, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".restore-*")
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(draft)) }()
	engine, err := sqlite.Open(draft, sqlite.Options{Sync: sqlite.Interval})
	if err != nil {
		return c, err
	}
	c, err = backup.Restore(ctx, r, backup.Target{Engine: engine})
	if err = errors.Join(err, engine.Close()); err != nil {
		return c, err
	}
	if err := s.putItems(c.Items, draft); err != nil {
		return c, err
	}
	// Remove fails for a folder that is not empty, so what somebody put there meanwhile stays.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err // somebody has put something into it
	}
	return c, os.Rename(draft, dir)
}

// putItems writes the key and the token of a backup: into the folder, if there is one, and the key to --key-file. A
// file that is there stays as it is. Items of other names are left alone, since a name is a part of a path.
func (s BackupSettings) putItems(items []backup.Item, folder string) error {
	for _, i := range items {
		file := filepath.Join(folder, i.Name)
		if i.Name == itemKey && s.KeyFile != "" {
			file = s.KeyFile
		} else if folder == "" || i.Name != itemKey && i.Name != itemToken {
			continue
		}
		// Another key of the same name may have sealed what is nowhere else, so it is never overwritten.
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(i.Content)
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
