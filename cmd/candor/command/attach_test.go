package command_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// attaching returns what candor attach prints to somebody who answers.
func attaching(t *testing.T, answer string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, errOut apptest.LogBuffer
	err = command.Run(t.Context(), append([]string{"candor", "attach"}, args...), strings.NewReader(answer), &out,
		&errOut)
	assert.Empty(t, errOut.String())
	return out.String(), err
}

// settingsFolder is a folder of Claude Code with settings, and returns the file.
func settingsFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", dir)
	t.Setenv("CANDOR_SERVER", "http://127.0.0.1:8181")
	name := filepath.Join(dir, "settings.json")
	if text != "" {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o640))
	}
	return name
}

func contentOf(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(raw)
}

func TestAttachAsksChangesOneFileAndTakesItBack(t *testing.T) {
	const mine = "{\n  \"model\": \"mine\"\n}\n"
	name := settingsFolder(t, mine)
	out, err := attaching(t, "", "claude", "--dry-run")
	require.NoError(t, err)
	assert.Contains(t, out, ` hook claude --server 'http://127.0.0.1:8181'`)
	assert.Contains(t, out, "  {\n-   \"model\": \"mine\"\n+   \"model\": \"mine\",\n+   \"hooks\": {\n")
	assert.Equal(t, mine, contentOf(t, name), "a dry run")

	for _, answer := range []string{"", "n\n", "what\n"} {
		out, err = attaching(t, answer, "claude")
		require.ErrorContains(t, err, "nothing was changed")
		assert.Contains(t, out, "and keep the rest? [y/N]")
		assert.Equal(t, mine, contentOf(t, name))
	}

	out, err = attaching(t, "y\n", "claude")
	require.NoError(t, err)
	assert.Contains(t, out, "export CANDOR_TOKEN=…")
	assert.Contains(t, out, "What hooks do not report: the model's reasons (unless you use\n--ask-reasons), the")
	assert.Contains(t, contentOf(t, name), `"model": "mine"`)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	files, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, files, 1, "no draft is left")

	out, err = attaching(t, "", "claude")
	require.NoError(t, err)
	assert.Contains(t, out, "is up to date: nothing was changed")
	out, err = attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, name+": reports to http://127.0.0.1:8181; does not ask for reasons; no call waits\n")
	assert.Contains(t, out, "settings.local.json: not attached\n")

	_, err = attaching(t, "", "claude", "--undo", "--yes")
	require.NoError(t, err)
	assert.Equal(t, mine, contentOf(t, name))
	out, err = attaching(t, "", "claude", "--undo")
	require.NoError(t, err)
	assert.Contains(t, out, "nothing was changed")
}

func TestAttachNamesTheTokenAndSaysWhetherAServerIsThere(t *testing.T) {
	settingsFolder(t, "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/health" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	const away = "No Candor server answers at "
	folder := filepath.Join(t.TempDir(), "ann's")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, ".candor"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, ".candor", "token"), []byte("blue-parrot-7"), 0o600))
	t.Chdir(folder)

	out, err := attaching(t, "", "claude", "--dry-run", "--server", server.URL+"/nope")
	require.NoError(t, err)
	assert.Contains(t, out, "\nNothing was changed.")
	assert.Contains(t, out, away+server.URL+"/nope now: start it, or name another with --server.\n")

	out, err = attaching(t, "y\n", "claude", "--server", server.URL+"/")
	require.NoError(t, err)
	quoted := strings.ReplaceAll(filepath.Join(folder, ".candor", "token"), "'", `'\''`)
	assert.Contains(t, out, `export CANDOR_TOKEN="$(cat '`+quoted+`')"`)
	assert.NotContains(t, out, "blue-parrot-7")
	assert.Contains(t, out, "under Watched agents: "+server.URL+"/\n")
	assert.NotContains(t, out, away)

	server.Close()
	out, err = attaching(t, "y\n", "claude", "--project", folder, "--server", server.URL)
	require.NoError(t, err, "the hooks may be set before the server is started")
	assert.Contains(t, out, away)
	out, err = attaching(t, "y\n", "claude", "--undo")
	require.NoError(t, err)
	assert.NotContains(t, out, away)
}

