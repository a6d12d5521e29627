package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mine runs the README's program in a language beside a server, with the token in a file of the folder, and returns
// what it printed.
func mine(t *testing.T, server, language, token string) (string, error) {
	t.Helper()
	blocks := apptest.Blocks(t, "README.md", language)
	require.Len(t, blocks, 1, language)
	dir := withToken(t, token)
	name, command := "mine.py", []string{"python3", "mine.py"}
	if language == "ts" {
		name, command = "mine.mts", []string{"node", apptest.TSX(t), "mine.mts"}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(blocks[0]), 0o600))
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CANDOR_SERVER="+server)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// withToken returns a folder that has a token as make run keeps it.
func withToken(t *testing.T, token string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".candor"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".candor", "token"), []byte(token), 0o600))
	return dir
}

// An agent of one's own is on the page with its reason after the few lines that the README shows, in either language.
func TestTheReadmesAgentRunsAsItStands(t *testing.T) {
	for _, language := range []string{"python", "ts"} {
		t.Run(language, func(t *testing.T) {
			t.Setenv("CANDOR_TOKEN", apptest.Token)
			r := program.Serve(t)
			require.NoError(t, os.Unsetenv("CANDOR_TOKEN"))
			out, err := mine(t, r.URL, language, apptest.Token)
			require.NoError(t, err, out)
			c := apptest.Client{T: t, URL: r.URL, Caller: http.DefaultClient}
			as := apptest.WithToken(apptest.Token)
			jobs := c.Get("", "/api/jobs", as).JSON()["jobs"].([]any)
			require.Len(t, jobs, 1)
			job := jobs[0].(apptest.M)
			assert.Equal(t, "completed", job["state"])
			assert.Equal(t, r.URL+"/#job="+job["job_id"].(string)+"\n", out, "where to look")
			events := c.Get("", "/api/jobs/"+job["job_id"].(string)+"/events", as).Body
			for _, want := range []string{`"narrative":"The history tells most, so I begin there."`,
				`"rationale":"The latest commits show which files were touched, and what was not."`} {
				assert.Contains(t, events, want)
			}
			r.Stop()
		})
	}
}

// A server that was started without make run has a token of its own. The one in the folder is that of another then.
func TestTheReadmesAgentTakesTheTokenOfTheEnvironmentFirst(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := program.Serve(t)
	for _, language := range []string{"python", "ts"} {
		out, err := mine(t, r.URL, language, "the-token-of-another-server")
		require.NoError(t, err, out)
		require.NoError(t, os.Unsetenv("CANDOR_TOKEN"))
		out, err = mine(t, r.URL, language, "the-token-of-another-server")
		require.Error(t, err)
		assert.Contains(t, out, "CANDOR_TOKEN", "what to do about it")
		t.Setenv("CANDOR_TOKEN", apptest.Token)
	}
	r.Stop()
}

// What stands before the first table of documents is read in the time that a newcomer has.
func TestTheReadmeIsReadInTenMinutes(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(strings.Fields(string(raw))), 1300, "words; move what is not needed at first to docs")
}

// A document leads nowhere that is not there, neither to a file nor to a heading.
func TestTheLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	links := 0
	for _, name := range append(documents, "../../README.md", "../../ARCHITECTURE.md", "../../CHANGELOG.md") {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)]*))?\)`).FindAllStringSubmatch(string(raw), -1) {
			links++
			to := name
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(name), m[1])
			}
			_, err := os.Stat(to)
			assert.NoError(t, err, "%s links to it", name)
			if m[2] != "" {
				assert.Contains(t, anchors(t, to), m[2], "%s links to this place in %s", name, to)
			}
		}
	}
	assert.Greater(t, links, 60)
}

// anchors returns what links to the headings of a document end in.
func anchors(t *testing.T, name string) (all []string) {
	t.Helper()
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(raw), -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}

// The tour's lines run as they stand, but for the port, which has to be free.
func TestTheTourRunsAsItStands(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := program.Serve(t)
	dir := withToken(t, apptest.Token)
	shell := func(ctx context.Context, block string, out *apptest.LogBuffer) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "bash", "-euc", strings.ReplaceAll(block, "http://127.0.0.1:8080", r.URL))
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
		return cmd
	}
	tour := append(apptest.Blocks(t, "docs/tour.md", "sh"), apptest.Blocks(t, "docs/front-ends.md", "sh")...)
	require.Len(t, tour, 6, "watch, send, history, secret, worker, front end")
	var live, sent, history, masked apptest.LogBuffer
	ctx, cancel := context.WithCancel(t.Context())
	watch := shell(ctx, "exec "+tour[0], &live)
	require.NoError(t, watch.Start())
	apptest.Eventually(t, "the stream is open", func() bool { return strings.Contains(live.String(), "retry:") })

	require.NoError(t, shell(t.Context(), tour[1], &sent).Run(), sent.String())
	assert.Contains(t, sent.String(), `"status":"accepted"`)
	apptest.Eventually(t, "reasoning_update arrives live", func() bool {
		return strings.Contains(live.String(),
			"event: reasoning_update")
	})
	apptest.Eventually(t, "and the answer", func() bool { return strings.Contains(live.String(), "event: response") })
	update := regexp.MustCompile(`data: (\{"type":"reasoning_update".*)`).FindStringSubmatch(live.String())
	require.Len(t, update, 2)
	assert.Equal(t, 2, strings.Count(update[1], `"parallel_group":0`), "two decisions in one group")
	assert.NotContains(t, update[1], "parameters")

	require.NoError(t, shell(t.Context(), tour[2], &history).Run())
	for _, want := range []string{`"reasoning": {`, `"tool_name": "file_search"`, `"query": "Follow"`,
		`"path": "session"`, `"has_more": false`} {
		assert.Contains(t, history.String(), want)
	}
	require.NoError(t, shell(t.Context(), tour[3], &masked).Run(), masked.String())
	assert.Contains(t, masked.String(), "postgres://app:[REDACTED:dsn-password]@db.internal/app")

	var run apptest.LogBuffer
	require.NoError(t, shell(t.Context(), tour[5], &run).Run(), run.String())
	assert.Contains(t, run.String(), `"type":"REASONING_MESSAGE_CONTENT"`)
	assert.Contains(t, run.String(), `"outcome":{"type":"success"}`)

	var worked apptest.LogBuffer
	candor := program.Command(t.Context(), t)
	work := shell(t.Context(), strings.ReplaceAll(tour[4], "bin/candor", candor.Path), &worked)
	work.Env = candor.Env
	require.NoError(t, work.Run(), worked.String())
	assert.Contains(t, worked.String(), `"tool_decisions":[{"tool_name":"file_search"`)
	assert.Contains(t, live.String(), "event: job_reasoning")

	cancel()
	_ = watch.Wait()
	r.Stop()
}

// The ledger names only tests that exist.
func TestTheLedgerNamesTestsThatExist(t *testing.T) {
	ledger, err := os.ReadFile("../../FEATURE_PARITY.md")
	require.NoError(t, err)
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	require.NoError(t, filepath.WalkDir("../..", func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		raw, err := os.ReadFile(name)
		for _, found := range declared.FindAllSubmatch(raw, -1) {
			there[string(found[1])] = true
		}
		return err
	}))
	named := regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)\w+`).FindAllString(string(ledger), -1)
	require.Greater(t, len(named), 30)
	for _, name := range named {
		assert.True(t, there[name], "FEATURE_PARITY.md names %s, which is not there", name)
	}
}
