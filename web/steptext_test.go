package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
)

// twoSteps is a script that narrates, calls a tool and answers.
const twoSteps = `{"steps": [
	{"narrative": "I look at the clock first. Then I know.", "pieces": [3],
		"tool_calls": [{"name": "clock", "arguments": {}, "rationale": "to know the time"}]},
	{"text": "It is noon. The sun is high.", "pieces": [5]}], "tools": {"clock": {"result": "12:00"}}}`

// spoken joins the texts of a stream's step_text events as a reader shows them, by step.
func spoken(t *testing.T, frames []apptest.Frame) map[int]string {
	t.Helper()
	shown := map[int]string{}
	for _, f := range frames {
		if f.Event != "step_text" {
			continue
		}
		var part struct {
			Step, Index int
			Text        string
		}
		require.NoError(t, json.Unmarshal([]byte(f.Data), &part))
		if part.Index == 0 {
			shown[part.Step] = ""
		}
		shown[part.Step] += part.Text
	}
	return shown
}

// follow opens a live stream of ann's that begins now.
func follow(t *testing.T, s *apptest.Server, query string) *apptest.Stream {
	t.Helper()
	stream, err := s.Subscribe(t.Context(), "ann", "", query)
	require.NoError(t, err)
	t.Cleanup(func() { stream.Body.Close() })
	stream.Live = true
	return stream
}

// join returns once the stream gets what is said, of which one that comes late may miss parts. It
// returns the id of the last event of the log that the stream got. It leaves a turn in a thread of its own.
func join(t *testing.T, own *session.Session, stream *apptest.Stream) (last string) {
	t.Helper()
	opened, err := own.OpenThread()
	require.NoError(t, err)
	turn, err := own.Accept(opened.Thread, safety.Literal("Is anybody there?"), nil)
	require.NoError(t, err)
	own.PublishText(session.StepText{Ref: turn.Ref, Step: 1, Text: safety.Literal("Here I am.")})
	stream.Until(t, "step_text")
	_, err = own.Append(turn.Ref, session.TurnInterrupted{})
	require.NoError(t, err)
	frames := stream.Until(t, "status")
	return frames[len(frames)-1].ID
}

func TestAStreamShowsATextWhileItIsWritten(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, json.RawMessage(twoSteps))
	thread, _ := s.Begin("ann")
	stream := follow(t, s, "")
	last := join(t, s.Session("ann"), stream)
	s.RunTurns("ann", thread, 1)
	frames := stream.Until(t, "response")
	assert.Equal(t, map[int]string{
		1: "I look at the clock first. Then I know.", 2: "It is noon. The sun is high.",
	}, spoken(t, frames))
	for _, f := range frames {
		if f.Event == "step_text" {
			assert.Equal(t, last, f.ID, "it has no id, so the place to resume from stays")
		}
		last = f.ID
	}
}

func TestAStreamOfAnotherThreadShowsNoText(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, json.RawMessage(twoSteps))
	thread, _ := s.Begin("ann")
	created := s.Do("ann", http.MethodPost, "/api/chat/thread/new", "{}").JSON()
	other := created["id"].(string)
	stream := follow(t, s, "?thread_id="+other)
	s.RunTurns("ann", thread, 1)
	s.RunTurns("ann", other, 1)
	for _, f := range stream.Until(t, "response")[1:] { // after the position
		assert.Contains(t, f.Data, other)
	}
}

func TestAServerThatDoesNotStreamSendsTextsWhole(t *testing.T) {
	s := apptest.Start(t, app.Settings{WholeTexts: true}, json.RawMessage(twoSteps))
	thread, _ := s.Begin("ann")
	stream := follow(t, s, "")
	s.RunTurns("ann", thread, 1)
	assert.Empty(t, spoken(t, stream.Until(t, "response")))
}

func TestAPageOpenedInTheMiddleOfAnAnswerShowsItsBeginning(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, json.RawMessage(`{"steps": [{"text": "`+
		strings.Repeat("This sentence is one of many. ", 40)+`", "pieces": [600, 10], "piece_ms": 30}]}`))
	thread, _ := s.Begin("ann")
	first := follow(t, s, "")
	s.Do("ann", http.MethodPost, "/api/chat/send", `{"content":"go","thread_id":"`+thread+`"}`)
	first.Until(t, "step_text")
	late := follow(t, s, "")
	frames := late.Until(t, "step_text")
	assert.Contains(t, frames[len(frames)-1].Data, `"index":0,"text":"This sentence is one of many. `)

	s.Do("ann", http.MethodPost, "/api/chat/interrupt", `{"thread_id":"`+thread+`"}`)
	first.Until(t, "status")
	turn := s.Get("ann", "/api/chat/history?thread_id="+thread).JSON()["turns"].([]any)[0].(map[string]any)
	assert.Equal(t, "interrupted", turn["state"])
	raw, err := json.Marshal(turn)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "This sentence is one of many. This sentence", "the history keeps what was said")
}
