package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMarkersAreNotMaskedAgain(t *testing.T) {
	l := plainLayer()
	for i := range l.detector.Rules {
		for _, around := range []string{"password=§", `token: "§"`, "https://u:§@h", "Bearer §", "api_key = §, x",
			"the secret is §."} {
			text := strings.Replace(around, "§", "[REDACTED:"+l.detector.Rules[i].ID+"]", 1)
			out, report := l.Mask(text)
			assert.Equal(t, text, out.String())
			assert.Equal(t, Passed, report.Verdict, text)
		}
	}
}
