package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAPlaceInsideAMarkerIsTold(t *testing.T) {
	const marker = "[REDACTED:named-password]"
	for _, before := range []string{"", "x", "[", "a] b", marker, "[0] " + strings.Repeat("long ", 30)} {
		for i := range len(marker) + 1 {
			inside := i >= len("[REDACTED:") && i < len(marker)
			assert.Equal(t, inside, inMarker(before+marker+" and more", len(before)+i), "%d of %q", i, before)
		}
	}
	assert.False(t, inMarker("[REDACTED: "+strings.Repeat("x", 60), 60), "a marker is shorter than that")
	assert.False(t, inMarker("[redacted:x", 11))
}

func TestWhatAMarkerSaysIsNotMaskedAgain(t *testing.T) {
	l := NewLayer()
	for i := range l.detector.rules {
		for _, around := range []string{"password=§", `token: "§"`, "https://u:§@h", "Bearer §", "api_key = §, x", "the secret is §."} {
			text := strings.Replace(around, "§", "[REDACTED:"+l.detector.rules[i].id+"]", 1)
			out, report := l.Mask(text)
			assert.Equal(t, text, out.String())
			assert.Equal(t, Passed, report.Verdict, text)
		}
	}
}
