package command_test

import (
	"context"
	"io"
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

// runCandor runs a command in this process and returns what it wrote.
func runCandor(t *testing.T, stdin string, args ...string) (out, errOut string, err error) {
	t.Helper()
	return runCandorUntil(t.Context(), stdin, args...)
}

// runCandorUntil is runCandor for a command that goes on unless it is refused: ctx ends it.
func runCandorUntil(ctx context.Context, stdin string, args ...string) (out, errOut string, err error) {
	var stdout, stderr apptest.LogBuffer
	err = command.Run(ctx, append([]string{"candor"}, args...), strings.NewReader(stdin), &stdout, &stderr)
	return stdout.String(), stderr.String(), err
}

func TestASurplusArgumentOrUnknownFlagStopsEveryCommandAndIsNamed(t *testing.T) {
	t.Setenv("CANDOR_JOB_TOKEN", "a-token")
	for name, surplus := range map[string][]string{
		"serve": {"surplus"}, "list": {"surplus"}, "tail": {"surplus"},
		"doctor": {"surplus"}, "worker": {"--job", "x", "surplus"},
		"mew":       {"--space", "x", "surplus"},
		"reasoning": {"last", "1", "surplus"}, "export": {"last", "surplus"}, "scan": {"-", "surplus"},
	} {
		_, errOut, err := runCandor(t, "", append([]string{name}, surplus...)...)
		require.ErrorContains(t, err, `"surplus"`, name)
		require.ErrorContains(t, err, "see candor "+name+" --help")
		assert.Equal(t, 2, command.ExitStatus(err), name)
		assert.Empty(t, errOut, "%s: the error is printed once, by Execute", name)
	}
	for _, name := range []string{
		"serve", "chat", "reasoning", "tail", "export", "worker", "mew", "scan", "doctor", "backup", "restore",
	} {
		_, _, err := runCandor(t, "", name, "--frobnicate")
		require.ErrorContains(t, err, "frobnicate", name)
		require.ErrorContains(t, err, "see candor "+name+" --help")
	}
	_, _, err := runCandor(t, "", "--frobnicate")
	require.ErrorContains(t, err, "frobnicate")
}

func TestExecutePrintsAnErrorOnceAndCleaned(t *testing.T) {
	var out, errOut apptest.LogBuffer
	args := []string{"candor", "frob\x1b[2Jnicate"}
	assert.Equal(t, 2, command.Execute(t.Context(), args, strings.NewReader(""), &out, &errOut))
	assert.Empty(t, out.String())
	assert.Equal(t, 1, strings.Count(errOut.String(), "candor: there is no command"))
	assert.NotContains(t, errOut.String(), "\x1b")
	assert.Zero(t, command.ExitStatus(nil))
}

// A conversation in this process: words as arguments, lines on standard input, a log.
func TestChatWithoutAServer(t *testing.T) {
	apptest.HideProviders(t)
	script := apptest.ScriptFile(t, apptest.Waiting(0))
	log := filepath.Join(t.TempDir(), "log")
	out, _, err := runCandor(t, "", "chat", "--provider", "script", "--script", script, "--log", log, "go", "on")
	require.NoError(t, err)
	assert.Contains(t, out, "waited")
	assert.Contains(t, out, `"to wait"`)
	logged, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.NotContains(t, string(logged), "go on", "what a user says is not logged")

	out, _, err = runCandor(t, "go on\n/frob\n", "chat", "--provider", "script", "--script", script)
	assert.Equal(t, 1, command.ExitStatus(err))
	assert.Contains(t, out, "There is no command /frob.")
	_, _, err = runCandor(t, "", "chat", "--log", filepath.Join(t.TempDir(), "no", "folder"), "hi")
	require.ErrorContains(t, err, "--log: ")
	_, _, err = runCandor(t, "", "chat", "--provider", "nobody", "hi")
	require.ErrorContains(t, err, `no provider "nobody"`)
}

// A conversation with a server goes on where it was, and the other commands show it.
func TestChatReasoningAndExportShareAConversation(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Waiting(0))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	_, _, err := runCandor(t, "", "chat", "first")
	require.NoError(t, err)
	_, _, err = runCandor(t, "", "chat", "--continue", "second")
	require.NoError(t, err)

	for which, turns := range map[string]int{"all": 2, "last": 1, "1": 1} {
		out, _, err := runCandor(t, "", "reasoning", "last", which, "--json")
		require.NoError(t, err)
		assert.Equal(t, turns, strings.Count(out, "\n"), which)
	}
	out, _, err := runCandor(t, "", "reasoning", "last", "all")
	require.NoError(t, err)
	assert.Less(t, strings.Index(out, "turn 1"), strings.Index(out, "turn 2"), "the oldest first")
	for _, n := range []string{"1", "2"} {
		out, _, err = runCandor(t, "", "reasoning", n)
		require.NoError(t, err)
		assert.Contains(t, out, ", turn "+n, "a number alone is a turn of the latest thread")
	}
	_, errOut, err := runCandor(t, "", "reasoning", "last", "7")
	assert.Equal(t, 1, command.ExitStatus(err))
	assert.Contains(t, errOut, "No reasoning data for turn 7")

	out, _, err = runCandor(t, "", "export", "last", "--json")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(out, "\n"), "a line for each turn")
	file := filepath.Join(t.TempDir(), "why.md")
	_, _, err = runCandor(t, "", "export", "last", "--output", file)
	require.NoError(t, err)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(written), "second")
	_, _, err = runCandor(t, "", "export", "last", "--output", file)
	require.Error(t, err, "a file that exists is not overwritten")
	_, _, err = runCandor(t, "", "export", "abcd1234")
	assert.Equal(t, 1, command.ExitStatus(err))
}

