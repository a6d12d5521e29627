package command

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
)

func TestDraftsOfMEWAreReadUnlessAFlagTurnsThemOff(t *testing.T) {
	for arg, off := range map[string]bool{"--mew-depth=5": false, "--mew-drafts": false, "--mew-drafts=false": true} {
		var s app.MEWSettings
		cmd := &cli.Command{Flags: spaceFlags(&s), Action: func(context.Context, *cli.Command) error { return nil }}
		require.NoError(t, cmd.Run(t.Context(), []string{"serve", arg}))
		assert.Equal(t, off, s.NoDrafts, arg)
	}
}
