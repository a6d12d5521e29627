package session_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func TestEachEventIsToldOnceInTheOrderOfTheLogWithItsTurn(t *testing.T) {
	var told []session.Update
	_, s := limited(t, session.Limits{OnEvent: func(own *session.Session, up session.Update) {
		assert.Equal(t, "ann", own.User())
		told = append(told, up)
	}})
	ref := accept(t, s, thread(t, s))
	waiting := accept(t, s, ref.Thread)
	add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{Response: safety.Literal("noon")})
	add(t, s, waiting, session.TurnInterrupted{})
	_, err := s.Repeat(ref, ref.Thread, session.Workflow{})
	require.NoError(t, err)
	id := openJob(t, s)
	runJob(t, s, id, 2, 10)
	_, err = s.ChangeJob(id, session.JobRestarted{})
	require.NoError(t, err)
	next := 0
	for up, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		require.Less(t, next, len(told))
		assert.Equal(t, up, told[next])
		if next++; up.Event.Seq == s.Head() {
			break
		}
	}
	assert.Len(t, told, next)
	assert.Equal(t, 14, next)
}

func TestFindingsOfAnEventAreThoseOfItsBody(t *testing.T) {
	found := []safety.Finding{{Rule: "github-token", Count: 1, Severity: safety.High, Effect: safety.Masked}}
	with := 0
	for _, b := range bodies {
		full := reflect.New(reflect.TypeOf(b)).Elem()
		f := full.FieldByName("Findings")
		if !f.IsValid() {
			assert.Empty(t, session.FindingsOf(b), "%T", b)
			continue
		}
		f.Set(reflect.ValueOf(found))
		assert.Equal(t, found, session.FindingsOf(full.Interface().(session.Body)), "%T", b)
		with++
	}
	assert.Equal(t, 21, with)
}

func TestTheEventsOfATurnAreItsOwn(t *testing.T) {
	s, ref := newTurn(t)
	waiting := accept(t, s, ref.Thread)
	add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{})
	add(t, s, waiting, session.TurnStarted{}, session.TurnCompleted{})
	for _, want := range []session.Ref{ref, waiting} {
		events, err := s.TurnEvents(want.Thread, want.Turn)
		require.NoError(t, err)
		require.Len(t, events, 3)
		for _, e := range events {
			assert.Equal(t, want, e.Ref)
		}
	}
	_, err := s.TurnEvents(ref.Thread, 3)
	require.ErrorIs(t, err, session.ErrNoTurn)
}
