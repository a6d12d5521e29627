package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal"
)

// promptedAt returns a prompt of a time.
func promptedAt(words string, at int) session.Sighting {
	s := prompted(words)
	s.At = second(at)
	return s
}

// TestATurnIsKnownByTheKeyThatItGetsLater holds that a turn of which one channel told under a key of its own is the
// same turn when another channel names it, also after a restart.
func TestATurnIsKnownByTheKeyThatItGetsLater(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	id, err := s.OpenObserved("codex/1", billing)
	require.NoError(t, err)
	record := func(s *session.Session, was, key string, c session.Channel, facts ...session.Sighting) {
		t.Helper()
		_, err := s.SightAs(id, was, session.Sighted{Key: key, Channel: c, Sightings: facts})
		require.NoError(t, err)
	}
	record(s, "told_1", "told_1", session.FromTelemetry, promptedAt("go", 0), called("c1", "ls", 1))
	assert.True(t, s.KeyedBy(id, "told_"))
	record(s, "told_1", "p1", session.FromFile, promptedAt("go", 0), called("c1", "ls", 1))
	record(s, "told_1", "p1", session.FromFile, returned("c1", 2))
	_, again := openDurable(t, f, session.Limits{})
	for _, one := range []*session.Session{s, again} {
		record(one, "p1", "p1", session.FromFile, ended("Done.", 3))
		assert.False(t, one.KeyedBy(id, "told_"))
		number, err := one.SightedTurn(id, "p1")
		require.NoError(t, err)
		assert.Equal(t, 1, number)
		turn := firstTurn(t, one, id)
		assert.Equal(t, []string{`1 "" ls:success:fallback:-`}, steps(turn))
		assert.Equal(t, "Done.", turn.Response.String())
		call, _ := turn.Call("c1")
		assert.Equal(t, []session.Channel{session.FromFile, session.FromTelemetry}, call.Sighted.Called)
		_, err = one.SightedTurn(id, "p2")
		require.ErrorIs(t, err, session.ErrNoTurn)
	}
}

// TestAFactWithoutATurnBelongsWhereItsCallIs holds what says which turn a fact belongs to: its call, its sub-agent, a
// prompt of the same words and about the same time that another channel told, and else the time.
func TestAFactWithoutATurnBelongsWhereItsCallIs(t *testing.T) {
	s, id := attach(t)
	for key, facts := range map[string][]session.Sighting{
		"p1": {promptedAt("go on", 0), called("c1", "ls", 1),
			{At: second(2), Sub: "a1", Call: "c2", Spawned: &session.SightedAgent{}}},
		"p2": {promptedAt("go on", 30), called("c3", "ls", 31)},
	} {
		_, err := s.Sight(id, session.Sighted{Key: key, Channel: session.FromFile, Sightings: facts})
		require.NoError(t, err)
	}
	heard := promptedAt("go on", 29)
	told := session.Sighted{Key: "p2", Channel: session.FromTelemetry, Sightings: []session.Sighting{heard}}
	_, err := s.Sight(id, told)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		fact session.Sighting
		want string
	}{
		"a call that is known":             {called("c1", "ls", 40), "p1"},
		"a call that is not":               {called("c9", "ls", 40), ""},
		"a sub-agent's call":               {session.Sighting{At: second(40), Sub: "a1", Call: "c8"}, "p1"},
		"a prompt":                         {promptedAt("go on", 1), "p1"},
		"a prompt that is kept back":       {promptedAt("", 1), "p1"},
		"a prompt that was told already":   {heard, "p2"},
		"the same words, said again":       {promptedAt("go on", 90), ""},
		"other words":                      {promptedAt("stop", 1), ""},
		"the same words a long time later": {promptedAt("go on", 120), ""},
	} {
		key, err := s.KeyOf(id, session.FromTelemetry, c.fact)
		require.NoError(t, err)
		assert.Equal(t, c.want, key, name)
	}
	for at, want := range map[time.Time]string{second(-1): "", second(29): "p2", second(28): "p1", second(90): "p2"} {
		key, err := s.KeyAt(id, at)
		require.NoError(t, err)
		assert.Equal(t, want, key, at)
	}
	assert.True(t, s.HasObserved("claude/1"))
	assert.False(t, s.HasObserved("claude/2"))
}

