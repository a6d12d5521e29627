package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// workspace creates a folder with files; a name that ends in / is a folder.
func workspace(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(p, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	}
	return dir
}

type listing struct {
	Path    string
	Entries []struct {
		Path, Kind string
		Size       *int64
	}
	Total     int
	Truncated string
}

type reading struct {
	Path, Text, Note string
	Offset, Size     int64
	Next             int64 `json:"next_offset"`
}

type searching struct {
	Matches []struct {
		Path string
		Line int
		Text string
	}
	Searched  int `json:"files_searched"`
	Skipped   int `json:"files_skipped"`
	Truncated string
}

func (s searching) lines() []string {
	out := []string{}
	for _, m := range s.Matches {
		out = append(out, fmt.Sprintf("%s:%d:%s", m.Path, m.Line, m.Text))
	}
	return out
}

func TestListShowsOneFolderInOrder(t *testing.T) {
	dir := workspace(t, map[string]string{"b.txt": "12345", "a/x": "", "c/": "", ".hidden": ""})
	require.NoError(t, os.Symlink("b.txt", filepath.Join(dir, "link")))
	tools := builtin(t, dir)
	raw, err := tools["file_list"].Run(t.Context(), nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"path":".","total":5,"entries":[
		{"path":".hidden","kind":"file","size":0},{"path":"a","kind":"folder"},{"path":"b.txt","kind":"file","size":5},
		{"path":"c","kind":"folder"},{"path":"link","kind":"link"}]}`, string(raw))

	got := run[listing](t, t.Context(), tools["file_list"], `{"path":"./a/"}`)
	assert.Equal(t, "a", got.Path)
	assert.Equal(t, "a/x", got.Entries[0].Path)
	raw, err = tools["file_list"].Run(t.Context(), json.RawMessage(`{"path":"c"}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"path":"c","total":0,"entries":[]}`, string(raw), "an empty folder has an empty list")
}

func TestALongListingReportsThatItWasCut(t *testing.T) {
	files := map[string]string{}
	for i := range 510 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	got := run[listing](t, t.Context(), builtin(t, workspace(t, files))["file_list"], `{}`)
	assert.Len(t, got.Entries, 500)
	assert.Equal(t, "f499", got.Entries[499].Path)
	assert.Equal(t, 510, got.Total)
	assert.Equal(t, "stopped after 500 of 510 entries", got.Truncated)
}

func TestAHugeFolderIsNotReadToItsEnd(t *testing.T) {
	dir := t.TempDir()
	for i := range 20_500 {
		require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, fmt.Sprint("link", i))))
	}
	got := run[listing](t, t.Context(), builtin(t, dir)["file_list"], `{}`)
	assert.Equal(t, 20_000, got.Total)
	assert.Equal(t, "stopped after 500 of more than 20000 entries", got.Truncated)
}

func TestReadReturnsAFileInPieces(t *testing.T) {
	// The first piece would end within a character, which belongs to the next.
	text := strings.Repeat("é", 40_000) + "end"
	read := builtin(t, workspace(t, map[string]string{"big.txt": "x" + text}))["file_read"]
	var all strings.Builder
	var got reading
	for calls := 0; calls == 0 || got.Next > 0; calls++ {
		require.Less(t, calls, 5)
		got = run[reading](t, t.Context(), read, fmt.Sprintf(`{"path":"big.txt","offset":%d}`, got.Next))
		assert.LessOrEqual(t, len(got.Text), 64<<10)
		assert.EqualValues(t, len(text)+1, got.Size)
		assert.Empty(t, got.Note)
		all.WriteString(got.Text)
	}
	assert.Equal(t, "x"+text, all.String())
	got = run[reading](t, t.Context(), read, fmt.Sprintf(`{"path":"big.txt","offset":%d}`, len(text)+1))
	assert.Empty(t, got.Text, "reading at the end of a file is not an error")
}

func TestReadReplacesInvalidUTF8(t *testing.T) {
	read := builtin(t, workspace(t, map[string]string{"latin1.txt": "caf\xe9 <b>", "empty": ""}))["file_read"]
	raw, err := read.Run(t.Context(), json.RawMessage(`{"path":"latin1.txt"}`))
	require.NoError(t, err)
	assert.Equal(t, `{"path":"latin1.txt","text":"caf� <b>","offset":0,"size":8,`+
		`"note":"bytes that are no UTF-8 are shown as �"}`, string(raw))
	assert.Equal(t, reading{Path: "empty"}, run[reading](t, t.Context(), read, `{"path":"empty"}`))
}

func TestSearchReturnsMatchingLines(t *testing.T) {
	search := builtin(t, workspace(t, map[string]string{
		"a/one.go":          "package a\n\n\tfunc Follow() {}\r\n// follow\n",
		"b.txt":             "nothing\nFOLLOW\xff<it>",
		"a/z/two.go":        "unfollowed",
		".git/config":       "follow",
		"node_modules/x.js": "follow",
		"logo.png":          "\x00follow",
		"huge.txt":          strings.Repeat("follow\n", 200_000),
	}))["file_search"]
	got := run[searching](t, t.Context(), search, `{"query":"follow"}`)
	assert.Equal(t, []string{
		"a/one.go:3:func Follow() {}", "a/one.go:4:// follow", "a/z/two.go:1:unfollowed", "b.txt:2:FOLLOW�<it>",
	}, got.lines())
	assert.Equal(t, 3, got.Searched)
	assert.Equal(t, 2, got.Skipped, "the binary file and the huge one")
	assert.Empty(t, got.Truncated)

	for args, want := range map[string][]string{
		`{"query":"Follow","case_sensitive":true}`: {"a/one.go:3:func Follow() {}"},
		`{"query":"follow","path":"a/z"}`:          {"a/z/two.go:1:unfollowed"},
		`{"query":"follow","path":"./a/z/two.go"}`: {"a/z/two.go:1:unfollowed"},
		`{"query":"follow","path":".git"}`:         {".git/config:1:follow"},
		`{"query":"func follow("}`:                 {"a/one.go:3:func Follow() {}"},
		`{"query":"f.*w"}`:                         {},
		`{"query":"follow\r"}`:                     nil,
	} {
		if want == nil {
			assert.Contains(t, fails(t, t.Context(), search, args), "line break")
			continue
		}
		assert.Equal(t, want, run[searching](t, t.Context(), search, args).lines(), args)
	}
}

func TestASearchReportsThatItWasCut(t *testing.T) {
	search := builtin(t, workspace(t, map[string]string{
		"many.txt": strings.Repeat("hit\n", 101),
		"long.txt": strings.Repeat("é", 1000) + "needle" + strings.Repeat("é", 1000),
	}))["file_search"]
	got := run[searching](t, t.Context(), search, `{"query":"hit"}`)
	assert.Len(t, got.Matches, 100)
	assert.Contains(t, got.Truncated, "stopped after 100 matches")
	got = run[searching](t, t.Context(), search, `{"query":"needle"}`)
	require.Len(t, got.Matches, 1)
	assert.Less(t, len(got.Matches[0].Text), 320)
	assert.Regexp(t, `^…é+needleé+…$`, got.Matches[0].Text)
}

func TestExcerptsAreCutBetweenWords(t *testing.T) {
	long := strings.Repeat("x", 150)
	line := strings.Repeat("a ", 20) + long + " in a needle in the hay, " + long + " " + strings.Repeat("b ", 200)
	search := builtin(t, workspace(t, map[string]string{"long.txt": line}))["file_search"]
	got := run[searching](t, t.Context(), search, `{"query":"needle"}`)
	require.Len(t, got.Matches, 1)
	for _, word := range strings.Fields(strings.Trim(got.Matches[0].Text, "…")) {
		assert.Contains(t, strings.Fields(line), word)
	}
	assert.Contains(t, got.Matches[0].Text, "in a needle in the hay,")

	words := strings.Repeat("some-credential-like-word ", 20)
	line = words + "needle " + words
	search = builtin(t, workspace(t, map[string]string{"long.txt": line}))["file_search"]
	got = run[searching](t, t.Context(), search, `{"query":"needle"}`)
	require.Len(t, got.Matches, 1)
	for _, word := range strings.Fields(strings.Trim(got.Matches[0].Text, "…")) {
		assert.Contains(t, []string{"some-credential-like-word", "needle"}, word)
	}
}

func TestReadEndsAPieceAtALineBreak(t *testing.T) {
	text := strings.Repeat(strings.Repeat("x", 999)+"\n", 100)
	read := builtin(t, workspace(t, map[string]string{"lines.txt": text}))["file_read"]
	got := run[reading](t, t.Context(), read, `{"path":"lines.txt"}`)
	assert.EqualValues(t, 65_000, got.Next)
	assert.Equal(t, text[:65_000], got.Text)
}

func TestLinksWithinTheWorkspaceAreFollowedWhenNamed(t *testing.T) {
	dir := workspace(t, map[string]string{"real/a.txt": "here"})
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	tools := builtin(t, dir)
	assert.Equal(t, []string{"real/a.txt:1:here"},
		run[searching](t, t.Context(), tools["file_search"], `{"query":"here"}`).lines())
	assert.Equal(t, []string{"link/a.txt:1:here"},
		run[searching](t, t.Context(), tools["file_search"], `{"query":"here","path":"link"}`).lines())
	assert.Equal(t, "link/a.txt", run[listing](t, t.Context(), tools["file_list"], `{"path":"link"}`).Entries[0].Path)
}

func TestNothingLeadsOutOfTheWorkspace(t *testing.T) {
	outside := workspace(t, map[string]string{"secret.txt": "outside"})
	dir := workspace(t, map[string]string{"in.txt": "inside", "sub/in.txt": "inside"})
	link := func(target, name string) { require.NoError(t, os.Symlink(target, filepath.Join(dir, name))) }
	link(filepath.Join(outside, "secret.txt"), "link.txt")
	link(outside, "linked")
	link("../", "up")
	link("in.txt", "fine.txt")
	link("loop", "loop")
	tools := builtin(t, dir)
	for _, p := range []string{
		"link.txt", "linked", "linked/secret.txt", "up", "up/x", "../x", "sub/../../x", outside,
		"/etc/passwd", "loop", "a\x00b",
	} {
		for name, tool := range tools {
			if !strings.HasPrefix(name, "file_") {
				continue
			}
			args, err := json.Marshal(map[string]string{"path": p, "query": "outside"})
			require.NoError(t, err)
			got, err := tool.Run(t.Context(), args)
			require.Error(t, err, "%s %s: %s", name, p, got)
			assert.NotContains(t, err.Error(), dir, "no error reveals where the workspace is")
		}
	}
	got := run[searching](t, t.Context(), tools["file_search"], `{"query":"outside"}`)
	assert.Empty(t, got.Matches, "a search does not follow links")
	assert.Equal(t, "inside", run[reading](t, t.Context(), tools["file_read"], `{"path":"fine.txt"}`).Text,
		"a link within the workspace is followed")
}

func TestErrorsSayWhatToDo(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "text", "sub/": "", "logo.png": "\x89PNG\x00"})
	tools := builtin(t, dir)
	for _, c := range []struct{ tool, args, want string }{
		{"file_read", `{"path":"b.txt"}`, `there is no "b.txt" in the workspace; file_list shows what there is`},
		{"file_read", `{"path":"a.txt/b"}`,
			`there is no "a.txt/b" in the workspace; file_list shows what there is`},
		{"file_read", `{"path":"sub"}`, `"sub" is a folder; file_list shows what is in it`},
		{"file_read", `{"path":""}`, `"." is a folder; file_list shows what is in it`},
		{"file_read", `{"path":"logo.png"}`, `"logo.png" is not a text file (5 bytes); only text can be read`},
		{"file_read", `{"path":"a.txt","offset":-1}`,
			`offset -1 is negative; it counts bytes from the start of "a.txt"`},
		{"file_read", `{"path":"a.txt","offset":5}`, `offset 5 is past the end: "a.txt" has 4 bytes`},
		{"file_read", `{"path":"../a"}`,
			`"../a" leads out of the workspace; only what is inside can be read`},
		{"file_read", `{"path":"/a"}`,
			`"/a" is an absolute path; give one relative to the workspace, such as docs/notes.md`},
		{"file_list", `{"path":"a.txt"}`, `"a.txt" is a file, not a folder; file_read shows what is in it`},
		{"file_list", `{"path":"x"}`, `there is no "x" in the workspace; file_list shows what there is`},
		{"file_search", `{"query":" "}`, `query is empty; give the text to look for`},
		{"file_search", `{"query":"x","path":"y"}`,
			`there is no "y" in the workspace; file_list shows what there is`},
	} {
		assert.Equal(t, c.want, fails(t, t.Context(), tools[c.tool], c.args))
	}
}

func TestBuiltinToolsDoNotStartAfterTheirContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(agent.WithUser(t.Context(), "ann"))
	cancel()
	for _, tool := range builtin(t, t.TempDir()) {
		_, err := tool.Run(ctx, json.RawMessage(`{"path":".","query":"x","content":"x"}`))
		assert.ErrorIs(t, err, context.Canceled)
	}
}
