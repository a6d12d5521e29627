package command_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

const toolNames = "decide, file_list, file_read, file_search, http_get, memory_save, memory_search, shell, time"

// uselessFlags are command lines with a flag that would have no effect, and the message that
// refuses it.
var uselessFlags = []struct{ name, args, want string }{
	{"a denied tool that does not exist", "serve --deny typo", `--deny: there is no tool "typo"; take ` + toolNames},
	{"in a conversation", "chat --deny typo hi", `--deny: there is no tool "typo"; take ` + toolNames},
	{"in a worker", "worker --job j --deny typo", `--deny: there is no tool "typo"; take ` + toolNames},
	{"an approved tool that does not exist", "serve --approve nope=ask",
		`--approve: there is no tool "nope"; take ` + toolNames},
	{"several at once", "serve --deny a --approve b=ask",
		`--deny: there is no tool "a"; --approve: there is no tool "b"; take `},
	{"a denied tool with a capital", "serve --deny Shell", `there is no tool "Shell"`},
	{"an empty name", "serve --deny=", `--deny: there is no tool ""`},

	{"a tool of a server although there is none", "serve --deny github/deploy",
		"--deny github/deploy: there are no MCP servers; configure them with --mcp"},
	{"a time limit of no server", "serve --mcp-timeout 30s", "--mcp-timeout has no effect without --mcp"},
	{"a time limit that is over", "worker --job j --mcp-timeout=-1s", "--mcp-timeout: want a time such as 2m, not -1s"},

	{"a script without its provider", "serve --script x.json",
		"--script has no effect with the provider offline: add --provider script, or leave --script out"},
	{"a script for another provider", "chat --provider anthropic --script x.json hi", "--script has no effect"},
	{"a script of a worker", "worker --job j --script x.json", "--script has no effect"},
	{"a model for the offline provider", "serve --model gpt-5", "--model has no effect with the provider offline: " +
		"add --provider openai or --provider anthropic, or leave --model out"},
	{"an effort for a provider that has none", "serve --effort high", "--effort has no effect"},
	{"an effort that does not exist", "serve --provider openai --effort hihg",
		`--effort: "hihg" is not one of none, minimal, low, medium, high, xhigh, max`},
	{"an API of another provider", "serve --provider anthropic --api responses",
		"--api has no effect with the provider anthropic: add --provider openai"},
	{"OpenAI without a key", "serve --provider openai", "the provider openai needs a key: set OPENAI_API_KEY"},
	{"Anthropic without a key", "chat --provider anthropic hi", "the provider anthropic needs a key: " +
		"set ANTHROPIC_API_KEY, or set ANTHROPIC_BASE_URL to a server that needs none"},
	{"delegation of a script", "serve --delegate --provider script --script x.json",
		"--delegate has no effect with the provider script"},

	{"a server's provider", "chat --server http://127.0.0.1:1 --provider offline hi",
		"--provider cannot be used with a server: the server at 127.0.0.1:1 decides that"},
	{"a server's tools and safety", "chat --server http://127.0.0.1:1 --deny shell --secret-env=X hi",
		"--deny, --secret-env cannot be used"},
	{"a server's timeout and log", "chat --server http://127.0.0.1:1 --approval-timeout 1m --log x hi",
		"--approval-timeout, --log cannot be used"},
	{"two conversations", "chat --server http://127.0.0.1:1 --thread a --continue hi",
		"--thread and --continue both choose a conversation"},
	{"a token for no server", "chat --token-file x hi", "--token-file has no effect without --server"},

	{"no messages", "serve --sends-per-minute 0", "--sends-per-minute: want a number from 1, not 0"},
	{"fewer than no streams", "serve --max-streams -1", "--max-streams: want a number from 1, not -1"},
	{"sessions without time", "serve --session-idle 0s", "--session-idle: want a time such as 24h, not 0s"},
	{"a server's approval without time", "serve --approval-timeout 0s",
		"--approval-timeout: want a time such as 5m, not 0s"},
	{"an approval without time", "chat --approval-timeout -1s hi", "--approval-timeout: want a time"},
	{"a shutdown in the past", "serve --shutdown-timeout -1s", "--shutdown-timeout: want a time"},
	{"an origin without a scheme", "serve --cors-origin app.example", `--cors-origin: "app.example" is not an origin`},
	{"any origin", "serve --cors-origin *", `"*" is not an origin; want one such as https://app.example`},
	{"an origin with a path", "serve --cors-origin https://app.example/", "is not an origin"},

	{"no pause between polls", "worker --job j --poll 0s", "--poll: want a time such as 2s, not 0s"},
	{"no time to post", "worker --job j --shutdown-timeout 0s", "--shutdown-timeout: want a time"},
	{"a spill folder that does not exist", "worker --job j --spill-dir /does/not/exist",
		`--spill-dir: there is no folder "/does/not/exist"`},

	{"a secret that is empty", "scan --secret-env EMPTY_SECRET", "--secret-env EMPTY_SECRET: its value is too short"},
	{"a secret that is too short", "scan --secret-env SHORT_SECRET", "too short to be masked: it needs at least 4"},
	{"a file with a secret that is too short", "scan --secrets-file short", "value 2 of 2 is too short"},
	{"a file without secrets", "scan --secrets-file empty", "the file has no secrets"},
	{"a file that does not exist", "scan --secrets-file nowhere", "--secrets-file: open nowhere"},
	{"a policy that does not exist", "scan --policy nowhere", "--policy: open nowhere"},

	{"more turns than a page", "tail --turns 201", "--turns: want a number from 0 to 200"},
	{"two formats", "export last --json --format html", "--json writes jsonl, not --format html"},
	{"a log that nobody searches", "doctor --log x", "--log needs --canary"},
}

