package apptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// ScriptFile writes a script to a file and returns the file's name, for --script and
// app.ModelSettings.Script. The file is removed when the test ends.
func ScriptFile(t testing.TB, script any) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, JSON(t, script), 0o600))
	return file
}

// Answering is a script that answers every message with text and calls no tool, for tests
// whose subject is not the model.
func Answering(text string) M {
	return M{"steps": []M{{"text": text}}}
}

// Waiting is a script with one call of the tool wait, which takes ms milliseconds, and
// then the answer "waited".
func Waiting(ms int) M {
	return M{
		"steps": []M{
			{"tool_calls": []M{{"id": "a", "name": "wait", "arguments": M{}, "rationale": "to wait"}}},
			{"text": "waited"},
		},
		"tools": M{"wait": M{"delay_ms": ms, "result": "ok"}},
	}
}
