package detect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/internal/secrets"
)

func TestManyShortRunsInOneWordAreSearchedOnce(t *testing.T) {
	rules := allRules()
	d := New(append(rules, secrets.Disguised(rules)...))
	packed := "eNrswIEAAAAAwrD8qQP5NgAAIOMBAAD//wwAAAE="
	allocations := func(s string) float64 { return testing.AllocsPerRun(1, func() { d.Inspect(s, nil) }) }
	for _, between := range []string{"", "=", "."} {
		s := strings.Repeat(packed+between, 1000)
		assert.Less(t, allocations(s)/1000, 30.0, "allocations for a run with %q behind it", between)
	}
}

func TestATokenOfALongWordIsFoundWhereverTheWordIsDivided(t *testing.T) {
	rules := allRules()
	d := New(append(rules, secrets.Disguised(rules)...))
	token := secrets.Reverse("ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
	for before := range 160 {
		s := strings.Repeat("eNrswIEAAAAAwrD8qQP5NgAAIOMBAAD.", before) + token + ".x"
		from := len(s) - len(token) - 2
		hidden := false
		for _, sp := range d.Inspect(s, nil) {
			hidden = hidden || sp.From <= from && sp.To >= from+len(token)
		}
		assert.True(t, hidden, "behind %d runs", before)
	}
}
