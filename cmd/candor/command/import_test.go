package command_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// attachedServer takes sightings, of which it knows the second half.
func attachedServer(t *testing.T, away *atomic.Bool) (url string, posted *apptest.LogBuffer) {
	t.Helper()
	posted = &apptest.LogBuffer{}
	s := httptest.NewServer(enveloped(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		if away.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = posted.Write(body)
		_, _ = io.WriteString(w, `{"taken":3,"known":2}`)
	}))
	t.Cleanup(s.Close)
	return s.URL, posted
}

// importing returns what candor import prints.
func importing(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut apptest.LogBuffer
	err = command.Run(t.Context(), append([]string{"candor", "import"}, args...), strings.NewReader(""), &out, &errOut)
	return out.String(), errOut.String(), err
}

const claudeTestdata = "../../../attach/claude/testdata"

func TestImportPostsWhatFilesTellAndSaysWhatTheyLose(t *testing.T) {
	url, posted := attachedServer(t, new(atomic.Bool))
	t.Setenv("CANDOR_SERVER", url)
	t.Setenv("CANDOR_TOKEN", "ann")
	stdout, stderr, err := importing(t, "-v", filepath.Join(claudeTestdata, "session.jsonl"))
	require.NoError(t, err)
	assert.Empty(t, stderr, "no bar where there is no terminal")
	want, err := os.ReadFile(filepath.Join(claudeTestdata, "session.want"))
	require.NoError(t, err)
	assert.Equal(t, strings.Count(string(want), "\n"), strings.Count(posted.String(), "\n"))
	assert.Contains(t, posted.String(), `"call":"toolu_one0a"`)
	for _, said := range []string{"Read 40 kB in 1 file: 107 rows gave 39 facts.\n",
		"The server added 3 and already had 2.\nSee Watched agents on the page: " + url + "/\n",
		"  results that the file itself has cut: 1\n", "dropped: 128\n",
		"22 attachment hook_success, 7 api-",
		"and 15 more kinds", "No call has a reason"} {
		assert.Contains(t, stdout, said)
	}
}

func TestImportSaysThatThereAreNoReasonsOnlyWhereThereAreNone(t *testing.T) {
	row := func(text string) string {
		return `{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"` +
			text + `"},{"type":"tool_use","id":"c","name":"Bash","input":{}}]}}` + "\n"
	}
	for text, found := range map[string]bool{
		"I look.": false, "The reason for Bash is simple.": false,
		`I look.\nReason for Bash: to see it`: true, "- **Reason for mcp__a.b:** to see it": true,
	} {
		name := filepath.Join(t.TempDir(), "session.jsonl")
		require.NoError(t, os.WriteFile(name, []byte(row(text)), 0o600))
		stdout, _, err := importing(t, "--dry-run", name)
		require.NoError(t, err)
		assert.Equal(t, !found, strings.Contains(stdout, "No call has a reason"), text)
	}
}

func TestWithoutCallsNobodyIsToldHowToAskForReasons(t *testing.T) {
	name := filepath.Join(t.TempDir(), "session.jsonl")
	row := `{"type":"user","sessionId":"s","message":{"content":"Hello"}}` + "\n"
	require.NoError(t, os.WriteFile(name, []byte(row), 0o600))
	stdout, _, err := importing(t, "--dry-run", name)
	require.NoError(t, err)
	assert.Equal(t, "Read 62 bytes in 1 file: 1 row gave 2 facts.\nNothing was sent.\n", stdout)
}

func TestSessionsThatCodexCompressedHaveALineOfTheirOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, name := range []string{"rollout-1.jsonl.zst", "rollout-2.jsonl.zst"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("zst"), 0o600))
	}
	stdout, _, err := importing(t, "--dry-run", dir)
	require.NoError(t, err)
	assert.Contains(t, stdout, "Not read: 2 sessions that Codex compressed. Unpack the ones you want (zstd -d ")
	assert.NotContains(t, stdout, "not known")
}

func TestFollowingWhatIsNotThereIsAnErrorAndNoMore(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	stdout, stderr, err := importing(t, "--follow", "/nope")
	require.ErrorContains(t, err, "/nope does not exist")
	assert.Empty(t, stdout+stderr)
}

func TestADryRunSendsNothingAndNeedsNoServer(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "")
	t.Setenv("CLAUDE_CONFIG_DIR", claudeTestdata)
	stdout, _, err := importing(t, "--dry-run")
	require.NoError(t, err)
	assert.Contains(t, stdout, "Nothing was sent.\n")
	assert.Contains(t, stdout, "in 5 files", "the folder of CLAUDE_CONFIG_DIR; hooks are no session")
	assert.Regexp(t, `damaged rows, lost: \d+\n(.*\n)*    damaged: .*\.jsonl\n`, stdout)
	assert.Regexp(t, `left out \(-v lists them\): \d+\n`, stdout)
	assert.NotContains(t, stdout, "not known: ")
	stdout, _, err = importing(t, "--dry-run", "-v")
	require.NoError(t, err)
	assert.Contains(t, stdout, "or are not known: ")
}

