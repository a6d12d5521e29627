package tool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

// connectionString returns a database address with a password that no rule knows by its
// form, and the password. It is assembled here so that no file contains it.
func connectionString() (address, password string) {
	password = strings.Join([]string{"q7Zt", "9Lm", "X4vR", "b2"}, "")
	return "postgres://app:" + password + "@db.internal/orders", password
}

// fileErrors calls every file tool with a path and returns their error messages by tool.
func fileErrors(t *testing.T, dir, path string) map[string]string {
	t.Helper()
	args, err := json.Marshal(map[string]string{"path": path, "query": "x"})
	require.NoError(t, err)
	out := map[string]string{}
	tools := builtin(t, dir)
	for _, name := range []string{"file_list", "file_read", "file_search"} {
		out[name] = fails(t, t.Context(), tools[name], string(args))
	}
	return out
}

func TestAPasswordInAPathIsMaskedInErrors(t *testing.T) {
	address, password := connectionString()
	layer := safety.NewLayer()
	for name, path := range map[string]string{
		"the path does not exist":             address,
		"the path has redundant elements":     "./docs/.././" + address,
		"the path leads through the address":  address + "/../orders",
		"the path leads out of the workspace": "../" + address,
		"the path is absolute":                "/" + address,
		"the path has a NUL character":        address + "\x00",
		"white space surrounds the path":      "\t" + address + "\n",
		"a cut would divide the password":     strings.Repeat("a/", 490) + address + strings.Repeat("/a", 40),
		"a folder's name is too long":         strings.Repeat("x", 300) + "/" + address,
		"the path is far too long":            strings.Repeat("a/", 20_000) + address,
	} {
		for tool, message := range fileErrors(t, t.TempDir(), path) {
			cleaned, _ := layer.Clean(message)
			assert.False(t, strings.Contains(cleaned.String(), password[:6]), "%s: %s", tool, name)
			assert.Less(t, len(message), 1500, "%s: %s", tool, name)
			assert.LessOrEqual(t, strings.Count(message, password), 1, "%s: %s: the system's path follows", tool, name)
		}
	}
}

func TestAPasswordInThePathOfAnExistingEntryIsMaskedInErrors(t *testing.T) {
	address, password := connectionString()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(address)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(address), "dump"), []byte("\x00"), 0o644))
	tools, layer := builtin(t, dir), safety.NewLayer()
	for tool, path := range map[string]string{"file_read": address + "/dump", "file_list": address + "/dump"} {
		args, err := json.Marshal(map[string]string{"path": path})
		require.NoError(t, err)
		cleaned, _ := layer.Clean(fails(t, t.Context(), tools[tool], string(args)))
		assert.NotContains(t, cleaned.String(), password, tool)
	}
}

func TestErrorsNameThePathAsItWasGiven(t *testing.T) {
	const advice = " in the workspace; file_list shows what there is"
	longest, longer := strings.Repeat("a/", 511)+"ab", strings.Repeat("a/", 511)+"abc"
	for path, want := range map[string]string{
		"./docs//missing.md": `there is no "./docs//missing.md"` + advice,
		"docs/../missing.md": `there is no "docs/../missing.md"` + advice,
		" missing.md\n":      `there is no "missing.md"` + advice,
		longest:              `there is no "` + longest + `"` + advice,
		longer:               `there is no path of 1025 bytes` + advice,
	} {
		for tool, message := range fileErrors(t, t.TempDir(), path) {
			assert.Equal(t, want, message, tool)
		}
	}
}
