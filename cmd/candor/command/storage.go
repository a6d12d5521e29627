package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/session/journal/jetstream"
)

// storageFlags binds the flags that say where sessions are and for how long. Those that would have no
// effect, such as --keep for sessions in memory, stop the start: whoever sets one believes that something
// is kept or erased.
func storageFlags(s *app.StorageSettings) []cli.Flag {
	const storage = "Storage"
	return append(natsFlags(&s.NATS), []cli.Flag{
		dataFlag(&s.Dir),
		&cli.StringFlag{Name: "sync", Category: storage, Value: "always",
			Usage:   "acknowledge an event once it is on disk (always), or up to a second before (interval): `WHEN`",
			Sources: cli.EnvVars("CANDOR_SYNC"),
			Action: func(_ context.Context, _ *cli.Command, when string) error {
				if when != "always" && when != "interval" {
					return fmt.Errorf("--sync: %q is neither always nor interval", when)
				}
				s.Interval = when == "interval"
				return nil
			}},
		&cli.StringFlag{Name: "keep", Category: storage,
			Usage:   "erase turns and jobs that ended more than `TIME` ago, such as 30d or 12h",
			Sources: cli.EnvVars("CANDOR_KEEP"),
			Action: func(_ context.Context, _ *cli.Command, age string) (err error) {
				s.Keep.Age, err = parseAge(age)
				return err
			}},
		&sizeFlag{Name: "keep-bytes", Category: storage,
			Usage:   "erase the oldest conversations and jobs when the folder exceeds `SIZE`, such as 2GiB",
			Sources: cli.EnvVars("CANDOR_KEEP_BYTES"), Destination: &s.Keep.Bytes},
		&sizeFlag{Name: "session-disk", Category: storage,
			Usage:   "let each user take `SIZE` of the folder; a quarter of its disk by default",
			Sources: cli.EnvVars("CANDOR_SESSION_DISK"), Destination: &s.SessionDisk},
	}...)
}

// dataFlag binds the flag that names the folder of a database.
func dataFlag(dir *string) cli.Flag {
	return &cli.StringFlag{Name: "data", Category: "Storage", TakesFile: true,
		Usage:   "keep sessions in the folder `DIR`, so that they outlive this process",
		Sources: cli.EnvVars("CANDOR_DATA"), Destination: dir}
}

// natsFlags binds the flags that say where a cluster is. A password may stand in the URL, which every user of
// the machine can read among the program's arguments: CANDOR_NATS or --nats-creds keep it from them.
func natsFlags(o *jetstream.Options) []cli.Flag {
	const storage = "Storage"
	return []cli.Flag{
		&cli.StringFlag{Name: "nats", Category: storage,
			Usage:   "keep sessions in NATS JetStream at `URL`, and share them with other servers",
			Sources: cli.EnvVars("CANDOR_NATS"), Destination: &o.URL},
		&cli.StringFlag{Name: "nats-creds", Category: storage, TakesFile: true,
			Usage:   "authenticate to NATS with the credentials in `FILE`",
			Sources: cli.EnvVars("CANDOR_NATS_CREDS"), Destination: &o.Credentials},
		&cli.StringFlag{Name: "nats-ca", Category: storage, TakesFile: true,
			Usage:   "trust the certificates in `FILE` for NATS",
			Sources: cli.EnvVars("CANDOR_NATS_CA"), Destination: &o.CA},
		&cli.StringFlag{Name: "nats-cert", Category: storage, TakesFile: true,
			Usage:   "present the certificate in `FILE` to NATS",
			Sources: cli.EnvVars("CANDOR_NATS_CERT"), Destination: &o.Cert},
		&cli.StringFlag{Name: "nats-key", Category: storage, TakesFile: true,
			Usage:   "read the key of --nats-cert from `FILE`",
			Sources: cli.EnvVars("CANDOR_NATS_KEY"), Destination: &o.Key},
		&cli.StringFlag{Name: "nats-name", Category: storage,
			Usage:   "prefix the names of the streams with `NAME`; candor by default",
			Sources: cli.EnvVars("CANDOR_NATS_NAME"), Destination: &o.Name},
		&cli.IntFlag{Name: "nats-replicas", Category: storage,
			Usage:   "store each event on `N` NATS servers: 1, 3 or 5; 1 by default",
			Sources: cli.EnvVars("CANDOR_NATS_REPLICAS"), Destination: &o.Replicas},
	}
}

// parseAge reads a time that may be in days, which package time does not know, since a day may have 23
// hours. Here it has 24.
func parseAge(age string) (time.Duration, error) {
	d, err := time.ParseDuration(age)
	if days, ok := strings.CutSuffix(age, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d < time.Minute {
		return 0, fmt.Errorf("--keep: want a time of a minute or more, such as 30d or 12h, not %q", age)
	}
	return d, nil
}

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
