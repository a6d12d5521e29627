//go:build realagents

package realtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
)

// TestTheRealProgramAsksItsModelForReasons holds that the model reads the request of the hooks that make it, also that
// of a sub-agent, and that without them nobody asks.
func TestTheRealProgramAsksItsModelForReasons(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	p := newPlayer(t)
	p.run(t, trusted, "PLAN:one go")
	assert.Empty(t, p.model.asked, "nobody asks")
	p = newPlayer(t)
	p.attach(t, codex.Commands(self).Reminding(codex.Commands(self).Reporting()), p.model.URL)
	p.run(t, trusted, "PLAN:one go")
	assert.Subset(t, p.model.asked, []string{"one", "sub"})
}
