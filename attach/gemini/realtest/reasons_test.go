//go:build realagents

package realtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/gemini"
)

// TestTheRealProgramAsksItsModelForReasons holds that the model reads the request of the hooks that make it, and
// that without them nobody asks.
func TestTheRealProgramAsksItsModelForReasons(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	p := newPlayer(t)
	p.prompt(t, "PLAN:one go")
	assert.Empty(t, p.model.asked, "nobody asks")
	p = newPlayer(t)
	p.attach(t, gemini.Commands(self).Reminding(gemini.Commands(self).Reporting()), p.model.URL)
	p.prompt(t, "PLAN:one go")
	assert.Contains(t, p.model.asked, "one")
}
