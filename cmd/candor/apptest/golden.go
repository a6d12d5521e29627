package apptest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the goldens below testdata")

// CompareGolden compares text with the golden file line by line and prints the lines that
// differ. Under -update it writes the file instead and never fails: make golden runs the
// tests that way, and git diff then shows what changed.
func CompareGolden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "make golden writes it")
	assert.Empty(t, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")), "%s (-want +got)", file)
}

// Case is the case.json of a folder in testdata/turns: the message, and what else the user does.
type Case struct {
	Dir string `json:"-"`

	Message          string `json:"message"`
	InterruptAfterMS int    `json:"interrupt_after_ms"`
	// Approvals are the answers to the calls that ask, by call: approve or deny.
	Approvals map[string]string `json:"approvals"`
}

// EachCase runs a subtest for each folder in testdata/turns.
func EachCase(t *testing.T, test func(t *testing.T, c Case)) {
	t.Helper()
	files, err := filepath.Glob(TurnsDir(t, "*", "script.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 19)
	for _, file := range files {
		c := Case{Dir: filepath.Dir(file)}
		require.NoError(t, json.Unmarshal(ReadFixture(t, filepath.Join(c.Dir, "case.json")), &c))
		t.Run(filepath.Base(c.Dir), func(t *testing.T) { test(t, c) })
	}
}

// TurnsDir returns a path in testdata/turns.
func TurnsDir(t testing.TB, elem ...string) string {
	return filepath.Join(append([]string{Root(t), "testdata", "turns"}, elem...)...)
}

// Script writes the case's script, its fixtures filled in, to a file of the test.
func Script(t testing.TB, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, ReadFixture(t, filepath.Join(dir, "script.json")), 0o600))
	return file
}

// Fixtures returns the values that {{name}} in a case stands for. They look like
// credentials, open nothing, and are put together here so that no file of the repository
// contains one. A line break is written as \n, because they are filled into JSON.
func Fixtures() map[string]string {
	dashes := strings.Repeat("-", 5)
	return map[string]string{
		"github_token": "ghp" + "_" + "q7Zt4Lw9Xc2Vb6Nm1Kj8Hg3Fd5Sa0Po4Iu7Y",
		"password":     "corr3ct" + "horse" + "9battery",
		"private_key": dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + `\nMIIEowIBAAKCAQEAx4\nq9Zt4Lw9Xc2Vb6N\n` +
			dashes + "END RSA PRIVATE " + "KEY" + dashes,
	}
}

// ReadFixture reads a file and fills in the fixtures.
func ReadFixture(t testing.TB, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(raw)
	for name, value := range Fixtures() {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	return []byte(text)
}

// AssertNoFixture fails if text contains the value of a fixture, without printing it.
func AssertNoFixture(t testing.TB, text string) {
	t.Helper()
	for name, value := range Fixtures() {
		for part := range strings.SplitSeq(value, `\n`) {
			if strings.Contains(part, "PRIVATE") {
				continue
			}
			assert.False(t, strings.Contains(text, part), "%s came through", name)
		}
	}
}
