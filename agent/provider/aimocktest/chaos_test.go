package aimock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/session"
)

// The size of the test, and how many turns run at a time.
const (
	turns   = 500
	workers = 8
)

// cut returns messages whose answers break off in the middle, once or each time, and the
// fixtures that make them.
func cut() (words []string, out []fixture) {
	whole := answer{Content: "An answer of which the first attempt was cut off in the middle."}
	for i := range turns / 20 {
		once, always := fmt.Sprintf("[cut once %d]", i), fmt.Sprintf("[cut always %d]", i)
		out = append(out,
			fixture{Match: match{User: once, Time: new(0)}, Response: whole, CutAfter: 2},
			fixture{Match: match{User: once}, Response: whole},
			fixture{Match: match{User: always}, Response: whole, CutAfter: 2})
		words = append(words, once, once, always) // the second time, the first answer is whole
	}
	return words, out
}

// TestFiveHundredTurnsEndDespiteFailures lets about one request in five fail, by a 500, a
// 429 with Retry-After, broken JSON, or a connection that is cut before or during the
// answer. Every turn has to end, with its log complete and no goroutine left.
func TestFiveHundredTurnsEndDespiteFailures(t *testing.T) {
	before := goleak.IgnoreCurrent()
	words, fixtures := cut()
	for i := 0; len(words) < turns; i++ {
		words = append(words, scenarios[i%len(scenarios)].words)
	}
	m := start(t, append(fixtures, allFixtures()...), "--journal-max", "0",
		"--chaos-drop", "0.06", "--chaos-malformed", "0.05", "--chaos-ratelimit", "0.05", "--chaos-disconnect", "0.06")
	through := &http.Transport{MaxIdleConnsPerHost: workers}
	rigs := make([]*rig, len(backends))
	for i, backend := range backends {
		rigs[i] = newRig(t, backend, m.url, through)
	}

	ended := runAll(t, rigs, words)

	count := map[session.State]int{}
	for i, turn := range ended {
		count[turn.State]++
		if turn.State == session.Failed {
			assert.Contains(t, turn.Error.String(), "the model provider failed", words[i])
		}
	}
	t.Logf("%d turns: %v", len(ended), count)
	assert.Equal(t, turns, count[session.Completed]+count[session.Failed])
	assert.Greater(t, count[session.Completed], turns*8/10)
	assert.GreaterOrEqual(t, count[session.Failed], turns/20, "a stream that is always cut cannot end well")

	calls := 0
	for _, r := range rigs {
		for w := range workers {
			calls += r.checkLog(t, user(w))
		}
		assert.Zero(t, r.dispatcher.Unrecorded())
		r.close(t.Context())
	}
	assert.Greater(t, calls, turns/2)
	checkChaos(t, m, through)
	through.CloseIdleConnections()
	m.stop()
	goleak.VerifyNone(t, before)
}

// checkChaos checks that the mock made every kind of failure.
func checkChaos(t *testing.T, m *mock, through http.RoundTripper) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.url+"/__aimock/journal", nil)
	require.NoError(t, err)
	resp, err := through.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var journal []struct{ Response struct{ ChaosAction string } }
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&journal))
	count := map[string]int{}
	for _, entry := range journal {
		count[entry.Response.ChaosAction]++
	}
	t.Logf("%d requests: %v", len(journal), count)
	for _, action := range []string{"drop", "malformed", "rateLimit", "disconnect"} {
		assert.Positive(t, count[action], action)
	}
}

// user returns the name of the user whose turns a worker runs.
func user(worker int) string { return fmt.Sprintf("user %d", worker) }

// runAll runs one turn per message, several at a time, and assigns them to the backends
// in rotation.
func runAll(t *testing.T, rigs []*rig, words []string) []session.Turn {
	t.Helper()
	ended := make([]session.Turn, len(words))
	next := make(chan int)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range next {
				ended[i] = rigs[i%len(rigs)].say(t, user(w), words[i])
			}
		})
	}
	for i := range words {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, turn := range ended {
		require.True(t, turn.State.Ended(), "%s", words[i])
	}
	return ended
}
