package web_test

import (
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reasoned is a script whose every turn calls a tool, with a reason.
func reasoned() apptest.M {
	return apptest.M{
		"steps": []apptest.M{
			{"narrative": "I look at the clock.", "tool_calls": []apptest.M{
				{"id": "a", "name": "clock", "arguments": apptest.M{"zone": "UTC"}, "rationale": "to know the time"}}},
			{"text": "It is noon."},
		},
		"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
	}
}

// detail is how a conversation in the terminal shows a turn of reasoned.
func detail(turn string) string {
	return "  ┄ Reasoning — turn " + turn + "\n  Narrative: \"I look at the clock.\"\n\n" +
		"  ┄ clock\n    rationale: \"to know the time\"\n" +
		"    params:    { \"zone\": \"UTC\" }\n    outcome:   success (4 bytes)"
}

// The message /reasoning is answered with the reasons, in the words of the terminal. It
// becomes no turn, reaches no model, and leaves nothing in the log.
func TestReasoningAsAMessageIsAnsweredWithTheReasons(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100}, reasoned())
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 2)
	head := s.Session("ann").Head()
	const how = "/reasoning takes the number of a turn, all, last, or search WORDS."
	for message, want := range map[string]string{
		"/reasoning 1":            detail("1"),
		"/reasoning":              detail("2"),
		" /reasoning\tlast\n":     detail("2"),
		"/reasoning all":          detail("1") + "\n\n" + detail("2"),
		"/reasoning 3":            "  ✗ No reasoning data for turn 3 in this thread.",
		"/reasoning 0":            "  ✗ No reasoning data for turn 0 in this thread.",
		"/reasoning one":          how,
		"/reasoning search xyzzy": "Nothing in this thread has all of these words.",
		"/reasoning search": "/reasoning search needs words to look for, " +
			"such as /reasoning search login slow.",
		"/reasoning 1 2":               how,
		"/reasoning search know clock": "",
	} {
		r := s.Do("ann", "POST", "/api/chat/send", string(apptest.JSON(t,
			apptest.M{"content": message, "thread_id": thread})))
		require.Equal(t, 200, r.Status, r.Body)
		got := r.JSON()
		assert.Equal(t, "answered", got["status"])
		assert.Equal(t, thread, got["thread_id"])
		if want == "" {
			assert.Contains(t, got["content"], "to know the time")
			continue
		}
		assert.Equal(t, want, got["content"], message)
	}
	assert.Equal(t, head, s.Session("ann").Head(), "the log is as it was")
	sent := s.Do("ann", "POST", "/api/chat/send", `{"content":"and now?"}`)
	assert.InDelta(t, 3, sent.JSON()["turn_number"], 0, "no number was used up")
}

func TestOnlyTheCommandIsNoMessage(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100}, apptest.Answering("hello"))
	thread, _ := s.Begin("ann")
	for _, message := range []string{"/reasonings", "what does /reasoning do?", "/help", "reasoning 1"} {
		r := s.Do("ann", "POST", "/api/chat/send", string(apptest.JSON(t,
			apptest.M{"content": message, "thread_id": thread})))
		assert.Equal(t, 202, r.Status, message)
	}
}

// Without a turn, and without a thread, the specified sentence is the answer.
func TestReasoningOfAnEmptyThread(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	const want = "  ✗ No reasoning data for turn 1 in this thread."
	r := s.Do("ann", "POST", "/api/chat/send", `{"content":"/reasoning 1"}`)
	assert.Equal(t, want, r.JSON()["content"])
	assert.Empty(t, r.JSON()["thread_id"], "no thread was opened")
	s.Begin("ann")
	assert.Equal(t, want, s.Do("ann", "POST", "/api/chat/send", `{"content":"/reasoning 1"}`).JSON()["content"])
	empty := s.Do("ann", "POST", "/api/chat/send", `{"content":"/reasoning"}`)
	assert.Equal(t, "No turn of this thread has ended yet.", empty.JSON()["content"])
	other := s.Do("ann", "POST", "/api/chat/send",
		`{"content":"/reasoning 1","thread_id":"25952d87-64dc-56b8-b0b9-99c502c7d245"}`)
	assert.Equal(t, 404, other.Status)
	assert.Equal(t, "no_thread", other.JSON()["error"])
}

// A front end of AG-UI gets the same words as a run with one message, unless it may see
// less than everything.
func TestReasoningAsAMessageOfAFrontEnd(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100}, reasoned())
	ask := func(run, content, props string) string {
		r := s.Do("ann", "POST", "/agui", `{"threadId":"mine","runId":"`+run+`","protocolVersion":"1.0",`+
			`"messages":[{"id":"`+run+`","role":"user","content":"`+content+`"}]`+props+`}`)
		require.Equal(t, 200, r.Status, r.Body)
		return r.Body
	}
	const none = "No reasoning data for turn 1 in this thread."
	assert.Contains(t, ask("r0", "/reasoning 1", ""), none)
	assert.NotContains(t, s.Do("ann", "GET", "/api/chat/threads", "").Body, `"title"`, "no thread was opened")
	ask("r1", "what time is it?", "")
	got := ask("r2", "/reasoning 1", "")
	assert.Equal(t, 5, strings.Count(got, "data: "), got)
	for _, want := range []string{`"type":"RUN_STARTED","threadId":"mine","runId":"r2","protocolVersion":"1.0"`,
		`"delta":` + string(apptest.JSON(t, detail("1"))), `"type":"RUN_FINISHED"`, `"outcome":{"type":"success"}`} {
		assert.Contains(t, got, want)
	}
	for _, level := range []string{"summary", "hidden"} {
		got = ask("r3"+level, "/reasoning 1", `,"forwardedProps":{"reasoning":"`+level+`"}`)
		assert.Contains(t, got, "Reasoning is limited here")
		assert.NotContains(t, got, "to know the time")
	}
}
