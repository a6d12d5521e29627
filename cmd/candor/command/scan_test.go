package command_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scan runs candor scan and gives what it wrote.
func scan(t *testing.T, input string, flags ...string) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err = command.Run(t.Context(), append([]string{"candor", "scan"}, flags...), strings.NewReader(input), &stdout,
		&stderr)
	return stdout.String(), stderr.String(), err
}

func TestScanMasksAStreamAndListsWhatItFound(t *testing.T) {
	for _, p := range apptest.Plant() {
		out, found, err := scan(t, "before "+p.Text+" after\n")
		require.NoError(t, err)
		apptest.AssertAbsent(t, p.Secret, p.Kind, out+found)
		assert.True(t, strings.HasPrefix(out, "before "), p.Kind)
		assert.Contains(t, out, "[REDACTED:", p.Kind)
		assert.Contains(t, found, "   1  ", p.Kind)
	}
}

func TestScanLeavesCleanTextAlone(t *testing.T) {
	const text = "if a < b && c > d { return Vec<String> } // commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad\n"
	out, found, err := scan(t, text)
	require.NoError(t, err)
	assert.Equal(t, text, out)
	assert.Equal(t, "nothing found\n", found)
}

func TestScanReadsAFileOfAnyLength(t *testing.T) {
	secret := apptest.Plant()[3]
	file := filepath.Join(t.TempDir(), "log")
	long := strings.Repeat("an ordinary line of a log\n", 40_000)
	require.NoError(t, os.WriteFile(file, []byte(long+secret.Text+"\n"+long), 0o600))
	out, _, err := scan(t, "", file)
	require.NoError(t, err)
	want := strings.Replace(long+secret.Text+"\n"+long, secret.Secret, "[REDACTED:github-pat]", 1)
	assert.True(t, want == out, "%d bytes came out instead of %d", len(out), len(want))
}

func TestScanChecksForScripts(t *testing.T) {
	_, _, err := scan(t, "all fine", "--check")
	require.NoError(t, err)
	_, _, err = scan(t, apptest.Plant()[0].Text, "--check")
	require.EqualError(t, err, "secrets were found")
	assert.Equal(t, 3, command.ExitStatus(err))
}

func TestScanAsJSON(t *testing.T) {
	out, _, err := scan(t, apptest.Plant()[3].Text, "--json")
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, "[REDACTED:github-pat]", got["text"])
	assert.Equal(t, "redacted", got["verdict"])
	assert.Equal(t, []any{map[string]any{
		"rule": "github-pat", "count": 1.0, "severity": "high", "effect": "masked",
	}}, got["findings"])
}

func TestScanALineAtATime(t *testing.T) {
	p := apptest.Plant()[3]
	half := len(p.Text) / 2
	in := string(apptest.JSON(t, map[string]any{"id": "a", "text": p.Text})) + "\n" +
		string(apptest.JSON(t, map[string]any{"id": 2, "json": map[string]any{"apiKey": p.Text, "n": 1}})) + "\n" +
		string(apptest.JSON(t, map[string]any{"id": "c", "chunks": []string{"x " + p.Text[:half], p.Text[half:],
			" y"}})) + "\nnot json\n"
	out, _, err := scan(t, in, "--ndjson")
	require.NoError(t, err)
	apptest.AssertAbsent(t, p.Secret, "the answer", out)
	var lines []map[string]any
	for line := range strings.Lines(out) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		lines = append(lines, m)
	}
	require.Len(t, lines, 4)
	assert.Equal(t, "[REDACTED:github-pat]", lines[0]["text"])
	assert.Equal(t, "redacted", lines[1]["verdict"])
	assert.Equal(t, "x [REDACTED:github-pat] y", lines[2]["text"])
	var joined string
	for _, e := range lines[2]["emitted"].([]any) {
		joined += e.(string)
	}
	assert.Equal(t, lines[2]["text"], joined)
	assert.Equal(t, "error", lines[3]["verdict"])
}

func TestScanKnowsTheSecretsItIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secrets")
	require.NoError(t, os.WriteFile(file, []byte("# ours\nblue-parrot-7\n"), 0o600))
	t.Setenv("MY_PIN", "kettle and spoon")
	out, _, err := scan(t, "the words are blue-parrot-7 and kettle and spoon.", "--secrets-file", file, "--secret-env",
		"MY_PIN")
	require.NoError(t, err)
	assert.Equal(t, "the words are [REDACTED:known-secret] and [REDACTED:known-secret].", out)

	policy := filepath.Join(t.TempDir(), "policy.json")
	require.NoError(t, os.WriteFile(policy,
		[]byte(`{"rules":[],"tokens":[{"id":"acme-key","formats":["acme_{a16}"]}]}`), 0o600))
	out, _, err = scan(t, "use acme_a1b2c3d4e5f6g7h8, then go", "--policy", policy)
	require.NoError(t, err)
	assert.Equal(t, "use [REDACTED:acme-key], then go", out)
}

func TestScanExplainsMistakes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "policy.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"rules":[{"id":"x","action":"explode","phrases":["y"]}]}`), 0o600))
	for want, flags := range map[string][]string{
		"no-such-file":              {"no-such-file"},
		`not the argument "b"`:      {"a", "b"},
		"there is no such variable": {"--secret-env", "NOT_SET_ANYWHERE"},
		`unknown action "explode"`:  {"--policy", bad},
		"no-secrets-here":           {"--secrets-file", "no-secrets-here"},
	} {
		_, _, err := scan(t, "", flags...)
		require.ErrorContains(t, err, want)
	}
}