func TestAttachLetsCallsWaitForAPerson(t *testing.T) {
	name := settingsFolder(t, "")
	out, err := attaching(t, "", "claude", "--approve", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "Calls of Bash, Edit, MultiEdit, NotebookEdit, Write, mcp__.*\nwait for an answer")
	assert.Contains(t, contentOf(t, name), " hook claude --approve ")
	_, err = attaching(t, "", "claude", "--approve=Read, WebFetch", "--yes")
	require.NoError(t, err)
	assert.Contains(t, contentOf(t, name), `"matcher": "^(Read|WebFetch)$"`)
	out, err = attaching(t, "", "claude", "--yes")
	require.NoError(t, err)
	assert.NotContains(t, out, "wait for an answer")
	assert.NotContains(t, contentOf(t, name), "--approve")
	for args, text := range map[string]string{
		"claude --approve=B(ash":  `"B(ash" is not a list of tools`,
		"claude --approve=,":      `"," is not a list of tools`,
		"claude --approve --undo": "--approve, --ask-reasons and --thinking add hooks, --undo removes them",
		"--list --approve":        "attach --list takes neither",
	} {
		_, err := attaching(t, "", strings.Fields(args)...)
		require.ErrorContains(t, err, text)
	}
}

// TestAttachLetsCallsOfProgramsThatRunCommandsWait holds the same for Codex, Gemini CLI and Qwen Code, together with
// the request for reasons, and that their users read what an approval means.
func TestAttachLetsCallsOfProgramsThatRunCommandsWait(t *testing.T) {
	settingsFolder(t, "")
	dir := t.TempDir()
	t.Setenv("CODEX_HOME", dir)
	t.Setenv("GEMINI_CLI_HOME", dir)
	t.Setenv("QWEN_HOME", filepath.Join(dir, ".qwen"))
	for agent, c := range map[string]struct{ file, tools string }{
		"codex":  {"hooks.json", "Bash, apply_patch, mcp__.*"},
		"gemini": {".gemini/settings.json", "run_shell_command, replace, write_file, mcp_.*"},
		"qwen":   {".qwen/settings.json", "run_shell_command, edit, write_file, notebook_edit, mcp__.*"},
	} {
		out, err := attaching(t, "", agent, "--approve", "--ask-reasons", "--yes")
		require.NoError(t, err)
		assert.Contains(t, out, "Calls of "+c.tools+"\nwait for an answer")
		assert.Contains(t, out, "can only deny a call")
		file := contentOf(t, filepath.Join(dir, c.file))
		assert.Contains(t, file, " hook "+agent+" --approve --server ")
		assert.Contains(t, file, " hook "+agent+" --ask-reasons --server ")
		_, err = attaching(t, "", agent, "--approve=mine", "--yes")
		require.NoError(t, err)
		assert.Contains(t, contentOf(t, filepath.Join(dir, c.file)), `"matcher": "^(mine)$"`)
		_, err = attaching(t, "", agent, "--undo", "--yes")
		require.NoError(t, err)
		assert.NoFileExists(t, filepath.Join(dir, c.file), "it was not there before")
	}
}

