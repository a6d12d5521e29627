package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

func TestCleanRationaleNeverReturnsAnEmptyReason(t *testing.T) {
	for _, tt := range []struct {
		name, raw, want string
		source          Source
	}{
		{"a reason is kept", "the log shows when it failed", "the log shows when it failed", FromModel},
		{"no reason becomes the fallback", "", Fallback().Text.String(), FromFallback},
		{"white space becomes the fallback", " \n\t", Fallback().Text.String(), FromFallback},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, report := CleanRationale(layer, tt.raw)
			assert.Equal(t, tt.want, got.Text.String())
			assert.Equal(t, tt.source, got.Source)
			assert.False(t, got.Blocked)
			assert.Empty(t, report.Findings)
		})
	}
}

func TestCleanRationaleIsBounded(t *testing.T) {
	got, _ := CleanRationale(layer, strings.Repeat("because ", maxRationale))
	assert.LessOrEqual(t, len(got.Text.String()), 4096)
}

func TestABlockedReasonIsReplacedAndReported(t *testing.T) {
	label := "RSA PRIVATE" + " KEY-----"
	raw := "because -----BEGIN " + label + "\n" + strings.Repeat("MIIEow1BAAKCAQEA\n", 8) + "-----END " + label
	got, report := CleanRationale(layer, raw)
	assert.Equal(t, Fallback().Text, got.Text)
	assert.Equal(t, FromFallback, got.Source)
	assert.True(t, got.Blocked)
	assert.Equal(t, safety.Blocked, report.Verdict)
	assert.NotEmpty(t, report.Findings)
}