// A flag that would have no effect stops the command, and the message names what would.
func TestFlagsThatWouldHaveNoEffectAreRefused(t *testing.T) {
	apptest.HideProviders(t)
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("short", []byte("long enough\nabc\n"), 0o600))
	require.NoError(t, os.WriteFile("empty", []byte("# nothing yet\n"), 0o600))
	t.Setenv("EMPTY_SECRET", "")
	t.Setenv("SHORT_SECRET", "abc")
	t.Setenv("CANDOR_JOB_TOKEN", apptest.Token)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a server that starts after all
	defer cancel()
	for _, tt := range uselessFlags {
		t.Run(tt.name, func(t *testing.T) {
			args := strings.Fields(tt.args)
			if args[0] == "serve" {
				args = append(args, "--addr", "127.0.0.1:0")
			}
			_, _, err := runCandorUntil(ctx, "", args...)
			require.ErrorContains(t, err, tt.want)
			status := 2
			if strings.HasSuffix(tt.name, "without a key") { // the call is right
				status = 1
			}
			assert.Equal(t, status, command.ExitStatus(err))
		})
	}
}

// Settings in the environment are shared by all commands, so those that a server decides
// do not stop a conversation with it. Those that name a tool are checked wherever they
// come from.
func TestTheEnvironmentIsSharedByCommands(t *testing.T) {
	apptest.HideProviders(t)
	s := apptest.Start(t, app.Settings{}, apptest.Waiting(0))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	t.Setenv("CANDOR_PROVIDER", "offline")
	t.Setenv("CANDOR_DENY", "shell")
	// The words of a message are no flags, even if they are the name of one.
	out, _, err := runCandor(t, "", "chat", "--server", s.HTTP.URL, "deny", "--", "--deny")
	require.NoError(t, err)
	assert.Contains(t, out, "waited")
	t.Setenv("CANDOR_DENY", "shel")
	_, _, err = runCandor(t, "", "chat", "hi")
	require.ErrorContains(t, err, `--deny: there is no tool "shel"`)
}

// Scan's check holds for lines as well, and a line that could not be read is no success.
func TestCheckLooksAtEveryLine(t *testing.T) {
	secret := apptest.Plant()[0].Text
	for _, tt := range []struct {
		name, in string
		status   int
	}{
		{"nothing found", `{"text":"fine"}` + "\n" + `{"json":{"verdict":"redacted"}}`, 0},
		{"found in the first line", `{"text":"` + secret + `"}` + "\n" + `{"text":"fine"}`, 3},
		{"found beside a bad line", "nonsense\n" + `{"text":"` + secret + `"}`, 3},
		{"a line that is no object", `{"text":"fine"}` + "\nnonsense", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := runCandor(t, tt.in, "scan", "--ndjson", "--check")
			assert.Equal(t, tt.status, command.ExitStatus(err), "%v", err)
			assert.Equal(t, 2, strings.Count(out, "\n"), "all lines are written")
		})
	}
}
