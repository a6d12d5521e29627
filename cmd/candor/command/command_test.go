package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"
)

func TestCommandsThatLookExplainTheirMistakes(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t)
	r.Must("POST", "/api/chat/thread/new", "{}", 201)
	for _, tt := range []struct {
		name, args, want string
		status           int
	}{
		{"no thread", "reasoning", "reasoning takes a thread", 2},
		{"a search mistyped", "reasoning serch x", `"serch" is not a thread; did you mean search?`, 2},
		{"a turn that is none", "reasoning last some", `"some" is not a turn: want a number, all or last`, 2},
		{"a thread that is none", "reasoning abcd1234", "no such thread; candor list", 1},
		{"a turn that is not there", "reasoning last 7", "as reported", 1},
		{"a thread without turns", "reasoning last", "no turn of this thread has ended yet", 1},
		{"too much", "reasoning a 1 2", "see candor reasoning --help", 2},
		{"a job that is none", "reasoning --job abcd1234", "there is no such job", 1},
		{"a thread besides a job", "reasoning --job abcd1234 last 1", "see candor reasoning --help", 2},
		{"tail of a thread that is none", "tail --thread abcd1234", "no such thread", 1},
		{"tail of a job that is none", "tail --job nope", "there is no such job; candor list", 1},
		{"tail of a server that is not there", "tail --server http://127.0.0.1:1",
			"connection refused. Is it running?", 1},
		{"tail of words", "tail it", `tail takes flags only, not the argument "it"`, 2},
		{"export of nothing", "export", "export takes one thread or job", 2},
		{"export of a thing that is none", "export abcd1234", "no such thread or job; candor list", 1},
		{"export of a job that is none", "export --job abcd1234", "there is no such job; candor list", 1},
		{"export of both", "export --job abcd1234 last", "see candor export --help", 2},
		{"a list of something", "list it", `list takes flags only, not the argument "it"`, 2},
		{"a format that is none", "export last --format exe", `"exe" is not md, jsonl or html`, 2},
		{"a color that is none", "tail --color pink", `"pink" is not auto, always or never`, 2},
		{"a token file that is none", "tail --token-file nowhere", "", 2},
		{"a server that is none", "tail --server nowhere", "must be a URL", 1},
		{"a server that is not there", "reasoning last --server http://127.0.0.1:1",
			"Is it running? candor serve starts it", 1},
		{"chat goes on with nothing", "chat --continue", "--thread and --continue need --server", 2},
		{"doctor of words", "doctor it", `doctor takes flags only, not the argument "it"`, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"candor"}, strings.Fields(tt.args)...)
			switch {
			case tt.want == "":
				t.Setenv("CANDOR_TOKEN", "")
				tt.want, tt.status = "--token-file: open nowhere", 2
			case !strings.Contains(tt.args, "--server") && args[1] != "chat":
				args = append(args, "--server", r.URL)
			}
			var out apptest.LogBuffer
			err := command.Run(t.Context(), args, strings.NewReader(""), &out, &out)
			require.ErrorContains(t, err, tt.want)
			assert.Equal(t, tt.status, command.ExitStatus(err))
		})
	}
	r.Stop()
}

func TestShellsAreTaught(t *testing.T) {
	ask := func(args ...string) string {
		out, err := program.Command(t.Context(), t, args...).Output()
		require.NoError(t, err)
		return string(out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		assert.Contains(t, ask("completion", shell), "--generate-shell-completion", shell)
	}
	for _, name := range []string{"serve", "chat", "reasoning", "list", "tail", "export", "worker", "mew", "scan",
		"doctor"} {
		assert.Contains(t, ask("--generate-shell-completion"), name+":")
	}
	assert.Contains(t, ask("tail", "--t", "--generate-shell-completion"), "--thread:")
}

// Every command of the family has JSON, examples and its exit statuses in its help.
func TestEveryCommandOfTheFamilyExplainsItself(t *testing.T) {
	for _, name := range []string{"chat", "reasoning", "list", "tail", "export", "scan", "doctor"} {
		var out apptest.LogBuffer
		require.NoError(t, command.Run(t.Context(), []string{"candor", name, "--help"}, strings.NewReader(""), &out,
			&out))
		for _, want := range []string{"EXIT STATUS", "EXAMPLES", "--json", "candor " + name} {
			assert.Contains(t, out.String(), want, name)
		}
	}
}
