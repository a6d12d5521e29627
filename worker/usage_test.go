package worker

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func TestWhatAnswersCostIsPostedOnceWithTheirStep(t *testing.T) {
	r, posted := newRecorder(t)
	cost := func(nanos int64) session.Spent { return session.Spent{Nanos: nanos, Priced: 1} }
	record(t, r,
		session.ToolCalled{Call: "a", Tool: safety.Literal("ls"), Rationale: session.Fallback()},
		session.ToolReturned{Call: "a", Outcome: session.Success},
		session.Handoff{From: "helper", Usage: session.Usage{Output: 1}, Spent: cost(1)},
		session.StepEnded{Step: 1, Usage: session.Usage{Input: 10, Output: 2, Reasoning: 1}, Spent: cost(12)},
		session.StepEnded{Step: 2},
		session.TurnCompleted{Response: safety.Literal("done"), Usage: session.Usage{Output: 4}})
	var all []*Usage
	for _, e := range posted() {
		if e.Kind == KindReasoning || e.Kind == KindMessage {
			all = append(all, e.Usage)
		}
	}
	require.Len(t, all, 3)
	assert.Equal(t, &Usage{Input: 10, Output: 3, Reasoning: 1, Cost: new(int64(13))}, all[0])
	assert.Nil(t, all[1], "nothing was reported")
	assert.Equal(t, &Usage{Output: 4}, all[2], "a price that nobody knows")
}
