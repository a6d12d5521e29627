package attachtest

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// Damage damages a row of a file.
type Damage = func(row string) string

// Damages returns the ways in which rows of any program are damaged, and more of them.
func Damages(more map[string]Damage) map[string]Damage {
	all := map[string]Damage{
		"cut in the middle":     func(row string) string { return row[:len(row)/2] + "\n" },
		"without its beginning": func(row string) string { return row[len(row)/3:] },
		"zeros":                 func(row string) string { return strings.Repeat("\x00", len(row)-1) + "\n" },
		"a zero in it":          func(row string) string { return row[:20] + "\x00" + row[20:] },
		"a mark in front":       func(row string) string { return "\ufeff" + strings.TrimSuffix(row, "\n") + "\r\n" },
		"the row twice":         func(row string) string { return strings.TrimSuffix(row, "\n") + row },
		"half of it, and all":   func(row string) string { return row[:len(row)/2] + row },
		"all, and half of it": func(row string) string {
			return strings.TrimSuffix(row, "\n") + row[:len(row)/2] + "\n"
		},
		"a list": func(row string) string { return "[" + strings.TrimSuffix(row, "\n") + "]\n" },
	}
	maps.Copy(all, more)
	return all
}

// LostTo returns how many rows are lost to a damage of one row: none if the row can be read all the same.
func LostTo(damage string) int {
	switch damage {
	case "a zero in it", "a mark in front", "the row twice":
		return 0
	}
	return 1
}

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