func TestImportSaysWhatIsWrong(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	t.Setenv("CANDOR_SERVER", "http://127.0.0.1:1")
	file := filepath.Join(claudeTestdata, "session.jsonl")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing there": {[]string{"/nope"}, "/nope does not exist: name a session file"},
		"one of two":    {[]string{"--dry-run", file, "/nope"}, "/nope does not exist: name a session file"},
		"no sessions":   {[]string{t.TempDir()}, "there are no session files in"},
		"an empty name": {[]string{file, ""}, "the file name is empty"},
		"no session":    {[]string{"import_test.go"}, "import_test.go is not a session file of a known agent"},
		"a contradiction": {[]string{"--follow", "--dry-run", file},
			"--follow with --dry-run would never send anything"},
		"no effect": {[]string{"--interval", "2s", file}, "--interval has no effect without --follow"},
		"too often": {[]string{"--follow", "--interval", "1ms", file}, "1ms is less than 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := importing(t, c.args...)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestImportTakesSeveralFilesAndSaysWhichIsNone holds that a file that is none keeps out no other one.
func TestImportTakesSeveralFilesAndSaysWhichIsNone(t *testing.T) {
	url, posted := attachedServer(t, new(atomic.Bool))
	t.Setenv("CANDOR_SERVER", url)
	t.Setenv("CANDOR_TOKEN", "ann")
	stdout, _, err := importing(t, filepath.Join(claudeTestdata, "agent-a0000000000000001.jsonl"), "import_test.go",
		filepath.Join("../../../attach/codex/testdata", "session.jsonl"))
	require.ErrorContains(t, err, "import_test.go is not a session file of a known agent")
	assert.NotContains(t, err.Error(), "testdata")
	assert.Contains(t, posted.String(), `"call":"toolu_sub0a"`)
	assert.Contains(t, posted.String(), `"call":"call_one0a"`)
	assert.Contains(t, stdout, "in 3 files")
}

func TestFollowingWaitsForAServerThatIsAway(t *testing.T) {
	var away atomic.Bool
	away.Store(true)
	url, posted := attachedServer(t, &away)
	t.Setenv("CANDOR_SERVER", url)
	t.Setenv("CANDOR_TOKEN", "ann")
	file := filepath.Join(t.TempDir(), "session.jsonl")
	session, err := os.ReadFile(filepath.Join(claudeTestdata, "session.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, session, 0o600))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errOut apptest.LogBuffer
	ended := make(chan error, 1)
	go func() {
		ended <- command.Run(ctx, []string{"candor", "import", "--follow", "--interval", "50ms", file},
			strings.NewReader(""), &out, &errOut)
	}()
	soon := func(is func() bool) { require.Eventually(t, is, 2*time.Minute, time.Millisecond) }
	soon(func() bool {
		return strings.Contains(errOut.String(), "The server is not reachable; new rows wait for it.")
	})
	assert.Empty(t, posted.String())
	away.Store(false)
	soon(func() bool { return strings.Contains(posted.String(), "toolu_one0a") })
	// What comes next is posted once the answer to the first post has come.
	later := bytes.ReplaceAll(session, []byte("toolu_one"), []byte("toolu_later"))
	require.NoError(t, os.WriteFile(file, append(session, later...), 0o600))
	soon(func() bool { return strings.Contains(posted.String(), "toolu_later0a") })
	stop()
	require.NoError(t, <-ended)
	assert.Regexp(t, "The server added [36] and", out.String(), "with or without the last post, which was under way")
	assert.Equal(t, 1, strings.Count(errOut.String(), "not reachable"), "it is said once")
	assert.Equal(t, 1, strings.Count(errOut.String(), "The server is back.\n"), "and so is this")
}

// TestImportReadsTheSessionsOfEachProgramThatWasUsed holds for the folders that their variables name, of which those of
// programs that were not used here do not exist.
func TestImportReadsTheSessionsOfEachProgramThatWasUsed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for variable, name := range map[string]string{"CLAUDE_CONFIG_DIR": "claude", "CODEX_HOME": "codex",
		"GEMINI_CLI_HOME": "gemini", "XDG_DATA_HOME": "data", "QWEN_HOME": "qwen", "QWEN_RUNTIME_DIR": "runs",
		"COPILOT_HOME": "copilot", "PI_CODING_AGENT_DIR": "pi"} {
		t.Setenv(variable, filepath.Join(dir, name))
	}
	for from, to := range map[string]string{
		"copilot/testdata/session.jsonl":     "copilot/session-state/s1/events.jsonl",
		"pi/testdata/session.jsonl":          "pi/sessions/--w--/2026-11-20T09-00-00-000Z_s1.jsonl",
		"gemini/testdata/qwen/session.jsonl": "runs/projects/-w/chats/s1.jsonl",
	} {
		raw, err := os.ReadFile(filepath.Join("../../../attach", from))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), raw, 0o600))
	}
	stdout, stderr, err := importing(t, "--dry-run")
	require.NoError(t, err)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, " in 3 files: ")
	assert.NotContains(t, stdout, "damaged")
}
