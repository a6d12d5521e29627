package view_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/view"
)

// watchedThread returns a session with the thread of an attached agent.
func watchedThread(t *testing.T) (*session.Session, string) {
	t.Helper()
	store := session.NewMemory(nil)
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	id, err := s.OpenObserved("a", session.Origin{Protocol: session.AttachedProtocol})
	require.NoError(t, err)
	return s, id
}

// tell records facts and returns the names of the frames that they give.
func tell(t *testing.T, s *session.Session, thread string, facts ...session.Sighting) (names []string) {
	t.Helper()
	_, err := s.Sight(thread, session.Sighted{Key: "p", Channel: session.FromHooks, Sightings: facts})
	require.NoError(t, err)
	turn, err := s.Turn(thread, 1)
	require.NoError(t, err)
	for _, f := range view.Frames(turn, session.Event{
		Seq: turn.LastSeq, Ref: session.Ref{Thread: thread, Turn: 1}, Body: session.Sighted{Sightings: facts},
	}) {
		names = append(names, f.Name)
	}
	return names
}

func TestWhatHooksTellIsStreamedAsItComes(t *testing.T) {
	s, id := watchedThread(t)
	begun := tell(t, s, id, session.Sighting{Prompted: &session.SightedPrompt{Text: safety.Literal("go")}})
	assert.Equal(t, []string{"thinking", "reasoning_update"}, begun)
	called := session.Sighting{Call: "c1", Called: &session.SightedCall{Tool: safety.Literal("Bash")}}
	assert.Equal(t, []string{"tool_started", "reasoning_update"}, tell(t, s, id, called))
	result := session.SightedResult{Outcome: session.Success, Took: time.Second}
	returned := session.Sighting{Call: "c1", Returned: &result}
	assert.Equal(t, []string{"tool_completed", "reasoning_update"}, tell(t, s, id, returned))
	for end, frame := range map[session.SightedEnd]string{
		{State: session.Completed}: "status", {State: session.Interrupted}: "status",
		{State: session.Completed, Response: safety.Literal("Done.")}: "response",
		{State: session.Failed, Error: safety.Literal("It stopped.")}: "error",
	} {
		s, id := watchedThread(t)
		tell(t, s, id, called)
		assert.Equal(t, []string{"reasoning_update", frame}, tell(t, s, id, session.Sighting{Ended: &end}))
	}
}

func TestManyFactsAtOnceAreOneUpdate(t *testing.T) {
	s, id := watchedThread(t)
	var facts []session.Sighting
	for i := range 17 {
		facts = append(facts, session.Sighting{Call: fmt.Sprint("c", i), Called: &session.SightedCall{}})
	}
	assert.Equal(t, []string{"thinking", "reasoning_update"}, tell(t, s, id, facts...))
	s, id = watchedThread(t)
	assert.Len(t, tell(t, s, id, facts[1:]...), 18, "sixteen are told one by one")
}

// From this a page tells a turn that goes on from one that was left in the middle, also where a session is
// imported long after it was.
func TestWhileATurnHasNoEndItIsSaidWhenItsAgentLastToldSomething(t *testing.T) {
	s, id := watchedThread(t)
	at := func(minute int) time.Time { return time.Date(2026, 4, 2, 12, minute, 0, 0, time.UTC) }
	tell(t, s, id, session.Sighting{At: at(0), Prompted: &session.SightedPrompt{Text: safety.Literal("go")}},
		session.Sighting{At: at(7), Call: "c1", Called: &session.SightedCall{Tool: safety.Literal("Bash")}},
		session.Sighting{At: at(3), Call: "c2", Called: &session.SightedCall{Tool: safety.Literal("Read")}})
	told := func() []*time.Time {
		turn, err := s.Turn(id, 1)
		require.NoError(t, err)
		th, err := s.Thread(id)
		require.NoError(t, err)
		return []*time.Time{view.Turn(turn).ToldAt, view.Thread(th).Attached.ToldAt}
	}
	assert.Equal(t, []*time.Time{new(at(7)), new(at(7))}, told(), "by the agent's clock, not that of an import")
	tell(t, s, id, session.Sighting{At: at(9), Ended: &session.SightedEnd{State: session.Completed}})
	assert.Equal(t, []*time.Time{nil, nil}, told(), "an end was told")
}
