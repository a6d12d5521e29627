//go:build unix

package terminal_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
	"candor/web/client"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The first sentence is there many minutes before the second would be.
func TestASentenceIsOnTheScreenWhileTheModelWritesTheNext(t *testing.T) {
	script := apptest.ScriptFile(t, apptest.M{"steps": []any{apptest.M{
		"text":   "The first is written. The second " + strings.Repeat("goes on and ", 200) + "ends.",
		"pieces": []int{200, 1}, "piece_ms": 1000}}})
	for _, cols := range []int{50, 200} {
		c := openConsole(t, cols, nil, "chat", "--provider", "script", "--script", script)
		c.prompt("leaves.")
		c.say("go on")
		c.until("\nThe first is written.")
		c.interrupt()
		c.prompt("─ Interrupted.")
		assert.Equal(t, 1, strings.Count(c.screen(), "\nThe first is written."), c.screen())
		assert.NotContains(t, c.screen(), "\n\n\n")
		c.leave()
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out apptest.LogBuffer
	var wg sync.WaitGroup
	wg.Go(func() {
		args := []string{"candor", "chat", "--provider", "script", "--script", script, "go", "on"}
		_ = command.Run(ctx, args, strings.NewReader(""), &out, io.Discard)
	})
	apptest.Eventually(t, "a pipe has it, too", func() bool {
		return strings.HasSuffix(out.String(), "\n\nThe first is written.") ||
			strings.Contains(out.String(), "\n\nThe first is written. The second")
	})
	cancel()
	wg.Wait()
}

// Whoever pipes the output reads the same answers, streamed or not, and no control character.
func TestAPipeHasTheSameAnswersStreamedOrWhole(t *testing.T) {
	apptest.EachCase(t, func(t *testing.T, c apptest.Case) {
		if c.InterruptAfterMS > 0 || len(c.Approvals) > 0 {
			return
		}
		var h client.Page
		require.NoError(t, json.Unmarshal(apptest.ReadFixture(t, c.Dir+"/history.json"), &h))
		args := []string{"chat", "--provider", "script", "--script", apptest.Script(t, c.Dir), c.Message}
		whole, _ := runPiped(t, "", append([]string{"chat", "--stream=false"}, args[1:]...)...)
		parts, _ := runPiped(t, "", args...)
		assert.NotContains(t, parts, "\x1b")
		if answer := h.Turns[0].Response; answer != "" {
			assert.Equal(t, 1, strings.Count(parts, "\n\n"+answer+"\n"), parts)
			assert.Equal(t, 1, strings.Count(whole, "\n\n"+answer+"\n"), whole)
		}
		if r := h.Turns[0].Reasoning; r != nil && r.Narrative != "" && parts != whole {
			// A reader that is too slow for the parts shows the narrative of the step's event, on one line.
			streamed := strings.Count(parts, "\n\n"+r.Narrative+"\n\n")
			line := "○ " + strings.Join(strings.Fields(r.Narrative), " ") + "\n"
			assert.Equal(t, 1, streamed+strings.Count(parts, line), parts)
		}
	})
}

func TestAServerThatGoesAwayIsSaidOnceAndTheConversationStays(t *testing.T) {
	r := editorServer(t)
	c := openConsole(t, 80, []string{"CANDOR_TOKEN=" + apptest.Token}, "chat", "--server", r.URL)
	c.prompt("leaves.")
	c.say("hello")
	c.prompt("said")
	r.Stop()
	c.until("┄ The connection is lost; trying again until it is back.")
	c.say("are you there?")
	c.until("✗ no answer from 127.0.0.1:")
	c.say("/threads")
	c.until("› /threads\n  ✗ no answer from")
	assert.Equal(t, 1, strings.Count(c.leave(), "The connection is lost"))
}
