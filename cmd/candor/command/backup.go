package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/cmd/candor/progress"
	"candor/cmd/candor/terminal"
	"candor/session/journal/backup"
)

// backupCommand returns candor backup: all sessions of a storage in one file.
//
// The file is made with the mode 0600 and gets its name when it is whole; it must not exist. What the command says goes
// to standard error, so that the backup itself can go to standard output.
//
// Exit status: 0 if all was written; 1 if nothing was, or if damaged sessions are missing in what was written.
func backupCommand() *cli.Command {
	var s app.BackupSettings
	return &cli.Command{
		Name: "backup", Usage: "back up all sessions in a storage to a file", ArgsUsage: "FILE",
		Description: helpText("backup"),
		Flags: append(backupFlags(&s), &cli.BoolFlag{Name: "salvage",
			Usage: "take what is whole of damaged sessions, and name what is lost", Destination: &s.Salvage,
		}, &cli.BoolFlag{Name: "no-keys",
			Usage: "leave out the key and the token of the server", Destination: &s.NoKeys}),
		Action: func(ctx context.Context, c *cli.Command) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			return writeBackup(ctx, s, file, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// restoreCommand returns candor restore: the sessions of a backup in a storage that has none.
//
// Exit status: 0 if all was restored; 1 if nothing was.
func restoreCommand(stdin io.Reader) *cli.Command {
	var s app.BackupSettings
	return &cli.Command{
		Name: "restore", Usage: "restore a backup into an empty storage", ArgsUsage: "FILE",
		Description: helpText("restore"),
		Flags:       backupFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			return restoreBackup(ctx, s, file, stdin, c.Root().ErrWriter)
		},
	}
}

// backupFlags binds the flags that say where sessions and the key are.
func backupFlags(s *app.BackupSettings) []cli.Flag {
	return append(natsFlags(&s.Storage.NATS), dataFlag(&s.Storage.Dir),
		&cli.StringFlag{Name: "key-file", Category: "Access", TakesFile: true,
			Usage:   "use the server's key in `FILE`, not in the folder of --data",
			Sources: cli.EnvVars("CANDOR_KEY_FILE"), Destination: &s.KeyFile})
}

// oneFile returns the command's only argument.
func oneFile(c *cli.Command) (string, error) {
	if c.Args().Len() != 1 {
		return "", misused("%s takes one file, or - for the standard stream; see candor %s --help", c.Name, c.Name)
	}
	return c.Args().First(), nil
}

// writeBackup writes a backup to a new file, or to stdout. A backup that lacks damaged sessions is kept, and said to be
// incomplete: it is better than none.
func writeBackup(ctx context.Context, s app.BackupSettings, file string, stdout, stderr io.Writer) error {
	bar := progress.Start(stderr, "backing up", 0)
	r, err := backup.Report{}, error(nil)
	if file == "-" {
		r, err = s.Backup(ctx, io.MultiWriter(stdout, bar), slog.New(slog.NewTextHandler(stderr, nil)))
	} else {
		err = asNewFile(file, func(w io.Writer) (err error) {
			r, err = s.Backup(ctx, io.MultiWriter(w, bar), slog.New(slog.NewTextHandler(stderr, nil)))
			return err
		})
	}
	bar.Done()
	if err == nil || errors.Is(err, app.ErrIncomplete) {
		fmt.Fprintf(stderr, "Backed up %s of %s.\n", contents(r), r.Created.Engine)
		if !s.NoKeys {
			fmt.Fprintln(stderr, "It contains conversations and the server's key: keep it as safe as the storage.")
		}
	}
	return err
}

// contents says what a backup has. The same words after a backup and after its restore let people compare them.
func contents(r backup.Report) string {
	return fmt.Sprintf("%d sessions with %d events, %d bytes,", r.Sessions, r.Events, r.Bytes)
}

// asNewFile writes a file that only its owner may read. It gets its name when it is whole, or lacks only what is
// damaged; before that it stands beside its place under another one.
func asNewFile(file string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s exists; name another file", file))
	}
	// A draft in the same folder is on the same disk, so that it can get the name without being copied.
	draft, err := os.CreateTemp(filepath.Dir(file), ".candor-backup-*") // with the mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(draft.Name())) }()
	failed := write(draft)
	// Synced before it has the name, so that a file of that name is whole even if the machine fails.
	err = errors.Join(draft.Sync(), draft.Close())
	if err != nil || failed != nil && !errors.Is(failed, app.ErrIncomplete) {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, os.Link(draft.Name(), file))
}

// restoreBackup restores a file, or what stdin has.
func restoreBackup(ctx context.Context, s app.BackupSettings, file string, stdin io.Reader, stderr io.Writer) error {
	bar := progress.Start(stderr, "restoring", 0)
	in, drop, err := seekable(file, stdin, s.Storage.Dir)
	if err != nil {
		bar.Done()
		return err
	}
	c, err := s.Restore(ctx, in, slog.New(slog.NewTextHandler(stderr, nil)))
	bar.Done()
	if err = errors.Join(err, drop()); err != nil {
		return err
	}
	// What the file says of itself may have been written by anybody, so it is cleaned for the terminal.
	made := c.Report.Created
	fmt.Fprintf(stderr, "Restored %s of %s, backed up %s.\n", contents(c.Report),
		terminal.CleanLine(made.Engine), made.At.Format("2006-01-02 15:04:05 MST"))
	if s.Storage.Dir == "" && s.KeyFile == "" && len(c.Items) > 0 {
		fmt.Fprintln(stderr, "The server's key was not restored; to restore it, add --key-file FILE.")
	}
	for _, one := range c.Report.LeftOut {
		fmt.Fprintln(stderr, "Not in the backup, because it was damaged:", terminal.CleanLine("session "+one.Session))
	}
	return nil
}

// seekable opens a file. What stdin has is copied first, since a backup is read twice: beside the folder of --data,
// where there has to be room for it anyway. drop closes the file and removes the copy.
func seekable(file string, stdin io.Reader, dir string) (in *os.File, drop func() error, err error) {
	if file != "-" {
		in, err = os.Open(file)
		return in, in.Close, err
	}
	beside := ""
	if dir != "" {
		beside = filepath.Dir(filepath.Clean(dir))
	}
	// The copy has what people said, and gets the mode 0600.
	if in, err = os.CreateTemp(beside, ".candor-restore-*"); err != nil {
		return nil, nil, err
	}
	drop = func() error { return errors.Join(in.Close(), os.Remove(in.Name())) }
	if _, err = io.Copy(in, stdin); err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(err, drop())
	}
	return in, drop, nil
}
