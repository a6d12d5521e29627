package command

import (
	"context"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/web/mew"
	"candor/web/mew/collect"
)

// spaceFlags are about the spaces of MEW that the server is the gateway of.
func spaceFlags(s *app.MEWSettings) []cli.Flag {
	const spaces = "Spaces"
	return []cli.Flag{
		&cli.StringFlag{Name: "spaces", Category: spaces,
			Usage:   "be the gateway of the MEW spaces of the JSON file `FILE`",
			Sources: cli.EnvVars("CANDOR_SPACES"), Destination: &s.SpacesFile},
		&cli.BoolFlag{Name: "mew-drafts", Category: spaces, Value: true,
			Usage:   "also read spellings from before MEW v0.4, such as reasoning.start; --mew-drafts=false does not",
			Sources: cli.EnvVars("CANDOR_MEW_DRAFTS"),
			Action: func(_ context.Context, _ *cli.Command, read bool) error {
				s.NoDrafts = !read
				return nil
			}},
		&cli.IntFlag{Name: "mew-rate", Category: spaces, Value: mew.DefaultRate,
			Usage:   "let a participant send `N` messages a second; every 4 KiB count as one",
			Sources: cli.EnvVars("CANDOR_MEW_RATE"), Destination: &s.Rate},
		&cli.IntFlag{Name: "mew-context-rate", Category: spaces, Value: mew.DefaultContextRate,
			Usage:   "let a participant send `N` messages a second within one context",
			Sources: cli.EnvVars("CANDOR_MEW_CONTEXT_RATE"), Destination: &s.ContextRate},
		&cli.IntFlag{Name: "mew-depth", Category: spaces, Value: collect.DefaultDepth,
			Usage:   "let contexts nest `N` deep",
			Sources: cli.EnvVars("CANDOR_MEW_DEPTH"), Destination: &s.Contexts.Depth},
		&cli.IntFlag{Name: "mew-context-length", Category: spaces, Value: collect.DefaultLength,
			Usage:   "limit the path of a context to `N` bytes",
			Sources: cli.EnvVars("CANDOR_MEW_CONTEXT_LENGTH"), Destination: &s.Contexts.Length},
		&cli.DurationFlag{Name: "mew-idle", Category: spaces, Value: collect.DefaultIdle,
			Usage:   "end a reasoning that was silent for `TIME`",
			Sources: cli.EnvVars("CANDOR_MEW_IDLE"), Destination: &s.Contexts.Idle},
	}
}
