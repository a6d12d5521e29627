package archtest

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reachedOtherwise names the functions that no path of calls from main reaches, and what reaches
// them. A function that is here and is reached after all fails the test, too.
func reachedOtherwise() map[string]string {
	return map[string]string{
		"agui.Head.head":              "marks the types that are events; the compiler asks for it",
		"prefilter.Vectors":           "the benchmarks of safety/oracle, a module of its own, print it",
		"rule.Action.UnmarshalText":   "encoding/json calls it for the actions of a policy file",
		"rule.Severity.UnmarshalText": "encoding/json calls it for the severities of a policy file",
	}
}

// TestEveryFunctionIsReached holds that no function stands in the program that main does not reach.
func TestEveryFunctionIsReached(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the whole program with its libraries once more")
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "deadcode", "-json", "./cmd/candor")
	cmd.Dir = moduleRoot()
	out, err := cmd.Output()
	require.NoError(t, err)
	var found []struct {
		Path  string
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}
	}
	require.NoError(t, json.Unmarshal(out, &found))
	excused := reachedOtherwise()
	for _, p := range found {
		for _, f := range p.Funcs {
			name := filepath.Base(p.Path) + "." + f.Name
			if _, ok := excused[name]; ok {
				delete(excused, name)
				continue
			}
			assert.Fail(t, "dead code", "%s:%d: %s is unreachable", f.Position.File, f.Position.Line, name)
		}
	}
	assert.Empty(t, excused, "these are reached, and need no excuse")
}
