package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
)

// storageFlags binds the flags that say where sessions are and for how long.
func storageFlags(s *app.StorageSettings) []cli.Flag {
	const storage = "Storage"
	return []cli.Flag{
		&cli.StringFlag{Name: "data", Category: storage, TakesFile: true,
			Usage:   "keep sessions in the folder `DIR`, so that they outlive this process",
			Sources: cli.EnvVars("CANDOR_DATA"), Destination: &s.Dir},
		&cli.StringFlag{Name: "sync", Category: storage, Value: "always",
			Usage:   "acknowledge events on the disk (always), or up to a second before that (interval): `WHEN`",
			Sources: cli.EnvVars("CANDOR_SYNC"),
			Action: func(_ context.Context, _ *cli.Command, when string) error {
				if when != "always" && when != "interval" {
					return fmt.Errorf("--sync: %q is neither always nor interval", when)
				}
				s.Interval = when == "interval"
				return nil
			}},
		&cli.StringFlag{Name: "keep", Category: storage,
			Usage:   "erase turns and jobs that ended longer ago than this `TIME`, such as 30d or 12h",
			Sources: cli.EnvVars("CANDOR_KEEP"),
			Action: func(_ context.Context, _ *cli.Command, age string) (err error) {
				s.Keep.Age, err = parseAge(age)
				return err
			}},
		&sizeFlag{Name: "keep-bytes", Category: storage,
			Usage:   "erase the oldest conversations and jobs when the folder has more than `SIZE`, such as 2GiB",
			Sources: cli.EnvVars("CANDOR_KEEP_BYTES"), Destination: &s.Keep.Bytes},
	}
}

// parseAge reads a time that may be in days.
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
