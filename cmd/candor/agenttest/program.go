// Package agenttest is the test rig of attach/*/realtest, the packages that run real programs of other agents against
// stand-in models. Only tests import it.
//
// [Program] finds a program that npm installed, [StandIn] is the model that it calls, with [StandIn.Environment] as its
// environment, and [Main] makes the test binary the command of its hooks. [Question] and [Answer] act as the person in
// Candor while the program waits, and [Those] and [AssertSame] check what the program reported.
package agenttest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// required says that the tests have to run: make real-agents sets it.
const required = "CANDOR_REAL_AGENTS"

// Program returns the path of a real program that npm installed: the only file of a pattern below node_modules, in
// which PLATFORM stands for this machine. Where it is not installed, the test is skipped, and says so.
func Program(t *testing.T, name, pattern string) string {
	t.Helper()
	processor := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	pattern = strings.ReplaceAll(pattern, "PLATFORM", runtime.GOOS+"-"+processor)
	found, err := filepath.Glob(filepath.Join("node_modules", filepath.FromSlash(pattern)))
	require.NoError(t, err)
	if len(found) != 1 {
		Missing(t, "the real "+name+" is not installed; make real-agents installs it")
	}
	path, err := filepath.Abs(found[0])
	require.NoError(t, err)
	return path
}

// Missing skips the test, and says why; where the tests have to run it fails it.
func Missing(tb testing.TB, why string) {
	tb.Helper()
	why = "SKIPPED, NOT PROVED: " + why
	require.Empty(tb, os.Getenv(required), why)
	tb.Skip(why)
}