// TestTheLatestTurnsAreSearchedForACall holds that the search for a call does not grow with a session.
func TestTheLatestTurnsAreSearchedForACall(t *testing.T) {
	s, id := attach(t)
	for i := range 51 {
		_, err := s.Sight(id, session.Sighted{Key: fmt.Sprint("p", i), Channel: session.FromFile,
			Sightings: []session.Sighting{called(fmt.Sprint("c", i), "ls", i)}})
		require.NoError(t, err)
	}
	for call, want := range map[string]string{"c0": "", "c1": "p1", "c50": "p50"} {
		key, err := s.KeyOf(id, session.FromTelemetry, called(call, "ls", 0))
		require.NoError(t, err)
		assert.Equal(t, want, key, call)
	}
}

// TestOldTurnsAreReadOnceToPlaceFacts holds that telemetry does not have the turns that are in the storage alone read
// with each of its facts, and that what is told of a turn later counts.
func TestOldTurnsAreReadOnceToPlaceFacts(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{Session: 256 << 10})
	id, err := s.OpenObserved("codex/1", billing)
	require.NoError(t, err)
	for i := range 10 {
		facts := []session.Sighting{promptedAt("go", i), ended("Done.", i)}
		for j := range 100 {
			facts = append(facts, called(fmt.Sprint("c", i, "_", j), "ls", i))
		}
		_, err := s.Sight(id, session.Sighted{Key: fmt.Sprint("p", i), Channel: session.FromFile, Sightings: facts})
		require.NoError(t, err)
	}
	keyOf := func(call string) (key string) {
		t.Helper()
		key, err := s.KeyOf(id, session.FromTelemetry, called(call, "ls", 0))
		require.NoError(t, err)
		return key
	}
	require.Empty(t, keyOf("new"))
	f.mu.Lock()
	kept := f.frames
	f.frames = map[string][]journal.Frame{}
	f.mu.Unlock()
	_, err = s.Turn(id, 1)
	require.Error(t, err, "it is in the storage alone")
	assert.Empty(t, keyOf("newer"))
	assert.Equal(t, "p0", keyOf("c0_7"))
	key, err := s.KeyAt(id, second(3))
	require.NoError(t, err)
	assert.Equal(t, "p3", key)
	f.mu.Lock()
	f.frames = kept
	f.mu.Unlock()
	_, err = s.Sight(id, session.Sighted{Key: "p0", Channel: session.FromFile,
		Sightings: []session.Sighting{called("new", "ls", 1)}})
	require.NoError(t, err)
	assert.Equal(t, "p0", keyOf("new"))
}

// A session that is imported was used when its agent says, and so was each of its turns.
func TestWhatAnAgentDidIsDatedByItsOwnClock(t *testing.T) {
	s, id := attach(t)
	began := time.Date(2026, 11, 20, 9, 14, 0, 0, time.UTC)
	for _, after := range []time.Duration{2, 0, 1} {
		fact := spoke("m", after.String(), int(after))
		fact.At = began.Add(after * time.Minute)
		_, err := s.Sight(id, session.Sighted{Key: "p", Channel: session.FromFile, Sightings: []session.Sighting{fact}})
		require.NoError(t, err)
	}
	th, err := s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, began.Add(2*time.Minute), th.Attached.ActedAt)
	turn := firstTurn(t, s, id)
	assert.Equal(t, began, turn.Began())
	turn.StartedAt = turn.CreatedAt.Add(time.Second)
	assert.Equal(t, turn.CreatedAt, turn.Began(), "a turn that waited began when its message was accepted")
}
