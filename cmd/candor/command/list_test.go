package command_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the list shows of a conversation or a job is enough to name it.
func TestEverythingThatIsListedCanBeNamed(t *testing.T) {
	_, job := searched(t)
	run := func(args ...string) string {
		t.Helper()
		out, _, err := runCandor(t, "", args...)
		require.NoError(t, err, args)
		return out
	}
	listed := run("list")
	parts := regexp.MustCompile(`(?s)^  Conversations\n  ● +1  (\w{8})  .* 2 turns, now\n\n` +
		`  Jobs\n {9}(\w{8})  tidy .* completed, now\n$`).FindStringSubmatch(listed)
	require.NotNil(t, parts, listed)
	assert.Equal(t, job[:8], parts[2])

	assert.Contains(t, run("export", parts[1]), "2 turns of thread")
	for _, args := range [][]string{{parts[2]}, {"--job", parts[2]}, {"--job", job}, {"--job", "last"}} {
		assert.Contains(t, run(append([]string{"export"}, args...)...), "1 turn of job `"+job+"`", args)
	}
	assert.Contains(t, run("reasoning", "--job", parts[2], "all"), "job "+job)
	for _, name := range []string{"nope", "abcd1234"} {
		_, _, err := runCandor(t, "", "chat", "--server", os.Getenv("CANDOR_SERVER"), "--thread", name, "hello")
		require.EqualError(t, err, "there is no such thread; candor list shows those there are")
	}

	var ids []string
	for line := range strings.Lines(run("list", "--json")) {
		var one map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		for _, name := range []string{"id", "job_id"} {
			if id, ok := one[name].(string); ok {
				ids = append(ids, name+" "+id[:8])
			}
		}
	}
	assert.Equal(t, []string{"id " + parts[1], "job_id " + parts[2]}, ids)
}
