package command_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// searched runs candor reasoning search against a server with two turns of one call each, and a job.
func searched(t *testing.T) (search func(args ...string) (string, error), job string) {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, apptest.Waiting(0))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 2)
	job, token := s.NewJob("tidy up")
	const use = `{"event":"tool_use","tool_name":"grep","call_id":"a","input":{"pattern":"ledger"},
		"rationale":"to see"}`
	// The job has a second call, so that one of them is not all there is.
	const other = `{"event":"tool_use","tool_name":"ls","call_id":"b","input":{},"rationale":"to look"}`
	require.Equal(t, 200, s.PostEvents(job, token, use).Status)
	require.Equal(t, 200, s.PostEvents(job, token, other).Status)
	require.Equal(t, 200, s.PostEvents(job, token, `{"event":"result","success":true,"message":"done"}`).Status)
	return func(args ...string) (string, error) {
		out, _, err := runCandor(t, "", append([]string{"reasoning", "search"}, args...)...)
		return out, err
	}, job
}

// The last words of a hit are a command, and it shows that decision and no other.
func TestTheLastWordsOfAHitShowItsDecision(t *testing.T) {
	search, job := searched(t)
	for words, want := range map[string]string{
		"why did it wait?": `rationale: "to wait"`, "ledger": `rationale: "to see"`,
	} {
		out, err := search(words)
		require.NoError(t, err, words)
		commands := regexp.MustCompile(`candor (reasoning .*call_\d+)\n`).FindStringSubmatch(out)
		// The command is run as it was printed; it must show one decision only.
		require.NotNil(t, commands, out)
		shown, _, err := runCandor(t, "", strings.Fields(commands[1])...)
		require.NoError(t, err, commands[1])
		assert.Contains(t, shown, want)
		assert.Equal(t, 1, strings.Count(shown, "rationale:"), shown)
	}
	_, _, err := runCandor(t, "", "reasoning", "--job", job, "all", "call_7")
	require.ErrorContains(t, err, "there is no call call_7")
	assert.Equal(t, 1, command.ExitStatus(err))
	// Where the server came from a flag, the command needs it again.
	url := os.Getenv("CANDOR_SERVER")
	t.Setenv("CANDOR_SERVER", "")
	out, err := search("ledger", "--server", url)
	require.NoError(t, err)
	assert.Contains(t, out, "candor reasoning --server "+url+" --job "+job+" all call_", "it names the server")
}

// The calls of watched agents have ids that are no numbers.
func TestTheLastWordsOfAHitShowTheDecisionOfAWatchedAgent(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	for _, line := range []string{
		`{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt_id":"p1","prompt":"Tidy the site"}`,
		`{"hook_event_name":"PreToolUse","session_id":"s1","prompt_id":"p1","tool_name":"Bash","tool_use_id":"toolu_1",
			"tool_input":{"command":"rm -r public"}}`,
		`{"hook_event_name":"PreToolUse","session_id":"s1","prompt_id":"p1","tool_name":"Bash","tool_use_id":"toolu_2",
			"tool_input":{"command":"git status"}}`,
		`{"hook_event_name":"Stop","session_id":"s1","prompt_id":"p1","last_assistant_message":"Done."}`,
	} {
		require.Equal(t, http.StatusOK, s.Post("ann", "/api/hooks/claude", line).Status)
	}
	out, _, err := runCandor(t, "", "reasoning", "search", "why did it delete public")
	require.NoError(t, err)
	commands := regexp.MustCompile(`candor (reasoning .*_\w+)\n`).FindStringSubmatch(out)
	require.NotNil(t, commands, out)
	shown, _, err := runCandor(t, "", strings.Fields(commands[1])...)
	require.NoError(t, err, commands[1])
	assert.Contains(t, shown, "rm -r public")
	assert.NotContains(t, shown, "git status")
	_, _, err = runCandor(t, "", "reasoning", "last", "1", "unnamed_k7")
	require.ErrorContains(t, err, "there is no call unnamed_k7")
}

// A repeated facet accepts any of its values, different facets have to agree, and a page is a part of the hits.
func TestASearchIsNarrowedByFlags(t *testing.T) {
	search, _ := searched(t)
	for _, c := range []struct {
		args string
		hits int
	}{
		{"wait --tool wait", 2}, {"wait --tool wait --tool grep --outcome success", 2}, {"--tool grep", 1},
		{"wait --limit 1", 1}, {"wait --offset 1 --tool wait", 1}, {"--failed", 0}, {"--denied", 0}, {"--no-reason", 0},
		{"--masked", 0},
	} {
		out, err := search(strings.Fields(c.args)...)
		assert.Equal(t, c.hits, strings.Count(out, "call_"), "%s: %s", c.args, out)
		assert.Equal(t, c.hits == 0, command.ExitStatus(err) == 1, c.args)
	}
	out, err := search("wait", "--limit", "1", "--json")
	require.NoError(t, err)
	assert.Regexp(t, `^\{"hits":\[.*\n$`, out)
	out, err = search()
	require.NoError(t, err)
	assert.Regexp(t, `^  4 decisions in 2 places\n    tool          wait 2 · grep 1 · ls 1\n`+
		`    outcome       cancelled 2 · success 2\n`, out)
	out, err = search("--duration", "under 0.1 s", "--tokens", "over 20,000")
	require.Error(t, err, out)
}

// Whoever mistypes a tool is not told that all is well: the value is named, and the nearest that exists.
func TestMistakesOfASearchAreExplained(t *testing.T) {
	search, _ := searched(t)
	for args, want := range map[string]string{
		"--tool grap":          `no decision has the tool "grap"; did you mean grep?`,
		"--tool Wait":          `no decision has the tool "Wait"; did you mean wait?`,
		"--tool zz --tool yy":  `no decision has the tool "zz"`,
		"wait --tokens 1,2":    `no decision has the tokens "1,2"`,
		"ledger --tool wait":   "no decision has these words and these facets",
		"nowhere":              "no reason, call or message has one of these words",
		"wait --offset 900":    "and --offset 900 skips all",
		"wait --offset 1001":   "offset has to be a whole number from 0 to 1000",
		"wait --limit 0":       "--limit: want a number from 1 on",
		"--faild":              "search has no flag --faild; did you mean --failed?; see candor reasoning",
		"--color x wait":       "--color",
		"--server nowhere abc": "URL",
		"1 2 3 4 5 6 7 8 9":    "q may have at most 200 characters and 8 words",
	} {
		_, err := search(strings.Fields(args)...)
		assert.ErrorContains(t, err, want, args)
	}
	out, _, err := runCandor(t, "", "reasoning", "search", "--help")
	require.NoError(t, err)
	for _, want := range []string{"EXIT STATUS", "EXAMPLES", "--json", "candor reasoning search", "--no-reason"} {
		assert.Contains(t, out, want)
	}
}

func TestASearchThatIsBehindIsNoAnswerYet(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"hits":[],"total":0,"facets":{},"behind":true}`)
	}))
	t.Cleanup(behind.Close)
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	_, _, err := runCandor(t, "", "reasoning", "search", "--server", behind.URL, "ledger", "--tool", "grep")
	assert.ErrorContains(t, err, "nothing was found yet: older turns are still being indexed")
}
