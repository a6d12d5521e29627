package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nobody measures a call of a worker that only reports before and after it. The log has when the
// server received the two reports, and that is no more than about how long the call took.
func TestReportsOfACallThatCameApartSayAboutHowLongItTook(t *testing.T) {
	ended := func(id string, o Outcome, took *time.Duration) JobToolResult {
		return JobToolResult{Call: id, Outcome: o, Took: took}
	}
	log := jobLog(
		begun("call_1"), begun("call_2"), begun("call_3"), begun("call_4"), // at 1 to 4 s
		ended("call_1", Success, nil), ended("call_2", Errored, new(3*time.Millisecond)),
		ended("call_3", Rejected, nil), ended("call_4", Success, nil), ended("call_5", Success, nil),
	)
	log[8].At = log[4].At.Add(minApart - 1) // as if of one post
	var calls []Call
	for c := range JobTurns(log)[0].Calls() {
		calls = append(calls, c)
	}
	require.Len(t, calls, 5)
	assert.Equal(t, 4*time.Second, calls[0].Apart)
	assert.True(t, calls[0].Untimed, "nobody measured it all the same")
	assert.Zero(t, calls[0].Took)
	assert.Zero(t, calls[1].Apart, "the worker said how long it took")
	assert.Zero(t, calls[2].Apart, "it never ran")
	assert.Zero(t, calls[3].Apart, "both came together")
	assert.Zero(t, calls[4].Apart, "nobody said when it began")
}
