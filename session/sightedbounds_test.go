package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestTheFactsOfATurnAndTheTurnsOfAThreadAreBounded(t *testing.T) {
	s, id := attach(t)
	facts := make([]session.Sighting, session.MaxSightings)
	for i := range facts {
		facts[i] = session.Sighting{Call: fmt.Sprint("c", i), Returned: &session.SightedResult{}}
	}
	assert.Len(t, facts, sight(t, s, id, session.FromFile, facts...))
	_, err := s.Sight(id, session.Sighted{
		Key: "p1", Channel: session.FromFile, Sightings: []session.Sighting{called("one more", "Read", 1)},
	})
	require.ErrorIs(t, err, session.ErrManySightings)
	for i := range session.MaxAttachedTurns {
		_, err = s.Sight(id, session.Sighted{
			Key: fmt.Sprint("k", i), Channel: session.FromFile, Sightings: []session.Sighting{ended("", 1)},
		})
		if i < session.MaxAttachedTurns-1 {
			require.NoError(t, err)
		}
	}
	assert.ErrorIs(t, err, session.ErrManySightings)
}
