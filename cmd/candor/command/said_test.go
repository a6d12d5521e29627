package command_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatAnAgentSaidSurvivesAKill kills the server between the hooks that report a text and those of the call behind
// it, and holds that the text, and the reason in it, are there as if nothing had been.
func TestWhatAnAgentSaidSurvivesAKill(t *testing.T) {
	for kill := range 6 {
		m, l := newMortal(t, 1, "--data", filepath.Join(t.TempDir(), "data"))
		m.start()
		call := func(method, path, body string) string {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+m.addr+path, strings.NewReader(body))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+l.Tokens["u0"])
			r.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, resp.StatusCode, "%s", raw)
			return string(raw)
		}
		said := func(index int, text string) string {
			return fmt.Sprintf(`"MessageDisplay","message_id":"m1","index":%d,"delta":%q`, index, text)
		}
		const bash = `,"tool_name":"Bash","tool_use_id":"c1","tool_input":{"command":"ls"}`
		for i, hook := range []string{`"UserPromptSubmit","prompt":"go on"`, said(0, "First I look"),
			said(1, " around.\n"), said(2, "Reason for Bash: to see the files\n"),
			`"PreToolUse"` + bash, said(3, "Then more.\n"),
			`"PostToolUse","tool_response":{"stdout":"x"}` + bash} {
			call(http.MethodPost, "/api/hooks/claude",
				`{"session_id":"s1","prompt_id":"p1","hook_event_name":`+hook+`}`)
			if i == kill {
				m.kill()
				m.start()
			}
		}
		threads := call(http.MethodGet, "/api/chat/threads", "")
		_, id, _ := strings.Cut(threads, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		history := call(http.MethodGet, "/api/chat/history?thread_id="+id, "")
		assert.Contains(t, history, `"rationale":"to see the files"`, kill)
		assert.Contains(t, history, `"narrative":"First I look around.\nThen more."`, kill)
		m.kill()
	}
}
