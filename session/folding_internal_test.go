package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

// heard returns the events by which hooks tell of a turn with so many calls, one for each fact.
func heard(calls int) (events []Event) {
	at := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	add := func(s Sighting) {
		s.At = at.Add(time.Duration(len(events)) * time.Second)
		events = append(events, Event{
			Seq: uint64(len(events)) + 1, At: at, Ref: Ref{Thread: "t", Turn: 1},
			Body: Sighted{Key: "p", Channel: FromHooks, Sightings: []Sighting{s}},
		})
	}
	for n := range calls {
		id := fmt.Sprintf("call_%05d", n)
		add(Sighting{Call: id, Called: &SightedCall{Tool: safety.Literal("Read"), Rationale: Fallback()}})
		add(Sighting{Call: id, Returned: &SightedResult{Outcome: Success, Took: time.Second}})
	}
	return events
}

// fold folds events.
func fold(events []Event) (f folding) {
	for _, e := range events {
		f = f.apply(e)
	}
	return f
}

// TestAFoldingIsTheTurnThatApplyMakes holds that a turn whose steps are made late is the one whose steps are made with
// each event, at every event, whoever asked before.
func TestAFoldingIsTheTurnThatApplyMakes(t *testing.T) {
	events := heard(3)
	own := func(b Body) {
		events = append(events, Event{Seq: uint64(len(events)) + 1, Ref: events[0].Ref, Body: b})
	}
	sights := func(s Sighting) { own(Sighted{Key: "p", Channel: FromHooks, Sightings: []Sighting{s}}) }
	sights(Sighting{Call: "last", Called: &SightedCall{Tool: safety.Literal("Bash"), Rationale: Fallback()}})
	own(ApprovalAsked{Request: "r", Call: "last"})
	own(DecisionRated{Call: "call_00001", Rating: Good})
	found := []safety.Finding{{Rule: "r", Count: 1}}
	sights(Sighting{Findings: found, Prompted: &SightedPrompt{Text: safety.Literal("go")}})
	own(ApprovalAnswered{Request: "r", Call: "last", Answer: Deny})
	sights(Sighting{Ended: &SightedEnd{State: Completed, Response: safety.Literal("done")}})

	var turn Turn
	var asked, unasked folding
	for _, e := range events {
		turn, asked, unasked = turn.Apply(e), asked.apply(e), unasked.apply(e)
		require.Equal(t, turn, asked.turn(), "event %d", e.Seq)
		require.Equal(t, turn.State, unasked.head.State, "event %d", e.Seq)
		require.Equal(t, turn.Input, unasked.head.Input, "event %d", e.Seq)
		require.Equal(t, turn.LastSeq, unasked.head.LastSeq, "event %d", e.Seq)
		c, _ := turn.Call("last")
		require.Equal(t, c.waits(), asked.asks(), "event %d", e.Seq)
		require.Equal(t, c.waits(), fold(events[:e.Seq]).asks(), "event %d", e.Seq)
	}
	assert.Equal(t, turn, unasked.turn())
	assert.Equal(t, Completed, turn.State)
	assert.Len(t, turn.Steps, 4)
	assert.NotEmpty(t, turn.Findings)
}

// TestAFactMakesNoSteps holds that what a fact costs does not grow with the calls of its turn, since an agent waits for
// its hooks: a fact joins the others, and the steps are made for readers.
func TestAFactMakesNoSteps(t *testing.T) {
	cost := func(calls int) float64 {
		events := heard(calls)
		f, last := fold(events[:len(events)-1]), events[len(events)-1]
		return testing.AllocsPerRun(10, func() { f.apply(last) })
	}
	assert.Equal(t, cost(2), cost(500))
}

// TestTheStepsOfATurnAreMadeOnce holds that all who ask for a turn share its steps.
func TestTheStepsOfATurnAreMadeOnce(t *testing.T) {
	f := fold(heard(2))
	again := f
	require.Len(t, f.turn().Steps, 2)
	assert.Same(t, &f.turn().Steps[0], &again.turn().Steps[0])
}

// BenchmarkALongTurnOfHooks measures folding a turn of 2,000 calls from its events, as when it is read from storage.
func BenchmarkALongTurnOfHooks(b *testing.B) {
	events := heard(2_000)
	for b.Loop() {
		fold(events).turn()
	}
}
