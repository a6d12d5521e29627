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
