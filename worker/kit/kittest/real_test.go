package kittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// required says that the tests have to run: make real-agents sets it.
const required = "CANDOR_REAL_AGENTS"

// missing is what a test says that could not run.
const missing = "SKIPPED, NOT PROVED: the libraries that the kit hooks into are not installed; make real-agents " +
	"installs those of npm"

// installed puts the kit of this folder beside the real libraries. Where they are not there, the test is skipped, and
// says so.
func installed(t *testing.T) {
	t.Helper()
	readKit(t)
	if _, err := os.Stat(filepath.Join("node_modules", "ai", "package.json")); err != nil {
		require.Empty(t, os.Getenv(required), missing)
		t.Skip(missing)
	}
	// It is installed as a package would be, and not linked: it has to find the libraries where it is used. npm does
	// not see that a folder has changed.
	require.NoError(t, os.RemoveAll(filepath.Join("node_modules", "candor-kit")))
	cmd := exec.CommandContext(t.Context(), "npm", "install", "--offline", "--no-save", "--no-audit", "--no-fund",
		"--install-links", "../typescript")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestRealLibrariesTellEachReasonOnce runs an agent of each real library against the stand-in. It is judged by what the
// server has of it.
func TestRealLibrariesTellEachReasonOnce(t *testing.T) {
	installed(t)
	for name, args := range map[string][]string{
		"the AI SDK, version 6":                  {"ai-sdk.mjs", "generate"},
		"the AI SDK, version 6, streamed":        {"ai-sdk.mjs", "stream"},
		"the AI SDK, version 7":                  {"ai-sdk.mjs", "generate", "7"},
		"the AI SDK, version 7, streamed":        {"ai-sdk.mjs", "stream", "7"},
		"LangGraph":                              {"langgraph.mjs"},
		"the OpenAI Agents SDK for JS":           {"openai-agents.mjs"},
		"the OpenAI Agents SDK for JS, streamed": {"openai-agents.mjs", "stream"},
	} {
		t.Run(name, func(t *testing.T) {
			s, model := start(t), newStandIn(t)
			out := run(t, s.HTTP.URL, model, program(append([]string{"node"}, args...))...)
			assert.Contains(t, out, "The port is 8080.")
			for _, asked := range model.requests() {
				assert.Equal(t, "look rationale: "+reasonText(t)+"; count rationale: "+reasonText(t), asked)
			}
			failure := "there is no missing.txt"
			if args[0] == "openai-agents.mjs" {
				failure = "An error occurred while running the tool." // its hooks hear no more
			}
			judge(t, s, failure)
			turns := history(t, s, onlyJob(t, s))
			assert.Equal(t, 400, turns[0].Usage.Input, "the tokens of each answer, once")
		})
	}
}

// TestTheTypesOfTheKitFitThoseOfTheLibraries compiles a program in TypeScript that uses all of the kit.
func TestTheTypesOfTheKitFitThoseOfTheLibraries(t *testing.T) {
	installed(t)
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("node_modules", "typescript", "bin", "tsc"),
		"--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022",
		filepath.Join("programs", "types.mts"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
