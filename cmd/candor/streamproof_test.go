package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// secretTexts are texts with a secret each, by its kind, and the secret. A text in which a
// private key stands is withheld.
func secretTexts() map[string][2]string {
	key := strings.ReplaceAll(apptest.Fixtures()["private_key"], `\n`, "\n")
	token, password := apptest.Fixtures()["github_token"], apptest.Fixtures()["password"]
	hidden := base64.StdEncoding.EncodeToString([]byte("the token is " + token))
	in := func(secret string) [2]string {
		return [2]string{"I read it first. It says " + secret + " and no more. Then I go on.", secret}
	}
	named := in(password)
	named[0] = strings.Replace(named[0], "It says ", "It says password = ", 1)
	return map[string][2]string{
		"a token": in(token), "a named password": named, "a token in base64": in(hidden),
		"a private key": {"I read it first:\n" + key + "\nThen I go on with it.", key},
	}
}

// assertNoPart fails if text holds eight bytes in a row of a secret, without printing it.
func assertNoPart(t *testing.T, text, secret, where string) {
	t.Helper()
	for line := range strings.Lines(secret) {
		line = strings.TrimSpace(line)
		for i := 0; i+8 <= len(line) && !strings.Contains(line, "PRIVATE"); i++ {
			if strings.Contains(text, line[i:i+8]) {
				assert.Fail(t, "a part of a secret came through", "%s, from byte %d of the secret", where, i)
				return
			}
		}
	}
}

// shownTexts joins the parts of each step as a reader does, and fails if a part of the
// secret was shown at any time, be it over several events.
func shownTexts(t *testing.T, frames []apptest.Frame, secret, where string) map[int]string {
	t.Helper()
	shown := map[int]string{}
	for _, f := range frames {
		assertNoPart(t, f.Data, secret, where)
		var part struct {
			Type        string
			Step, Index int
			Text        string
		}
		require.NoError(t, json.Unmarshal([]byte(f.Data), &part))
		if part.Type != "step_text" {
			continue
		}
		if part.Index == 0 {
			shown[part.Step] = ""
		}
		shown[part.Step] += part.Text
		assertNoPart(t, shown[part.Step], secret, where)
	}
	return shown
}