func TestAttachAsksTheModelForReasons(t *testing.T) {
	name := settingsFolder(t, "")
	out, err := attaching(t, "", "claude", "--ask-reasons", "--approve", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "asks the model for a line before each call")
	assert.Contains(t, out, "What hooks do not report: the model's thoughts")
	list, err := attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, list, "; asks for reasons; calls wait for approval\n")
	assert.Contains(t, contentOf(t, name), " hook claude --ask-reasons ")
	assert.Contains(t, contentOf(t, name), " hook claude --approve ")
	out, err = attaching(t, "", "claude", "--yes")
	require.NoError(t, err)
	assert.NotContains(t, out, "for a line before")
	assert.NotContains(t, contentOf(t, name), "--ask-reasons")
	t.Setenv("CODEX_HOME", t.TempDir())
	_, err = attaching(t, "", "codex", "--ask-reasons", "--yes")
	require.NoError(t, err)
	assert.Contains(t, contentOf(t, filepath.Join(os.Getenv("CODEX_HOME"), "hooks.json")),
		"hook codex --ask-reasons --server")
	for args, text := range map[string]string{
		"opencode --ask-reasons":      "hooks of opencode cannot ask its model for reasons",
		"claude --ask-reasons --undo": "add hooks, --undo removes them",
		"--list --ask-reasons":        "attach --list takes neither",
	} {
		_, err := attaching(t, "", strings.Fields(args)...)
		require.ErrorContains(t, err, text)
	}
}

func TestAttachHasTheProgramAskForSummariesOfThoughts(t *testing.T) {
	const mine = "{\n  \"model\": \"mine\"\n}\n"
	name := settingsFolder(t, mine)
	for range 2 {
		_, err := attaching(t, "", "claude", "--thinking", "--ask-reasons", "--yes")
		require.NoError(t, err)
		assert.Contains(t, contentOf(t, name), "\n  \"showThinkingSummaries\":  true\n}\n")
	}
	_, err := attaching(t, "", "claude", "--yes")
	require.NoError(t, err)
	assert.NotContains(t, contentOf(t, name), "showThinkingSummaries")
	_, err = attaching(t, "", "claude", "--thinking", "--yes")
	require.NoError(t, err)
	_, err = attaching(t, "", "claude", "--undo", "--yes")
	require.NoError(t, err)
	assert.Equal(t, mine, contentOf(t, name))

	codexs := t.TempDir()
	t.Setenv("CODEX_HOME", codexs)
	config := filepath.Join(codexs, "config.toml")
	require.NoError(t, os.WriteFile(config, []byte("model = \"m\"\n"), 0o600))
	out, err := attaching(t, "", "codex", "--thinking", "--dry-run")
	require.NoError(t, err)
	assert.Contains(t, out, "+ model_reasoning_summary = \"auto\"")
	assert.Equal(t, "model = \"m\"\n", contentOf(t, config))
	_, err = attaching(t, "y\nn\n", "codex", "--thinking")
	require.ErrorContains(t, err, config+" was not changed")
	out, err = attaching(t, "y\n", "codex", "--thinking")
	require.NoError(t, err)
	assert.Contains(t, out, "up to date: nothing was changed.\n"+config+": ask for summaries")
	assert.Contains(t, contentOf(t, config), "model_reasoning_summary = \"auto\" # candor attach --thinking\nmodel")
	out, err = attaching(t, "", "codex", "--undo", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "Removed the setting for summaries from "+config)
	assert.Equal(t, "model = \"m\"\n", contentOf(t, config))
	require.NoError(t, os.WriteFile(config, []byte("model_reasoning_summary = \"none\"\n"), 0o600))
	_, err = attaching(t, "", "codex", "--thinking", "--yes")
	require.ErrorContains(t, err, "remove it first")
	for args, text := range map[string]string{
		"opencode --thinking":      "opencode has no setting for summaries of thoughts",
		"gemini --thinking":        "gemini has no setting for summaries of thoughts",
		"claude --thinking --undo": "add hooks, --undo removes them",
		"--list --thinking":        "attach --list takes neither",
	} {
		_, err := attaching(t, "", strings.Fields(args)...)
		require.ErrorContains(t, err, text)
	}
}

