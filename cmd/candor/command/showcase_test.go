package command_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// TestTheShowcasesRunAsTheyStand plays the cases about secrets from the files in the repository, as the
// README's line does, without a test that fills their placeholders in.
func TestTheShowcasesRunAsTheyStand(t *testing.T) {
	apptest.HideProviders(t)
	for name, want := range map[string]string{
		"redacted-key": "[REDACTED:github-pat]", "blocked-rationale": "withheld", "blocked-narrative": "withheld",
	} {
		file := filepath.Join(apptest.TurnsDir(t, name), "script.json")
		out, _, err := runCandor(t, "", "chat", "--provider", "script", "--script", file, "Push the release.")
		require.NoError(t, err, name)
		assert.Contains(t, out, want, name)
		assert.NotContains(t, out, "{{", name)
	}
}
