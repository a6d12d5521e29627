package attachtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// FullRows counts the lines of a text that are not empty.
func FullRows(text string) (n int) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// Hook reads the payload of a hook.
type Hook = func(payload []byte) ([]attach.Sighting, error)

// FuzzHook holds what every payload has to keep to, beginning with the lines of a text.
func FuzzHook(f *testing.F, hook Hook, text string, maxID int) {
	f.Helper()
	for line := range strings.Lines(text) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := hook(raw)
		if err != nil {
			assert.Empty(t, list)
			assert.Less(t, len(err.Error()), 300)
		}
		for _, s := range list {
			AssertSound(t, s, maxID)
		}
	})
}

// AssertRefusals asserts that nothing is made of half a payload, whichever program sends it, and of more such payloads,
// and that errors repeat nothing but the name of a hook, cleaned for a terminal.
func AssertRefusals(t *testing.T, hook Hook, limit int, unknown error, more map[string]string) {
	t.Helper()
	const missing = "session_id and hook_event_name"
	all := map[string]struct{ payload, want string }{
		"nothing":      {``, missing},
		"no session":   {`{"hook_event_name":"Stop"}`, missing},
		"a wrong type": {`{"hook_event_name":"Stop","session_id":7}`, missing},
		"no call":      {`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x"}`, missing},
		"a strange id": {`{"hook_event_name":"Stop","session_id":"a\u001b[31m"}`, missing},
		"a new hook":   {`{"hook_event_name":"Dreamt\u001b","session_id":"s"}`, "this hook is not supported: Dreamt?"},
		"a huge hook":  {strings.Repeat(" ", limit+1), "limit is 16777216"},
	}
	for name, payload := range more {
		all[name] = struct{ payload, want string }{payload, missing}
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			list, err := hook([]byte(c.payload))
			assert.Empty(t, list)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := hook([]byte(`{"hook_event_name":"Dreamt","session_id":"s"}`))
	require.ErrorIs(t, err, unknown)
}
