package attached_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/claude"
	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// factsOf returns the sightings of a session file.
func factsOf(t *testing.T, text string, read func(in io.Reader) iter.Seq2[attach.Sighting,
	error]) (all []attach.Sighting) {
	t.Helper()
	for s, err := range read(strings.NewReader(text)) {
		require.NoError(t, err)
		all = append(all, s)
	}
	return all
}

// TestAThoughtStandsBesideTheTextOfItsAnswer reads the recorded sessions, of which the first answer has both, and looks
// for the thought in history and by a search.
func TestAThoughtStandsBesideTheTextOfItsAnswer(t *testing.T) {
	for agent, c := range map[string]struct {
		file string
		read func(in io.Reader) iter.Seq2[attach.Sighting, error]
	}{
		"claude": {"session.jsonl", claude.NewReader(nil, false).Read},
		"codex":  {"session.jsonl", codex.NewReader(false).Read},
		"gemini": {"chats/session.jsonl", gemini.NewReader(os.DirFS("../../attach/gemini/testdata"), false).Read},
	} {
		t.Run(agent, func(t *testing.T) {
			raw, err := os.ReadFile("../../attach/" + agent + "/testdata/" + c.file)
			require.NoError(t, err)
			// The recorded session of Claude Code has its thoughts sealed, as the program has by default.
			text := string(bytes.ReplaceAll(raw, []byte(`"thinking":""`), []byte(`"thinking":"The notes may say it."`)))
			s := apptest.Start(t, app.Settings{}, nil)
			for _, post := range posts(t, s, factsOf(t, text, c.read), 50) {
				post()
			}
			found := false
			_, history := watched(t, s, "ann")
			reasoning := history["turns"].([]any)[0].(apptest.M)["reasoning"].(apptest.M)
			for _, step := range reasoning["narratives"].([]any) {
				step := step.(apptest.M)
				narrative, _ := step["narrative"].(string)
				thought, _ := step["thought"].(string)
				found = found || strings.HasPrefix(narrative, "I will look at the notes") &&
					strings.Contains(thought, "The notes may say it.")
			}
			assert.True(t, found, "the text, and the thought beside it")
			assert.Contains(t, s.Get("ann", "/api/chat/search?q=%22notes+may+say+it%22").Body, "may say it")
		})
	}
}

// TestWhyTheModelStoppedIsShown holds for the words of a provider in a session file.
func TestWhyTheModelStoppedIsShown(t *testing.T) {
	for stop, want := range map[string]string{
		"max_tokens": "length", "model_context_window_exceeded": "context", "refusal": "refusal", "tool_use": "no_call",
		"enough": "other",
	} {
		t.Run(stop, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			text := fmt.Sprintf(`{"type":"user","sessionId":"s","promptId":"p","message":{"content":"explain"}}
{"type":"assistant","sessionId":"s","message":{"id":"m","stop_reason":%q,"content":[{"type":"text","text":"So"}]}}
`, stop)
			for _, post := range posts(t, s, factsOf(t, text, claude.NewReader(nil, false).Read), 50) {
				post()
			}
			_, history := watched(t, s, "ann")
			turn := history["turns"].([]any)[0].(apptest.M)
			assert.Equal(t, want, turn["stop"])
			assert.NotEqual(t, "processing", turn["state"])
		})
	}
}

// TestWhatAFileLostIsShownAtItsPlace holds that a reader of the turn sees where a row was damaged.
func TestWhatAFileLostIsShownAtItsPlace(t *testing.T) {
	row := func(members string) string { return `{"sessionId":"s",` + members + "}\n" }
	said := func(id, text string) string {
		return row(fmt.Sprintf(`"type":"assistant","timestamp":"2026-11-20T09:00:0%sZ","message":{"id":%q,`+
			`"stop_reason":"tool_use",`+
			`"content":[{"type":"text","text":%q},{"type":"tool_use","id":"c%s","name":"Bash","input":{}}]}`, id,
			id, text, id))
	}
	s := apptest.Start(t, app.Settings{}, nil)
	text := row(`"type":"user","promptId":"p","timestamp":"2026-11-20T09:00:00Z","message":{"content":"go"}`) +
		said("1", "First.") + said("2", "Lost.")[:60] + "\n" + said("3", "Third.")
	for _, post := range posts(t, s, factsOf(t, text, claude.NewReader(nil, false).Read), 50) {
		post()
	}
	_, history := watched(t, s, "ann")
	var told []string
	for _, n := range history["turns"].([]any)[0].(apptest.M)["reasoning"].(apptest.M)["narratives"].([]any) {
		told = append(told, n.(apptest.M)["narrative"].(string))
	}
	assert.Equal(t, []string{"First.", "The session file is damaged here: what stood in this place is lost.",
		"Third."}, told)
}
