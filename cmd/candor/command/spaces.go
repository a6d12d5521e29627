package command

import (
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
		&cli.BoolFlag{Name: "mew-drafts", Category: spaces,
			Usage:   "read the spellings before MEW v0.4, too, such as reasoning.start",
			Sources: cli.EnvVars("CANDOR_MEW_DRAFTS"), Destination: &s.Drafts},
		&cli.IntFlag{Name: "mew-rate", Category: spaces, Value: mew.DefaultRate,
			Usage:   "let a participant send `N` messages a second, each 4 KiB counted again",
			Sources: cli.EnvVars("CANDOR_MEW_RATE"), Destination: &s.Rate},
		&cli.IntFlag{Name: "mew-context-rate", Category: spaces, Value: mew.DefaultContextRate,
			Usage:   "let a participant send `N` messages a second within one context",
			Sources: cli.EnvVars("CANDOR_MEW_CONTEXT_RATE"), Destination: &s.ContextRate},
		&cli.IntFlag{Name: "mew-depth", Category: spaces, Value: collect.DefaultDepth,
			Usage:   "let contexts nest `N` deep",
			Sources: cli.EnvVars("CANDOR_MEW_DEPTH"), Destination: &s.Contexts.Depth},
		&cli.IntFlag{Name: "mew-context-length", Category: spaces, Value: collect.DefaultLength,
			Usage:   "let the path of a context have `N` bytes",
			Sources: cli.EnvVars("CANDOR_MEW_CONTEXT_LENGTH"), Destination: &s.Contexts.Length},
		&cli.DurationFlag{Name: "mew-idle", Category: spaces, Value: collect.DefaultIdle,
			Usage:   "end a reasoning that was silent for this `TIME`",
			Sources: cli.EnvVars("CANDOR_MEW_IDLE"), Destination: &s.Contexts.Idle},
	}
}