func TestAttachKeepsALinkAndMakesWhatIsMissing(t *testing.T) {
	name := settingsFolder(t, "")
	real := filepath.Join(t.TempDir(), "dotfile.json")
	require.NoError(t, os.WriteFile(real, []byte("{}\n"), 0o600))
	require.NoError(t, os.Symlink(real, name))
	_, err := attaching(t, "", "claude", "--yes")
	require.NoError(t, err)
	assert.Contains(t, contentOf(t, real), " hook claude ")
	info, err := os.Lstat(name)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)

	project := t.TempDir()
	_, err = attaching(t, "", "claude", "--yes", "--project", project)
	require.NoError(t, err)
	local := filepath.Join(project, ".claude", "settings.local.json")
	assert.Contains(t, contentOf(t, local), " hook claude ")
	out, err := attaching(t, "", "--list", "--project", project)
	require.NoError(t, err)
	assert.Contains(t, out, local+": reports to http://127.0.0.1:8181; does not ask for reasons; no call waits\n")
}

// TestCodexRunsThisProgramAsItsHook holds that the hooks of Codex, which runs commands, are in its file, name this
// program, and that its user is told to trust them.
func TestCodexRunsThisProgramAsItsHook(t *testing.T) {
	settingsFolder(t, "")
	dir := t.TempDir()
	t.Setenv("CODEX_HOME", dir)
	out, err := attaching(t, "", "codex", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "choose to trust them")
	self, err := os.Executable()
	require.NoError(t, err)
	hooks := filepath.Join(dir, "hooks.json")
	assert.Contains(t, contentOf(t, hooks), "'"+self+"' hook codex --server 'http://127.0.0.1:8181'")
	out, err = attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, hooks+": reports to http://127.0.0.1:8181; does not ask for reasons; no call waits\n")
	_, err = attaching(t, "", "codex", "--undo", "--yes")
	require.NoError(t, err)
	assert.NoFileExists(t, hooks)
	project := t.TempDir()
	_, err = attaching(t, "", "codex", "--yes", "--project", project)
	require.NoError(t, err)
	assert.Contains(t, contentOf(t, filepath.Join(project, ".codex", "hooks.json")), "hook codex")
}

func TestAttachSaysWhatIsWrong(t *testing.T) {
	name := settingsFolder(t, `{"hooks":[]}`)
	for text, args := range map[string]string{
		`attach knows claude, codex, gemini, opencode, qwen, not the agent "cursor"`: "cursor",
		`attach takes an agent: claude, codex, gemini, opencode`:                     "",
		`not the argument "codex" as well`:                                           "claude codex",
		`as well; to choose the tools whose calls wait, write --approve=Bash,Write`:  "claude --approve Bash,Write",
		"attach --list takes neither":                                                "--list --undo",
		"--server: the server must be a URL":                                         "claude --server nonsense",
		name + ": correct the file first: line 1, column 10: hooks is no object":     "claude --yes",
	} {
		_, err := attaching(t, "", strings.Fields(args)...)
		require.ErrorContains(t, err, text)
	}
	out, err := attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, "cannot be read")
	assert.Equal(t, `{"hooks":[]}`, contentOf(t, name))
}

func TestTheListSaysWhenEachChannelWasLastHeard(t *testing.T) {
	settingsFolder(t, "")
	s := apptest.Start(t, app.Settings{}, nil)
	t.Setenv("CANDOR_TOKEN", "") // the folder of this package has no token either
	out, err := attaching(t, "", "--list", "--server", s.HTTP.URL)
	require.NoError(t, err)
	assert.Contains(t, out, "Could not ask the server when each agent last reported: a token is needed")

	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	out, err = attaching(t, "", "--list", "--server", s.HTTP.URL)
	require.NoError(t, err)
	assert.Contains(t, out, "none yet")
	for _, session := range []string{"s1", "s2"} {
		r := s.Post("ann", "/api/hooks/claude",
			`{"hook_event_name":"UserPromptSubmit","session_id":"`+session+`","prompt_id":"p1","prompt":"go"}`)
		require.Equal(t, 200, r.Status, r.Body)
	}
	out, err = attaching(t, "", "--list", "--server", s.HTTP.URL)
	require.NoError(t, err)
	assert.Regexp(t, `Last report to http://127.0.0.1:\d+:\n  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  Claude Code, hooks\n$`,
		out)
}
