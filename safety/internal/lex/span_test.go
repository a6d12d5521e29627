package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInMarkerHoldsBetweenThePrefixAndTheBracket(t *testing.T) {
	const marker = "[REDACTED:named-password]"
	for _, before := range []string{"", "x", "[", "a] b", marker, "[0] " + strings.Repeat("long ", 30)} {
		for i := range len(marker) + 1 {
			inside := i >= len("[REDACTED:") && i < len(marker)
			assert.Equal(t, inside, InMarker(before+marker+" and more", len(before)+i), "%d of %q", i, before)
		}
	}
	assert.False(t, InMarker("[REDACTED: "+strings.Repeat("x", 60), 60), "a marker is shorter than that")
	assert.False(t, InMarker("[redacted:x", 11))
}
