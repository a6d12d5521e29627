package safety_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

// A finding of medium severity has a person asked before a tool runs, so a rule with false
// alarms would stop honest agents all the time.
func TestHonestTextsAreNotPutToAPerson(t *testing.T) {
	l := safety.NewLayer()
	texts := slices.Concat(filled(templates(t, "line"), 300), filled(templates(t, "miss"), 100))
	assert.Greater(t, len(texts), 1000)
	for _, text := range texts {
		_, report := l.Mask(text)
		for _, f := range report.Findings {
			assert.NotEqual(t, safety.Medium, f.Severity, "%s in %q", f.Rule, text)
		}
	}
}
