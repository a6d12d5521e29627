package command

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/web/attached"
)

// TestWhoeverWaitsForAPersonWaitsABitLonger holds the order in which those give up who wait for a person: the server,
// which says so in the log, the hook's command, the agent's program. All of them do.
func TestWhoeverWaitsForAPersonWaitsABitLonger(t *testing.T) {
	assert.Equal(t, 5*time.Second, hookSettings{}.patience())
	hook := hookSettings{approve: true}.patience()
	assert.Greater(t, hook, attached.MaxWait)
	for unit, h := range map[time.Duration]hookFile{
		time.Second:      codex.Commands("candor").Approving([]string{"a"}),
		time.Millisecond: gemini.Commands("candor").Approving([]string{"a"}),
	} {
		raw, err := h.Attach(nil, "http://127.0.0.1:8080")
		require.NoError(t, err)
		var file struct {
			Hooks map[string][]struct {
				Hooks []struct{ Timeout int64 }
			}
		}
		require.NoError(t, json.Unmarshal(raw, &file))
		longest := time.Duration(0)
		for _, entries := range file.Hooks {
			for _, e := range entries {
				longest = max(longest, time.Duration(e.Hooks[0].Timeout)*unit)
			}
		}
		assert.Greater(t, longest, hook)
		assert.LessOrEqual(t, longest, 10*time.Minute)
	}
}

func TestAFileIsReadNoLongerThanAnAgentWaits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(name, []byte("{}"), 0o600))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	ctx, stop := context.WithCancel(t.Context())
	in := fileUntil{file, ctx.Err}
	raw, err := io.ReadAll(in)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(raw))
	stop()
	_, err = in.Read(make([]byte, 1))
	assert.ErrorIs(t, err, context.Canceled)
}
