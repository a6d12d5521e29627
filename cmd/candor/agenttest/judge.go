package agenttest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/attach"
)

// Those returns the sightings for which is holds.
func Those(list []attach.Sighting, is func(s *attach.Sighting) bool) (out []attach.Sighting) {
	for i := range list {
		if is(&list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}

// AssertSame compares what two sightings tell of an answer of the model, the parameters as JSON. No call has a reason.
func AssertSame(t *testing.T, want, got attach.Sighting) {
	t.Helper()
	if want.Called != nil && assert.NotNil(t, got.Called) {
		assert.Equal(t, want.Called.Tool, got.Called.Tool)
		assert.JSONEq(t, string(want.Called.Params), string(got.Called.Params))
		assert.Empty(t, got.Called.Reason, "nobody gave one; a description is no reason")
	}
	assert.Equal(t, want.Call, got.Call)
	assert.Equal(t, want.Said, got.Said)
	assert.Equal(t, want.Sealed, got.Sealed)
	assert.Equal(t, want.Used, got.Used)
}
