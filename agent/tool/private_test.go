package tool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// refuses asserts that no file tool opens the path, and that each says why.
func refuses(t *testing.T, tools map[string]agent.Tool, path string) {
	t.Helper()
	for _, name := range []string{"file_read", "file_list", "file_search"} {
		args, err := json.Marshal(map[string]string{"path": path, "query": "planted"})
		require.NoError(t, err)
		got, err := tools[name].Run(t.Context(), args)
		if assert.Error(t, err, "%s %s: %s", name, path, got) {
			assert.Contains(t, err.Error(), "is private: it has tokens or settings of Candor itself", path)
			assert.NotContains(t, err.Error(), "planted")
		}
	}
}

func TestPrivateFilesAreRefusedByAnyPathAndLink(t *testing.T) {
	dir := workspace(t, map[string]string{
		"tokens.txt": "ann:planted", "sub/mcp.json": "planted", "open.txt": "planted in the open",
		".candor/token": "planted", ".candor/deep/er": "planted",
		"other/.candor/token": "planted", "other/.CANDOR/token": "planted",
	})
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, target := range map[string]string{
		"link": "tokens.txt", "loop": "link", "state": ".candor", "deep": ".candor/deep", "nested": "other/.candor",
		"abroad": "other/.candor/token",
	} {
		require.NoError(t, os.Symlink(target, in(name)))
	}
	for name, target := range map[string]string{
		"hard": "tokens.txt", "sub/hard": ".candor/token", "sub/deep": ".candor/deep/er", "sub/mcp": "sub/mcp.json",
	} {
		require.NoError(t, os.Link(in(target), in(name)))
	}
	tools := builtin(t, dir, in("sub/../tokens.txt"), in("sub/mcp.json"))
	for _, path := range []string{
		"tokens.txt", "./sub/../tokens.txt", " tokens.txt", "link", "loop", "hard", "sub/mcp.json", "sub/mcp",
		".candor", ".candor/", ".candor/token", ".Candor/token", ".candor/nothing", ".candor/deep", "sub/hard",
		"sub/deep", "state", "state/token", "deep", "deep/er",
		"other/.candor", "other/.candor/token", "other/.CANDOR/token",
		"nested", "nested/token", "abroad",
	} {
		refuses(t, tools, path)
	}
	got := run[searching](t, t.Context(), tools["file_search"], `{"query":"planted"}`)
	assert.Equal(t, []string{"open.txt:1:planted in the open"}, got.lines())
	got = run[searching](t, t.Context(), tools["file_search"], `{"query":"planted","path":"sub"}`)
	assert.Empty(t, got.lines())
}

// How many files a search skips must not depend on whether a private file has the text.
func TestASearchDoesNotTellWhatAPrivateFileHolds(t *testing.T) {
	dir := workspace(t, map[string]string{"tokens.txt": "ann:planted"})
	search := builtin(t, dir, filepath.Join(dir, "tokens.txt"))["file_search"]
	with := run[searching](t, t.Context(), search, `{"query":"plan"}`)
	without := run[searching](t, t.Context(), search, `{"query":"else"}`)
	assert.Equal(t, with, without)
	assert.Equal(t, 1, with.Skipped)
}

func TestAPrivateFileMayBeReplacedAndItsFolderMayBeALink(t *testing.T) {
	dir := workspace(t, map[string]string{"tokens.txt": "old", "next": "planted", "state/token": "planted"})
	tokens := filepath.Join(dir, "tokens.txt")
	require.NoError(t, os.Symlink("state", filepath.Join(dir, ".candor")))
	tools := builtin(t, dir, tokens)
	assert.Equal(t, "planted", run[reading](t, t.Context(), tools["file_read"], `{"path":"next"}`).Text)
	require.NoError(t, os.Rename(filepath.Join(dir, "next"), tokens))
	require.NoError(t, os.Link(tokens, filepath.Join(dir, "hard")))
	for _, path := range []string{"tokens.txt", "hard", "state", "state/token"} {
		refuses(t, tools, path)
	}
}

func TestOtherFilesBesideAPrivateOneAreRead(t *testing.T) {
	dir := workspace(t, map[string]string{"tokens.txt": "ann:planted", "tokens.txt.md": "how to write one",
		".candor.md": "what it is", ".candor/token": "planted"})
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, ".candor", "back")))
	tools := builtin(t, dir, filepath.Join(dir, "tokens.txt"), filepath.Join(dir, "missing"))
	got := run[reading](t, t.Context(), tools["file_read"], `{"path":"tokens.txt.md"}`)
	assert.Equal(t, "how to write one", got.Text)
	assert.Equal(t, "what it is", run[reading](t, t.Context(), tools["file_read"], `{"path":".candor.md"}`).Text)
	assert.Equal(t, 4, run[listing](t, t.Context(), tools["file_list"], `{}`).Total)
}
