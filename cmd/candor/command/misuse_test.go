package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// execute runs the program but for its process, and returns what it wrote to standard error.
func execute(t *testing.T, args ...string) (status int, errOut string) {
	t.Helper()
	var stdout, stderr apptest.LogBuffer
	status = command.Execute(t.Context(), append([]string{"candor"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stderr.String()
}

// TestAMistakeIsSaidOnceAndInOneSentence holds the exit status of mistakes, and their words: one message,
// without the capital of a sentence behind the colon, that says what to do.
func TestAMistakeIsSaidOnceAndInOneSentence(t *testing.T) {
	apptest.HideProviders(t)
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	for name, c := range map[string]struct {
		token  string
		args   string
		status int
		want   string
	}{
		"a command that is none": {"ann", "sevre", 2, `candor: there is no command "sevre"; did you mean serve?`},
		"a flag that is none":    {"ann", "tail --thraed x", 2, "candor: tail has no flag --thraed"},
		"a flag that is missing": {"ann", "worker", 2, `candor: worker needs --job; see candor worker --help`},
		"a number that is none":  {"ann", "serve --max-streams many", 2, "see candor serve --help"},
		"a flag ahead of a command": {"ann", "--server x", 2,
			"candor: there is no flag --server before a command: put flags after its name; see candor --help"},
		"a time that is none": {"ann", "import --interval soon", 2,
			`candor: --interval: "soon" is not a time such as 30s; see candor import --help`},
		"no number": {"ann", "serve --max-streams many", 2, `candor: --max-streams: "many" is not a number; see`},
		"no list of tools": {"ann", "attach claude --approve=B(", 2,
			`candor: --approve: "B(" is not a list of tools such as Bash,Write; see candor attach --help`},
		"a wrong path": {"ann", "reasoning last --server " + s.HTTP.URL + "/candor", 1,
			"candor: there is nothing at " + s.HTTP.URL + "/candor/api/chat/threads: is " + s.HTTP.URL + "/candor the"},
		"https where there is none": {"ann",
			"reasoning last --server " + strings.Replace(s.HTTP.URL, "http", "https", 1), 1,
			"by https: it speaks http, so that its address begins with http://"},
		"a script that is not there": {"ann", "serve --addr 127.0.0.1:0 --provider script --script /nope.json", 2,
			"candor: --script: open /nope.json"},
		"servers that are not there": {"ann", "serve --addr 127.0.0.1:0 --mcp /nope.json", 2,
			"candor: --mcp: open /nope.json"},
		"users that are not there": {"ann", "serve --addr 127.0.0.1:0 --tokens /nope", 2,
			"candor: --tokens: open /nope"},
		"an unknown token": {"nobody", "reasoning last", 1,
			"candor: the server does not know this token: set CANDOR_TOKEN"},
		"an unknown token, for chat":  {"nobody", "chat hi", 1, "set CANDOR_TOKEN"},
		"no conversation":             {"ann", "export last", 1, "candor: there is no conversation yet"},
		"no such thread":              {"ann", "export abcd1234", 1, "candor: there is no such thread"},
		"no such job":                 {"ann", "tail --job nope", 1, "candor: there is no such job; candor list"},
		"a doctor who sees a mistake": {"nobody", "doctor", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CANDOR_TOKEN", apptest.TokenOf(c.token))
			status, errOut := execute(t, strings.Fields(c.args)...)
			assert.Equal(t, c.status, status, errOut)
			assert.Contains(t, errOut, c.want)
			assert.NotRegexp(t, `: [A-Z][a-z]`, errOut)
			if c.want == "" {
				assert.Empty(t, errOut, "the lines marked with a cross say it")
			}
			assert.LessOrEqual(t, strings.Count(errOut, "\n"), 1)
		})
	}
}

// TestEveryHelpFitsInto80Columns holds that no terminal breaks a line of help, which would be in the middle
// of a word.
func TestEveryHelpFitsInto80Columns(t *testing.T) {
	commands := []string{"", "serve", "login", "chat", "reasoning", "list", "tail", "export", "import", "attach",
		"hook",
		"worker", "mew", "scan",
		"doctor", "backup", "restore", "mcp", "wrap", "completion"}
	for _, name := range commands {
		var out apptest.LogBuffer
		args := []string{"candor", name, "--help"}
		if name == "" {
			args = []string{"candor", "--help"}
		}
		require.NoError(t, command.Run(t.Context(), args, strings.NewReader(""), &out, &out))
		assert.Greater(t, strings.Count(out.String(), "\n"), 10, name)
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 80, "%s: %s", name, line)
		}
	}
	var help apptest.LogBuffer
	require.NoError(t, command.Run(t.Context(), []string{"candor", "--help"}, strings.NewReader(""), &help, &help))
	for _, name := range commands {
		assert.Contains(t, help.String(), name, "the list of this test has all commands")
	}
	_, list, _ := strings.Cut(help.String(), "COMMANDS:")
	list, _, _ = strings.Cut(list, "GLOBAL OPTIONS:")
	assert.Equal(t, len(commands)-1, strings.Count(list, "\n   ")-1, "all but help")
}
