package transcript_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/transcript"
)

// recorded returns a recorded session file of a program.
func recorded(t *testing.T, program string) string {
	t.Helper()
	folder := filepath.Join("..", program, "testdata")
	if program == "gemini" {
		folder = filepath.Join(folder, "chats")
	}
	raw, err := os.ReadFile(filepath.Join(folder, "session.jsonl"))
	require.NoError(t, err)
	return string(raw)
}

func TestAFileThatAPersonNamesIsKnownByItsFirstRow(t *testing.T) {
	for _, program := range []string{"claude", "codex", "gemini", "copilot", "pi"} {
		for _, name := range []string{"copy.jsonl", "copy"} {
			k := &taker{t: t}
			w := k.walk(write(t, t.TempDir(), name, recorded(t, program)))
			require.NoError(t, w.Once(t.Context()))
			require.NotEmpty(t, k.list, program)
			assert.Equal(t, program, k.list[0].Agent)
			assert.Zero(t, w.Report().Malformed)
			assert.Empty(t, k.told)
		}
	}
}

func TestANamedFileThatIsNoSessionIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"notes.txt":           {"hello\n", transcript.ErrForeign},
		"half.txt":            {"hello", transcript.ErrForeign},
		"foreign.jsonl":       {`{"a":1}` + "\n", transcript.ErrForeign},
		"types.jsonl":         {`{"type":"x"}` + "\n", transcript.ErrForeign},
		"rollout-x.jsonl":     {`{"a":1}` + "\n", transcript.ErrForeign},
		"rollout-x.jsonl.zst": {"zst", transcript.ErrCompressed},
		// A session may have no message yet, and one that has damaged rows is one all the same.
		"empty.jsonl":   {"", nil},
		"young.jsonl":   {`{"type":"file-history-snapshot","messageId":"m"}` + "\n", nil},
		"damaged.jsonl": {"{\n" + prompt("s", "x"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			k := &taker{t: t}
			path := write(t, t.TempDir(), name, c.text)
			err := k.walk(path).Once(t.Context())
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, path+" is ")
			assert.Empty(t, k.list)
			// Of a folder it is a file like any other.
			if name == "foreign.jsonl" {
				require.NoError(t, k.walk(filepath.Dir(path)).Once(t.Context()))
			}
		})
	}
}

// TestANamedFileThatCannotBeReadIsAnError has a socket, which nobody may open as a file, in the place of a file that is
// closed to us.
func TestANamedFileThatCannotBeReadIsAnError(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the name of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s.jsonl")
	var at net.ListenConfig
	l, err := at.Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	k := &taker{t: t}
	require.ErrorContains(t, k.walk(path).Once(t.Context()), path+" cannot be read: ")
	assert.Empty(t, k.told)
	// Who follows it waits for it, and hears of it once.
	w := k.walk(path)
	require.NoError(t, follow(t, w))
	require.NoError(t, follow(t, w))
	require.Len(t, k.told, 1)
	assert.True(t, strings.HasPrefix(k.told[0], "s.jsonl cannot be read: "), k.told[0])
}

func TestAFileThatCodexCompressedIsCountedUntilItIsUnpacked(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "sessions/rollout-1.jsonl.zst", "zst")
	k := &taker{t: t}
	w := k.walk(dir)
	require.NoError(t, follow(t, w))
	assert.Equal(t, 1, w.Report().Compressed)
	assert.Zero(t, w.Report().Files)
	write(t, dir, "sessions/rollout-1.jsonl", recorded(t, "codex"))
	require.NoError(t, follow(t, w))
	assert.Zero(t, w.Report().Compressed)
	assert.Equal(t, 1, w.Report().Files)
}

func TestAnEmptyFileThatAPersonFollowsIsKnownOnceItHasRows(t *testing.T) {
	dir := t.TempDir()
	k := &taker{t: t}
	w := k.walk(write(t, dir, "copy.jsonl", ""))
	require.NoError(t, follow(t, w))
	write(t, dir, "copy.jsonl", recorded(t, "codex"))
	require.NoError(t, follow(t, w))
	require.NotEmpty(t, k.list)
	assert.Equal(t, "codex", k.list[0].Agent)
}

// TestAFileOfQwenCodeIsNotCalledClaudeCode holds for files that the two programs name alike, in a folder and alone,
// with what an editor put in front.
func TestAFileOfQwenCodeIsNotCalledClaudeCode(t *testing.T) {
	text := `{"type":"system","subtype":"session_source","sessionId":"q","uuid":"u0","cwd":"/w"}` + "\r\n" +
		`{"type":"user","sessionId":"q","uuid":"u1","cwd":"/w","message":{"role":"user","parts":[{"text":"why?"}]}}` +
		"\r\n"
	dir := t.TempDir()
	chats := filepath.Join(dir, "projects", "-w", "chats")
	require.NoError(t, os.MkdirAll(chats, 0o700))
	path := write(t, chats, "8f7a.jsonl", "\ufeff"+text)
	for _, place := range []string{dir, path} {
		k := &taker{t: t}
		require.NoError(t, k.walk(place).Once(t.Context()))
		assert.Equal(t, []string{"why?"}, k.prompts())
		for _, s := range k.list {
			assert.Equal(t, "qwen", s.Agent)
		}
	}
}

func TestARolloutWithoutEnvelopesIsKnownByItsFirstRow(t *testing.T) {
	k := &taker{t: t}
	w := k.walk(write(t, t.TempDir(), "copy.jsonl",
		`{"id":"01a","timestamp":"2026-11-20T09:00:00Z","instructions":null}`+"\n"+
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}`+"\n"))
	require.NoError(t, w.Once(t.Context()))
	assert.Equal(t, []string{"fix it"}, k.prompts())
	assert.Equal(t, "codex", k.list[0].Agent)
}
