package attached_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// BenchmarkHooksOfACall measures how long an agent waits for the two hooks of a call, before and after it, over
// loopback and with one connection, as its program posts them, in short turns and in a long one. A result has 4 KiB.
func BenchmarkHooksOfACall(b *testing.B) {
	for _, calls := range []int{50, 2_000} {
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) { benchmarkHooks(b, calls) })
	}
}

// benchmarkHooks measures the hooks of turns that have so many calls.
func benchmarkHooks(b *testing.B, calls int) {
	s := apptest.Start(b, app.Settings{WritesPerSecond: 1 << 20}, nil)
	result := strings.Repeat("a line of what the call printed\\n", 128)
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		members := fmt.Sprintf(`"session_id":"s%d","prompt_id":"p%d","tool_name":"Bash","tool_use_id":"toolu_%d",
			"tool_input":{"command":"go test ./... -run TestNumber%d","description":"Run a test"}}`,
			n/5000, n/calls, n, n)
		before := `{"hook_event_name":"PreToolUse",` + members
		after := `{"hook_event_name":"PostToolUse","tool_response":{"stdout":"` + result + `"},` + members
		start := time.Now()
		postHook(b, s, before)
		postHook(b, s, after)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// postHook posts a hook of Claude Code.
func postHook(b *testing.B, s *apptest.Server, payload string) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.HTTP.URL+"/api/hooks/claude",
		strings.NewReader(payload))
	require.NoError(b, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
	resp, err := s.HTTP.Client().Do(r)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(b, err)
	require.NoError(b, resp.Body.Close())
	require.Equal(b, http.StatusOK, resp.StatusCode)
}
