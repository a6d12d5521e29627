package safety_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

// proseOfAgents returns some two megabytes of what agents say: texts that hold no secret.
func proseOfAgents(t *testing.T) (prose []string) {
	size, l := 0, safety.NewLayer()
	for n := 0; size < 2<<20; n++ {
		for _, text := range slices.Concat(filled(templates(t, "line"), 300), filled(templates(t, "miss"), 100)) {
			text = fmt.Sprintf("Step %d. %s", n, text)
			if _, report := l.Mask(text); report.Verdict == safety.Passed {
				prose, size = append(prose, text), size+len(text)
			}
		}
	}
	return prose
}

// Names of all kinds are given to values of all kinds: what people and generators choose,
// and what other texts need. A text may change only where it holds a value of the first.
func TestProseStaysWhateverWasNamed(t *testing.T) {
	if safety.WithRaceDetector {
		t.Skip("slow with the race detector, and starts no goroutine; it runs without")
	}
	plain := safety.NewLayer()
	known := plain.Remember(safety.NewSeenSecrets())
	prose := proseOfAgents(t)
	untouched := 0
	for _, text := range prose {
		before, _ := plain.Mask(text)
		after, _ := known.Mask(text)
		if before == after {
			untouched++
		}
	}
	assert.Equal(t, len(prose), untouched, "prose in which nothing was named changed")

	ordinary := strings.Fields(
		"production postgres development staging internal handler configuration TestLogin2Works " +
			"authentication server/handler.go internal/server token-refresh my-service-account us-east-1 " +
			"main_test.go localhost:8080 127.0.0.1 README.md v1.26.8 2024-01-31 application/json deployment " +
			"context.Background swordfish required hunter22 kubernetes sha256sum refs/heads/main go-1.26.8-linux",
	)
	for k, v := range ordinary {
		name := []string{"password=%s", "the password is %s.", "secret: %s", `"api_key": "%s"`, "token = '%s'"}[k%5]
		known.Mask(fmt.Sprintf(name, v))
		known.CleanJSON([]byte(fmt.Sprintf(`{"password":%q}`, v)))
	}
	for k := range uint64(20) {
		chosen := fill("Xa{a6}&{a4}", k)
		if k%2 == 0 {
			chosen = fill("{a24}", k)
		}
		known.Mask("password=" + chosen)
	}
	words, masked := 0, 0
	for _, text := range prose {
		before, _ := plain.Mask(text)
		after, _ := known.Mask(text)
		words += len(strings.Fields(text))
		masked += strings.Count(after.String(), "[REDACTED:seen-before]") -
			strings.Count(before.String(), "[REDACTED:seen-before]")
	}
	t.Logf("%d values named, %d of %d words of innocent text masked", len(ordinary)+20, masked, words)
	assert.Zero(t, masked)
}
