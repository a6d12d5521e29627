package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestAnEventThatFitsAfterOneThatDidNotTakesTheNextNumber(t *testing.T) {
	l := newFakeLog()
	l.hold = make(chan struct{})
	u, _, dir := newUploaderTo(t, l)
	u.queue.maxEvents, u.queue.dir = 0, dir+"/missing"
	require.Error(t, u.add(Status("n", "lost")), "neither memory nor disk holds it")
	u.queue.dir = dir
	require.NoError(t, u.add(Status("n", "0")))
	require.NoError(t, u.add(Status("n", "1")))
	close(l.hold)
	require.NoError(t, u.Close(t.Context()))
	assertInOrder(t, l.events, 2)
}

func TestEachEventLostAtAStopIsCountedOnce(t *testing.T) {
	l := newFakeLog()
	l.hold = make(chan struct{})
	l.before = func(int, []Event) error { return ErrOver }
	u, _, _ := newUploaderTo(t, l)
	for i := range 250 { // more than one post has
		require.NoError(t, u.add(Status("n", fmt.Sprint(i))))
	}
	close(l.hold)
	err := u.Close(t.Context())
	require.ErrorIs(t, err, ErrOver)
	assert.ErrorContains(t, err, "250 events were not posted")
}

func TestAPostHasABoundInBytes(t *testing.T) {
	q := queue{dir: t.TempDir(), maxEvents: 4, maxBytes: 8 << 20}
	defer func() { assert.NoError(t, q.close()) }()
	event := json.RawMessage(`"` + strings.Repeat("x", 300<<10) + `"`)
	for range 8 { // four in memory, four in the file
		_, err := q.put(event)
		require.NoError(t, err)
	}
	for range 4 {
		batch, _, err := q.take(MaxPost, maxPostBytes)
		require.NoError(t, err)
		assert.Len(t, batch, 2, "a third would exceed the bound")
	}
	assert.Zero(t, q.len())
}

func TestMemoryIsFreeAgainOnceItsEventsAreTaken(t *testing.T) {
	q := queue{dir: t.TempDir(), maxEvents: 1000, maxBytes: 100}
	defer func() { assert.NoError(t, q.close()) }()
	for range 50 {
		spilling, err := q.put(json.RawMessage(strings.Repeat("1", 60)))
		require.NoError(t, err)
		require.False(t, spilling, "one event at a time fits in memory")
		_, _, err = q.take(MaxPost, maxPostBytes)
		require.NoError(t, err)
	}
	assert.Zero(t, q.bytes)
}

func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		blanks := bytes.Repeat([]byte(" "), 1<<20)
		for range maxAnswer >> 20 {
			_, _ = w.Write(blanks)
		}
		_, _ = io.WriteString(w, `{"job_id":"job-1"}`)
	})
	_, err := c.Job(t.Context())
	assert.ErrorIs(t, err, errForeignAnswer, "what comes after the bound is not read")
}

func TestARequestHasATimeLimit(t *testing.T) {
	c, err := NewClient("http://127.0.0.1:1", "job-1", testToken)
	require.NoError(t, err)
	assert.Equal(t, 30*time.Second, c.http.Timeout)
}

func TestAPromptThatWaitsWhenAWorkerBeginsIsAnsweredOnce(t *testing.T) {
	s := newFakeServer(t)
	s.prompt("second prompt", false)
	s.prompt("", true)
	r := s.runtime(t, `{"steps": [{"text": "an answer"}]}`)
	r.FollowUps = true
	require.NoError(t, r.Run(t.Context()))
	assert.Equal(t, 2, countAnswers(s.events()), "the first prompt and the one that waited")
}

func TestTheSourceOfAReasonIsPostedWithIt(t *testing.T) {
	r, posted := newRecorder(t)
	record(t, r, session.ToolCalled{Call: "a", Rationale: session.Fallback()}, session.StepEnded{})
	events := posted()
	assert.Equal(t, session.FromFallback, events[0].Source, "our sentence is not filed as the model's")
	assert.Equal(t, session.FromFallback, events[1].ToolDecisions[0].Source)
	assert.Equal(t, "call_1", events[1].ToolDecisions[0].CallID, "the call that the reason is about")
}

func TestCallsAreNumberedThroughAllRunsOfAJob(t *testing.T) {
	s := newFakeServer(t)
	s.calls = 4
	require.NoError(t, s.runtime(t, lookAndAnswer).Run(t.Context()))
	assert.Contains(t, summaries(s.events()), "tool_use call_5")
}

func TestCallsOfASubAgentNameIt(t *testing.T) {
	r, posted := newRecorder(t)
	record(t, r.ForAgent("scout_1"), session.ToolCalled{Call: "a"},
		session.ToolReturned{Call: "a", Outcome: session.Success}, session.StepEnded{})
	for _, e := range posted() {
		assert.Equal(t, "scout_1", e.Agent, e.Kind)
	}
}
