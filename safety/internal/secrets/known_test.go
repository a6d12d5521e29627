package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"candor/safety/internal/ruletest"

	"github.com/stretchr/testify/assert"
)

func TestKnownValuesAreFoundInEachForm(t *testing.T) {
	const value = "correct horse+battery"
	r := Known(value)
	forms := map[string]string{
		"as it stands":           value,
		"in hex":                 hex.EncodeToString([]byte(value)),
		"in hex of upper case":   strings.ToUpper(hex.EncodeToString([]byte(value))),
		"escaped for a URL":      "correct+horse%2Bbattery",
		"in two string pieces":   "corre\" + \"ct horse+battery",
		"continued on a line":    "correc\\\nt horse+battery",
		"in pieces near its end": "correct horse+bat\" + \"tery",
	}
	for _, before := range []string{"", "a", "ab"} {
		forms["in base64 behind "+before] = base64.StdEncoding.EncodeToString([]byte(before + value + "!"))
	}
	for name, text := range forms {
		assert.NotEmpty(t, ruletest.Matches(&r, "x "+text+" y"), name)
	}
	for _, text := range []string{"correct", "correct answers", "corre and ct horse+battery"} {
		assert.Empty(t, ruletest.Matches(&r, text), "%q", text)
	}
	for _, unfit := range []string{"abc", "[REDACTED", "REDACTED"} {
		r := Known(unfit)
		assert.Empty(t, ruletest.Matches(&r, unfit), "%q", unfit)
	}
	hidden := Known("sword\u200bfish")
	assert.NotEmpty(t, ruletest.Matches(&hidden, "it is swordfish"), "a text is searched without invisible characters")
	assert.Contains(t, ruletest.Matches(&r, "corre\" + \"ct horse+battery."), "corre\" + \"ct horse+battery")
}

func TestAKnownValueInPiecesIsOpenUntilItsEnd(t *testing.T) {
	const value = "correct horse battery"
	r := Known(value)
	for cut := tornHead; cut < len(value); cut++ {
		assert.True(t, r.Open(value[:cut], 0, tornHead), "%q", value[:cut])
	}
	assert.False(t, r.Open(value, 0, len(value)))
	assert.False(t, r.Open("corrections are made", 0, tornHead))
}
