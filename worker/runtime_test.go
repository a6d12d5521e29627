package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lookAndAnswer is a model that calls two tools together and then answers.
const lookAndAnswer = `{
  "steps": [
    {"narrative": "I look.", "tool_calls": [
      {"id": "a", "name": "look", "arguments": {}, "rationale": "to see"},
      {"id": "b", "name": "fail", "arguments": {}, "rationale": "to fail"}]},
    {"text": "Seen."}
  ],
  "tools": {"look": {"result": "a view"}, "fail": {"error": "no view"}}
}`

// oneTurn is what lookAndAnswer leaves in the log, with its calls numbered from first.
func oneTurn(first, second string) []string {
	return []string{
		"tool_use " + first, "tool_use " + second,
		"tool_result " + first + "success", "tool_result " + second + "error",
		"reasoning", "message assistant",
	}
}

// endless is a model that calls a tool which does not return.
const endless = `{
  "steps": [
    {"tool_calls": [{"id": "a", "name": "wait", "arguments": {}, "rationale": "to wait"}]},
    {"text": "Done."}
  ],
  "tools": {"wait": {"delay_ms": 600000, "result": "ok"}}
}`

// runInBackground starts the worker; done receives what Run returned.
func runInBackground(ctx context.Context, r *Runtime) (done chan error) {
	done = make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	return done
}

func hasCall(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return e.Kind == KindToolUse })
}

func countAnswers(events []Event) int {
	return strings.Count(strings.Join(summaries(events), "\n"), "message assistant")
}

func TestAJobIsRecordedFromItsPromptToItsResult(t *testing.T) {
	s := newFakeServer(t)
	require.NoError(t, s.runtime(t, lookAndAnswer).Run(t.Context()))
	events := s.events()
	want := slices.Concat([]string{"status running"}, oneTurn("call_1", "call_2"), []string{"result"})
	require.Equal(t, want, summaries(events))
	assert.Equal(t, "to see", events[1].Rationale)
	assert.Equal(t, "I look.", events[1].Narrative, "a step's first call carries the narrative")
	assert.Empty(t, events[2].Narrative)
	assert.Equal(t, new(0), events[1].Group)
	assert.Equal(t, "I look.", events[5].Narrative)
	assert.Equal(t, "to fail", events[5].ToolDecisions[1].Rationale)
	assert.Equal(t, "Seen.", events[7].Message)
	assert.True(t, *events[7].Success)
}

func TestFurtherPromptsAreAnsweredUntilTheLast(t *testing.T) {
	s := newFakeServer(t)
	r := s.runtime(t, lookAndAnswer)
	r.FollowUps = true
	done := runInBackground(t.Context(), r)
	s.until(t, func(events []Event) bool { return countAnswers(events) == 1 })
	s.prompt("second prompt", false)
	s.until(t, func(events []Event) bool { return countAnswers(events) == 2 })
	s.prompt("", true)
	require.NoError(t, <-done)
	events := s.events()
	assert.Equal(t, 2, countAnswers(events), "an empty last prompt is not answered")
	assert.Equal(t, oneTurn("call_3", "call_4"), summaries(events[8:14]), "calls are numbered throughout the job")
	assert.Equal(t, "result", summaries(events)[len(events)-1])
}

