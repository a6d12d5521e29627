package page_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// observeShifts sums up how far what is shown moves by itself.
const observeShifts = `(() => {
	window.shifted = 0;
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) if (!e.hadRecentInput) shifted += e.value;
	}).observe({ type: 'layout-shift', buffered: false });
	return true; })()`

// slowStory writes the story's script with steps and tools that take a while, and returns its path and its
// first message.
func slowStory(t *testing.T) (path, message string) {
	t.Helper()
	raw, err := os.ReadFile("../../../testdata/story/script.json")
	require.NoError(t, err)
	var story struct {
		Steps  []map[string]any          `json:"steps"`
		Turns  []storyTurn               `json:"turns"`
		Tools  map[string]map[string]any `json:"tools"`
		Deny   []string                  `json:"deny"`
		Agents map[string]any            `json:"agents"`
	}
	require.NoError(t, json.Unmarshal(raw, &story))
	calls := 0
	for _, s := range story.Turns[0].Steps {
		s["delay_ms"] = 120
		if of, ok := s["tool_calls"].([]any); ok {
			calls += len(of)
		}
	}
	require.Equal(t, 36, calls, "the story's first turn")
	wait := 10
	for _, tool := range story.Tools {
		tool["delay_ms"] = wait
		wait += 20
	}
	raw, err = json.Marshal(story)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	return path, story.Turns[0].Message
}

// storyTurn is a message of the story and the steps that answer it.
type storyTurn struct {
	Message string           `json:"message"`
	Steps   []map[string]any `json:"steps"`
}

// What a reader looks at stays where it is while a turn of 36 calls runs, at the end of the conversation as well
// as further up, on a desk as on a phone.
func TestNothingMovesByItselfWhileATurnRuns(t *testing.T) {
	script, message := slowStory(t)
	s := startServerOf(t, "--provider", "script", "--script", script)
	for _, width := range []int64{1280, 390} {
		thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
		w := window(t)
		w.run(chromedp.EmulateViewport(width, 860))
		w.open(s, "ann")
		w.shows("#link", "Live")
		w.showTurn(s, thread, 0)
		w.until("the conversation is open", `location.hash.includes(%s)`, thread)
		w.settle()
		eval[bool](w, observeShifts)
		s.do("ann", http.MethodPost, "/api/chat/send", fields{"content": message, "thread_id": thread})
		w.shows("candor-turn .answer.prose", "The ledger rounds once, at the end.")
		w.settle()
		shifted := eval[float64](w, `shifted`)
		t.Logf("%d px: layout shift %.4f", width, shifted)
		assert.Less(t, shifted, .01, "%d px", width)
		w.clean()
	}
}