func TestWorkerRunsAJobToItsEnd(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("what time is it?")
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	args := []string{"worker", "--job", id, "--workspace", t.TempDir(), "--provider", "offline", "--log-format", "json"}
	_, _, err := runCandor(t, "", args...)
	require.ErrorContains(t, err, "CANDOR_JOB_TOKEN is not set")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	for flag, want := range map[string]string{
		"--log-level=loud": "--log-level", "--server=nowhere": "URL", "--secret-env=NOT_SET_ANYWHERE": "--secret-env",
		"--workspace=/does/not/exist": "workspace",
	} {
		_, _, err := runCandor(t, "", append(args, flag)...)
		require.ErrorContains(t, err, want)
	}
	out, errOut, err := runCandor(t, "", args...)
	require.NoError(t, err, errOut)
	assert.Equal(t, "Job "+id+" is done.\n", out)
	assert.Contains(t, errOut, `"msg":"working"`)
	_, _, err = runCandor(t, "", args...)
	assert.Equal(t, 4, command.ExitStatus(err), "it is over")
}

// A reader that goes away ends tail; the stream is of no use any more.
func TestTailEndsWithTheReaderOfItsOutput(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Waiting(0))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	reader, writer := io.Pipe()
	require.NoError(t, reader.Close())
	args := []string{"candor", "tail", "--server", s.HTTP.URL, "--thread", thread}
	require.NoError(t, command.Run(context.WithoutCancel(t.Context()), args, strings.NewReader(""), writer, io.Discard))
	_, _, err := runCandor(t, "", "tail", "--turns", "-1")
	require.ErrorContains(t, err, "--turns: want a number from 0 to 200")
}

func TestReasoningShowsAJobsTurns(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	id, token := s.NewJob("tidy up")
	_, _, err := runCandor(t, "", "reasoning", "--job", id)
	require.ErrorContains(t, err, "no turn of this job has ended yet")
	const use = `{"event":"tool_use","tool_name":"grep","call_id":"toolu_1","input":{"n":1},"rationale":"to see"}`
	for _, event := range []string{use, `{"event":"result","success":true,"message":"done"}`} {
		require.Equal(t, 200, s.PostEvents(id, token, event).Status)
	}
	for _, which := range [][]string{nil, {"last"}, {"all"}, {"1"}} {
		out, _, err := runCandor(t, "", append([]string{"reasoning", "--job", id}, which...)...)
		require.NoError(t, err)
		assert.Contains(t, out, "  ┄ Reasoning — job "+id+", turn 1\n")
		assert.Contains(t, out, "\n  ┄ grep\n    rationale: \"to see\"\n    params:    { \"n\": 1 }\n    outcome:   ")
	}
	_, _, err = runCandor(t, "", "reasoning", "--job", id, "2")
	require.ErrorContains(t, err, "this job has no turn 2")
	assert.Equal(t, 1, command.ExitStatus(err))
}