func TestAStoppedWorkersJobIsResumedByTheNext(t *testing.T) {
	s := newFakeServer(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := runInBackground(ctx, s.runtime(t, endless))
	s.until(t, hasCall)
	stop()
	require.ErrorIs(t, <-done, context.Canceled)
	assert.Equal(t, []string{"status running", "tool_use call_1", "tool_result call_1cancelled", "reasoning",
		"status interrupted"}, summaries(s.events()), "nothing is left open")
	require.NoError(t, s.runtime(t, strings.Replace(endless, "600000", "0", 1)).Run(t.Context()))
	events := s.events()
	assert.Equal(t, []string{"status running", "message assistant", "result"}, summaries(events[5:]))
	assert.Equal(t, "Done.", events[6].Content, "the model sees the step before and continues behind it")
	assert.Contains(t, events[5].Message, "resumes")
}

// The log ends as a killed worker leaves it: with an open call, and with a prompt that
// nobody answered and that the server no longer hands out.
func TestAKilledWorkersJobIsClosedAndContinued(t *testing.T) {
	s := newFakeServer(t)
	s.log.events = []Event{
		{ID: "r1-1", Kind: KindStatus, State: "running"},
		{ID: "r1-2", Kind: KindMessage, Role: "assistant", Content: "The first answer."},
		{Kind: KindMessage, Role: "user", Content: "second prompt"},
		{ID: "r1-3", Kind: KindToolUse, CallID: "call_1", ToolName: "wait", Reason: Reason{Rationale: "to wait"}},
	}
	s.prompt("third prompt", true)
	r := s.runtime(t, lookAndAnswer)
	r.FollowUps = true
	require.NoError(t, r.Run(t.Context()))
	events := s.events()
	assert.Equal(t, []string{"tool_result call_1cancelled", "reasoning", "status running"}, summaries(events[5:8]))
	assert.Equal(t, "r1-4", events[5].ID, "numbers continue behind the log's")
	assert.Equal(t, "to wait", events[6].ToolDecisions[0].Rationale)
	assert.Equal(t, 3, countAnswers(events), "both open prompts are answered, none twice")
}

func TestAResumedRunKnowsThePromptsWithoutAnAnswer(t *testing.T) {
	s := newFakeServer(t)
	s.log.events = []Event{
		{ID: "r1-1", Kind: KindMessage, Role: "assistant", Content: "The first answer."},
		{Kind: KindMessage, Role: "user", Content: "cleaned second prompt"},
	}
	s.prompt("third prompt", false)
	r := s.runtime(t, lookAndAnswer)
	r.FollowUps = true
	at, err := r.resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Prompt{{Content: "cleaned second prompt"}, {Content: "third prompt", Number: 1}}, at.due,
		"a prompt that the server still has comes in the user's own words")
	assert.True(t, at.open)
	s.prompt("", true)
	at, err = r.resume(t.Context())
	require.NoError(t, err)
	assert.False(t, at.open, "the last prompt was sent")
}

func TestACancelledJobStopsTheRunningTool(t *testing.T) {
	s := newFakeServer(t)
	done := runInBackground(t.Context(), s.runtime(t, endless))
	s.until(t, hasCall)
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	err := <-done
	require.ErrorIs(t, err, ErrOver)
	assert.NotErrorIs(t, err, ErrReplaced)
}

func TestAReplacedWorkerStops(t *testing.T) {
	s := newFakeServer(t)
	done := runInBackground(t.Context(), s.runtime(t, endless))
	s.until(t, hasCall)
	_, err := s.runtime(t, endless).Client.Job(t.Context())
	require.NoError(t, err)
	err = <-done
	require.ErrorIs(t, err, ErrReplaced)
	require.ErrorIs(t, err, ErrOver)
	assert.EqualError(t, err, "another worker has taken the job over")
}

func TestEachRunIsAWorkerOfItsOwn(t *testing.T) {
	s := newFakeServer(t)
	first := s.runtime(t, endless)
	done := runInBackground(t.Context(), first)
	s.until(t, hasCall)
	second := s.runtime(t, strings.Replace(endless, "600000", "0", 1))
	second.Client = first.Client
	require.NoError(t, second.Run(t.Context()))
	require.ErrorIs(t, <-done, ErrReplaced, "the second Run replaced the first, though they share a Client")
}

func TestAFailedTurnFailsTheJob(t *testing.T) {
	s := newFakeServer(t)
	err := s.runtime(t, `{"steps": [{"error": "the model is unavailable"}]}`).Run(t.Context())
	require.ErrorIs(t, err, ErrFailed)
	events := s.events()
	assert.Equal(t, []string{"status running", "status failed", "result"}, summaries(events))
	assert.False(t, *events[2].Success)
	assert.Contains(t, events[2].Message, "the model is unavailable")
}

func TestAFullJobIsEndedAsFailed(t *testing.T) {
	s := newFakeServer(t)
	s.full = true
	err := s.runtime(t, lookAndAnswer).Run(t.Context())
	require.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, "job_full")
	want := `{"success":false,"message":"The job's log is full: its run may post no more events."}`
	assert.JSONEq(t, want, s.result)
}

func TestAnUnreadableLogIsReported(t *testing.T) {
	s := newFakeServer(t)
	s.log.events = []Event{{Kind: KindStatus, State: "running"}}
	r := s.runtime(t, lookAndAnswer)
	c := answeringWith(t, `{"job_id":"job-1","run":1,"events":[{"id":1,"event_type":"job_status","data":[]}]}`)
	r.Client = c
	assert.ErrorContains(t, r.Run(t.Context()), "cannot be decoded")
}

func TestAWorkerWhoseContextHasEndedDoesNothing(t *testing.T) {
	s := newFakeServer(t)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("stopped before it began"))
	require.ErrorIs(t, s.runtime(t, lookAndAnswer).Run(ctx), context.Canceled)
	assert.Empty(t, s.events())
}
