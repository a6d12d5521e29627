package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

func TestTokensThatTwoChannelsCountAreCountedOnce(t *testing.T) {
	used := func(group string, n int) session.Sighting {
		return session.Sighting{Group: group, Used: &session.SightedUsage{Usage: session.Usage{Input: n}}}
	}
	// The first answer has a call, which both channels tell; the second and the third have none, and each channel has a
	// name of its own for them. Telemetry began late.
	file := []session.Sighting{in("m1", 0, called("c1", "Bash", 1)), used("m1", 10), used("m2", 20), used("m3", 30)}
	telemetry := []session.Sighting{in("r1", 0, called("c1", "Bash", 1)), used("r1", 11), used("r3", 31)}
	for _, fileFirst := range []bool{true, false} {
		s, id := attach(t)
		if fileFirst {
			sight(t, s, id, session.FromFile, file...)
		}
		sight(t, s, id, session.FromTelemetry, telemetry...)
		if !fileFirst {
			assert.Equal(t, 42, firstTurn(t, s, id).Usage.Input, "telemetry alone")
			sight(t, s, id, session.FromFile, file...)
		}
		assert.Equal(t, 60, firstTurn(t, s, id).Usage.Input)
	}
}

// TestAFactThatAnEventHasTwiceStandsOnce holds that facts of one place are one, be the place known or new.
func TestAFactThatAnEventHasTwiceStandsOnce(t *testing.T) {
	s, thread := attach(t)
	used := func(group string, n int) session.Sighting {
		return session.Sighting{Group: group, Used: &session.SightedUsage{Usage: session.Usage{Input: n}}}
	}
	sight(t, s, thread, session.FromFile, called("call", "Read", 1), used("a", 1), used("c", 10))
	sight(t, s, thread, session.FromFile, used("b", 100), used("b", 100), used("d", 1_000))
	sight(t, s, thread, session.FromFile, used("c", 70), used("c", 70), used("e", 10_000))
	assert.Equal(t, session.Usage{Input: 11_171}, firstTurn(t, s, thread).Usage)
}
