package terminal

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

// How far a job is, as tail says it below what happened so far.
func TestTheStateOfAJobIsShown(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	heard := now.Add(-5 * time.Minute)
	for _, tt := range []struct {
		name string
		job  client.Job
		want string
	}{
		{"no worker yet", client.Job{ID: "j", State: "pending", Run: 1},
			"  ┄ Waiting for a worker. This line starts one, with the job's token:\n" +
				"    CANDOR_JOB_TOKEN=… candor worker --server http://h:1 --job j\n"},
		{"no worker since a restart", client.Job{ID: "j", State: "pending", Run: 3},
			"  ┄ Waiting for a worker, run 3. This line starts one, with the job's token:\n" +
				"    CANDOR_JOB_TOKEN=… candor worker --server http://h:1 --job j\n"},
		{"a worker that has posted nothing yet", client.Job{State: "pending", Run: 1, WorkerAt: &now},
			"  ┄ Running; its worker was heard just now.\n"},
		{"a worker that is silent", client.Job{State: "running", Run: 2, WorkerAt: &heard},
			"  ┄ Running, run 2; its worker was heard 5 min ago.\n"},
		{"a worker of which nothing is known", client.Job{State: "running", Run: 1}, "  ┄ Running.\n"},
		{"a failure", client.Job{State: "failed", Run: 1, Error: "no space\nleft", EndedAt: &now},
			"  ✗ Failed: no space left\n"},
		{"a failure without words", client.Job{State: "failed", Run: 2, EndedAt: &now},
			"  ✗ Failed, run 2: the worker did not say why\n"},
		{"a success", client.Job{State: "completed", Run: 1, EndedAt: &now}, ""},
		{"a cancelled job", client.Job{State: "cancelled", Run: 1, EndedAt: &now}, ""},
	} {
		assert.Equal(t, tt.want, Style{}.jobState(tt.job, "http://h:1", now), tt.name)
	}
}

// A call's reason and what was said before it stand with the call, without waiting for the
// step's reasons; what was matched by order says so; no duration is shown.
func TestACallOfAJobIsShownWithItsReasonAtOnce(t *testing.T) {
	call := client.Decision{ToolName: "grep", Rationale: "to see", Source: "model", CallID: "call_1"}
	inferred := call
	inferred.Inferred, inferred.Outcome = true, "success"
	for _, tt := range []struct {
		name  string
		event client.Event
		want  string
	}{
		{"a call with a narrative", client.Event{Type: "job_tool_use", Decision: call, Narrative: "I look."},
			"  ○ I look.\n  ○ grep  \"to see\"\n    params: {}\n"},
		{"a narrative that was withheld", client.Event{Type: "job_tool_use", Decision: call, NarrativeBlocked: true},
			"  ○ (its narrative was withheld: it could not be made safe)\n  ○ grep  \"to see\"\n    params: {}\n"},
		{"a call without a reason yet", client.Event{Type: "job_tool_use", Decision: client.Decision{ToolName: "grep"}},
			"  ○ grep\n    params: {}\n"},
		{"a result matched by order", client.Event{Type: "job_tool_result", Decision: inferred, Output: []byte(`"3"`)},
			"  ● grep\n    ▸ 3  (matched by tool and order)\n"},
		{"a reason matched by order", client.Event{Type: "job_reasoning", Decisions: []client.Decision{inferred}},
			"\n  ┄ Reasoning\n  ┄ grep  \"to see\"  (matched by tool and order)\n    → success\n\n"},
		{"the reasoning behind an answer",
			client.Event{Type: "job_reasoning", Answer: client.BehindAnswer, Narrative: "I know."},
			"\n  Before the answer: \"I know.\" (its provider's summary)\n"},
	} {
		assert.Equal(t, tt.want, Style{}.jobEvent(tt.event), tt.name)
	}
}

// Calls of one tool may end in any order: then the parameters say which call a result is of.
func TestAResultBehindAnotherCallRepeatsItsParameters(t *testing.T) {
	var calls jobCalls
	show := func(kind, job, id string, input string) string {
		d := client.Decision{ToolName: "grep", CallID: id, Outcome: "success", Agent: "scout"}
		e := client.Event{Type: kind, JobID: job, Decision: d, Input: []byte(input), Output: []byte(`"` + id + `"`)}
		if kind == "job_reasoning" {
			e.Decision, e.Agent, d.Agent = client.Decision{}, d.Agent, ""
			e.Decisions = []client.Decision{d}
		}
		return Style{}.jobEvent(calls.complete(e))
	}
	show("job_tool_use", "j", "call_1", `{"n":1}`)
	assert.Equal(t, "  ● scout/grep\n    ▸ call_1\n", show("job_tool_result", "j", "call_1", ""))
	show("job_tool_use", "j", "call_2", `{"n":2}`)
	show("job_tool_use", "j", "call_3", ``)
	assert.Equal(t, "  ● scout/grep\n    params: { \"n\": 2 }\n    ▸ call_2\n",
		show("job_tool_result", "j", "call_2", ""))
	assert.Equal(t, "  ● scout/grep\n    params: {}\n    ▸ call_3\n", show("job_tool_result", "j", "call_3", ""))
	assert.Equal(t, "  ● scout/grep\n    ▸ call_9\n", show("job_tool_result", "j", "call_9", ""), "never seen")
	assert.Equal(t, "  ● scout/grep\n    ▸ call_2\n", show("job_tool_result", "k", "call_2", ""), "another job's")
	assert.Equal(t, "\n  ┄ Reasoning\n  ┄ scout/grep  \"\"\n    params: { \"n\": 2 }\n    → success\n\n",
		show("job_reasoning", "j", "call_2", ""))
	for range maxJobCalls {
		show("job_tool_use", "j", rand.Text(), `{}`)
	}
	assert.LessOrEqual(t, len(calls.params), maxJobCalls)
	assert.Equal(t, "  ● scout/grep\n    ▸ call_2\n", show("job_tool_result", "j", "call_2", ""), "forgotten")
}
