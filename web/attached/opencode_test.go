package attached_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestOpenCodeIsTheSameByItsPluginByItsDatabaseAndByBoth posts what the real program's plugin posted, what its database
// held, and both.
func TestOpenCodeIsTheSameByItsPluginByItsDatabaseAndByBoth(t *testing.T) {
	hooks, err := os.ReadFile("../../attach/opencode/testdata/hooks.jsonl")
	require.NoError(t, err)
	file, err := os.ReadFile("../../attach/opencode/testdata/sessions.want")
	require.NoError(t, err)
	byFile := toldByOpenCode(t, nil, file)
	assert.Greater(t, len(byFile), 13)
	assert.Contains(t, strings.Join(byFile, "\n"), "nosuch")
	assert.Equal(t, byFile, toldByOpenCode(t, hooks, nil))
	assert.Equal(t, byFile, toldByOpenCode(t, hooks, file))
}

// toldByOpenCode returns the decisions of all turns, once both have been posted.
func toldByOpenCode(t *testing.T, hooks, file []byte) []string {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, nil)
	for payload := range bytes.Lines(hooks) {
		posting(t, s, "/api/hooks/opencode", string(payload))()
	}
	// The parent first, as the reader has it.
	var facts []attach.Sighting
	for line := range bytes.Lines(file) {
		var one attach.Sighting
		require.NoError(t, json.Unmarshal(line, &one))
		facts = append(facts, one)
	}
	if len(facts) > 0 {
		posting(t, s, "/api/attached", body(t, facts))()
	}
	return decisions(t, s)
}