// finalTexts returns the narrative of each step and the answer as history has them.
func finalTexts(t *testing.T, s *apptest.Server, thread string) (narratives map[int]string, answer, raw string) {
	t.Helper()
	raw = s.Get("ann", "/api/chat/history?thread_id="+thread).Body
	var page struct {
		Turns []struct {
			Response  string
			Reasoning struct {
				Narrative  string
				Narratives []struct {
					Step      int
					Narrative string
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(raw), &page))
	narratives = map[int]string{}
	for _, n := range page.Turns[0].Reasoning.Narratives {
		narratives[n.Step] = n.Narrative
	}
	if len(narratives) == 0 && page.Turns[0].Reasoning.Narrative != "" {
		narratives[1] = page.Turns[0].Reasoning.Narrative
	}
	return narratives, page.Turns[0].Response, raw
}

// playSplits runs a turn whose steps say a text in two pieces, each split at another byte,
// and whose answer says it once more. It returns the number of steps whose text was
// streamed as a whole.
func playSplits(t *testing.T, text, secret string, cuts []int) int {
	t.Helper()
	var steps []any
	for _, cut := range cuts {
		steps = append(steps, map[string]any{"narrative": text, "pieces": []int{cut, len(text)},
			"tool_calls": []any{map[string]any{"name": "look", "rationale": "to see"}}})
	}
	last := cuts[len(cuts)-1]
	steps = append(steps, map[string]any{"text": text, "pieces": []int{last, len(text)}})
	s := apptest.Start(t, app.Settings{}, map[string]any{
		"steps": steps, "tools": map[string]any{"look": map[string]any{"result": true}}})
	return checkStreamedTurn(t, s, secret, fmt.Sprintf("split at %d and on", cuts[0]))
}

// checkStreamedTurn runs a turn and checks every wire it goes over. It returns the number of
// steps whose text was streamed as a whole.
func checkStreamedTurn(t *testing.T, s *apptest.Server, secret, where string) int {
	t.Helper()
	thread, origin := s.Begin("ann")
	stream, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer stream.Body.Close()
	stream.Live = true
	s.Send("ann", thread, "go on")
	return checkStreamedFrames(t, s, thread, stream.Until(t, "response"), secret, where)
}

// checkStreamedFrames checks the frames of a thread's only turn, and every other wire it went
// over. It returns the number of steps whose text was streamed as a whole.
func checkStreamedFrames(
	t *testing.T, s *apptest.Server, thread string, frames []apptest.Frame, secret, where string,
) int {
	t.Helper()
	shown := shownTexts(t, frames, secret, where)
	narratives, answer, raw := finalTexts(t, s, thread)
	assertNoPart(t, raw, secret, where+", in history")
	for _, path := range []string{"/api/chat/export?thread_id=" + thread, "/agui/threads/" + thread + "/events"} {
		r := s.Get("ann", path)
		require.Equal(t, http.StatusOK, r.Status, path)
		assertNoPart(t, r.Body, secret, where+", at "+path)
	}
	whole := 0
	for step, text := range shown {
		final, ok := narratives[step]
		if !ok {
			final = answer
		}
		// What is streamed may be lost, once the step's last event is there; but it is never anything else.
		begins := strings.HasPrefix(final, text)
		assert.True(t, begins, "%s: step %d: %q is no beginning of %q", where, step, text, final)
		if text != "" && text == final {
			whole++
		}
	}
	return whole
}

// TestASecretSplitOverTwoChunksIsOnNoWire splits each text at each of its bytes.
func TestASecretSplitOverTwoChunksIsOnNoWire(t *testing.T) {
	whole := 0
	for kind, text := range secretTexts() {
		t.Run(kind, func(t *testing.T) {
			var cuts []int
			for cut := 1; cut < len(text[0]); cut++ {
				cuts = append(cuts, cut)
			}
			for some := range slices.Chunk(cuts, 40) {
				whole += playSplits(t, text[0], text[1], some)
			}
		})
	}
	assert.Positive(t, whole, "no step's text was streamed whole")
}

// wires are the ways in which models send a piece of text, and how their answers begin
// and end, by the settings that choose them.
var wires = []struct {
	settings                   app.ModelSettings
	before, piece, after, rest string
}{
	{app.ModelSettings{Provider: "openai", Name: "m", API: "chat"}, "",
		`data: {"model":"m","choices":[{"index":0,"delta":{"content":%s}}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n", ""},
	{app.ModelSettings{Provider: "openai", Name: "m", API: "responses"}, "",
		`data: {"type":"response.output_text.delta","output_index":0,"delta":%s}` + "\n\n",
		`data: {"type":"response.completed","response":{"model":"m"}}` + "\n\n",
		`data: {"type":"response.output_item.done","item":{"type":"message","content":[{"text":%s}]}}` + "\n\n"},
	{app.ModelSettings{Provider: "anthropic", Name: "m"},
		"event: content_block_start\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
		"event: content_block_delta\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}` + "\n\n",
		"event: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n", ""},
}

// TestASecretInTheChunksOfARealWireIsOnNoWireOfOurs asks models over HTTP, in each of the
// protocols, that split the secret in the middle and everything else as models do.
func TestASecretInTheChunksOfARealWireIsOnNoWireOfOurs(t *testing.T) {
	whole := 0
	for _, wire := range wires {
		for kind, text := range secretTexts() {
			t.Run(wire.settings.Provider+" "+wire.settings.API+" "+kind, func(t *testing.T) {
				model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, wire.before)
					for chunk := range slices.Chunk([]byte(text[0]), 7) {
						quoted, _ := json.Marshal(string(chunk))
						_, _ = fmt.Fprintf(w, wire.piece, quoted)
						_ = http.NewResponseController(w).Flush()
					}
					if quoted, _ := json.Marshal(text[0]); wire.rest != "" {
						_, _ = fmt.Fprintf(w, wire.rest, quoted)
					}
					_, _ = io.WriteString(w, wire.after)
				}))
				defer model.Close()
				t.Setenv(app.OpenAIBaseEnv, model.URL)
				t.Setenv(app.AnthropicBaseEnv, model.URL)
				t.Setenv(app.OpenAIKeyEnv, "none")
				t.Setenv(app.AnthropicKeyEnv, "none")
				whole += checkStreamedTurn(t, apptest.StartModel(t, app.Settings{Model: wire.settings}), text[1], kind)
			})
		}
	}
	assert.Positive(t, whole, "no answer was streamed whole")
}
