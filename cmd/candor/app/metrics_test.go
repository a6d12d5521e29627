package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// figuresOf returns the metrics of a server.
func figuresOf(s *apptest.Server) string { return s.Get("ann", "/metrics").Body }

// figuresAfter returns the metrics once so many turns are counted as completed. Whoever watches a turn hears of its end
// a moment earlier.
func figuresAfter(s *apptest.Server, turns int) (got string) {
	s.T.Helper()
	apptest.Eventually(s.T, "the turns are counted", func() bool {
		got = figuresOf(s)
		return strings.Contains(got, fmt.Sprintf("candor_turns_total{state=\"completed\"} %d\n", turns))
	})
	return got
}

func TestTheMetricsCountWhatTheLogsRecord(t *testing.T) {
	secret := apptest.Fixtures()["github_token"]
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"narrative": "I use " + secret + " to look.", "tool_calls": []apptest.M{
				{"id": "a", "name": "clock", "arguments": apptest.M{}, "rationale": "to know the time"},
				{"id": "b", "name": "clock", "arguments": apptest.M{}},
			}},
			{"text": "done"},
		},
		"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 2)
	got := figuresAfter(s, 2)
	for _, line := range []string{
		`candor_events_total{kind="thread_opened"} 1`, `candor_events_total{kind="turn_started"} 2`,
		`candor_events_total{kind="tool_called"} 4`, `candor_events_total{kind="turn_completed"} 2`,
		`candor_turns_total{state="completed"} 2`, `candor_turn_duration_seconds_count 2`,
		`candor_step_overhead_seconds_count 2`,
		`candor_rationales_total{source="model"} 2`, `candor_rationales_total{source="fallback"} 2`,
		`candor_redactions_total{effect="masked",rule="github-pat"} 2`,
		`candor_turns_running 0`, `candor_queue_length{queue="messages"} 0`, `candor_queue_length{queue="approvals"} 0`,
		`candor_sessions 1`, `candor_dropped_bytes_total 0`,
	} {
		assert.Contains(t, got, line+"\n")
	}
	apptest.AssertNoFixture(t, got)
}

func TestWithheldTextsAreCounted(t *testing.T) {
	key := apptest.Fixtures()["private_key"]
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"narrative": "The key is " + key, "tool_calls": []apptest.M{
				{"id": "a", "name": "clock", "arguments": apptest.M{}, "rationale": "because of " + key},
			}},
			{"text": "done"},
		},
		"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	got := figuresAfter(s, 1)
	assert.Contains(t, got, `candor_blocked_total{text="narrative"} 1`+"\n")
	assert.Contains(t, got, `candor_blocked_total{text="rationale"} 1`+"\n")
	assert.Contains(t, got, `candor_rationales_total{source="fallback"} 1`+"\n")
}

// A label of one of these names has no text of a user, a model or a worker, whatever they send.
func TestTextsOfOthersAreNoLabels(t *testing.T) {
	const hostile = "mallory-was-here"
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"narrative": hostile, "tool_calls": []apptest.M{
				{"id": hostile, "name": hostile, "arguments": apptest.M{hostile: hostile}, "rationale": hostile},
			}},
			{"text": hostile},
		},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	id, token := s.NewJob(hostile)
	r := s.PostEvents(id, token, `{"event":"`+hostile+`","note":"`+hostile+`"}`)
	require.Less(t, r.Status, 300, r.Body)
	got := figuresOf(s)
	assert.NotContains(t, got, hostile)
	assert.Contains(t, got, `candor_events_total{kind="job_reported"} 1`)
	label := regexp.MustCompile(`(?m)^(candor_\w+){([^}]*)}`)
	for _, found := range label.FindAllStringSubmatch(got, -1) {
		assert.NotRegexp(t, `\bann\b`, found[2], "nor the name of a user: %s", found[1])
	}
}

func TestAnAppIsReadyUntilItStops(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Waiting(600_000))
	ready := func() apptest.Reply { return s.Get("", "/api/health/ready", apptest.WithoutToken) }
	assert.Equal(t, http.StatusOK, ready().Status)
	thread, _ := s.Begin("ann")
	s.Post("ann", "/api/chat/send", `{"content":"wait","thread_id":"`+thread+`"}`)
	ctx, stop := context.WithCancel(t.Context())
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.App.Close(ctx)
	}()
	apptest.Eventually(t, "it says that it stops, while a turn still runs", func() bool {
		r := ready()
		return r.Status == http.StatusServiceUnavailable &&
			assert.ObjectsAreEqual([]any{"shutting_down"}, r.JSON()["details"].(map[string]any)["reasons"])
	})
	assert.Equal(t, http.StatusOK, s.Get("", "/api/health/live", apptest.WithoutToken).Status)
	stop()
	<-closed
	assert.Equal(t, []any{"shutting_down", "store_refuses"}, ready().JSON()["details"].(map[string]any)["reasons"])
}

func TestAnAppIsNotReadyBeforeItsMCPServersAnsweredOrFailed(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "mcp.json")
	config := `{"mcpServers":{"one":{"type":"http","url":"` + server.URL + `"}}}`
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{MCPConfig: file}}, nil)
	ready := func() apptest.Reply { return s.Get("", "/api/health/ready", apptest.WithoutToken) }
	assert.Contains(t, ready().Body, `"reasons":["mcp_servers_starting"]`)
	close(hang)
	apptest.Eventually(t, "a server that failed holds up nothing", func() bool {
		return ready().Status == http.StatusOK
	})
}

func TestAStorageIsSeenInTheMetrics(t *testing.T) {
	s := apptest.Start(t, app.Settings{Storage: app.StorageSettings{Dir: t.TempDir()}}, apptest.Answering("hello"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	got := figuresAfter(s, 1)
	assert.Regexp(t, `\ncandor_storage_bytes [1-9]`, got)
	assert.Contains(t, got, "candor_storage_ready 1\n")
	assert.Contains(t, got, `candor_queue_length{queue="appends"} 0`+"\n")
	assert.Equal(t, http.StatusOK, s.Get("", "/api/health/ready", apptest.WithoutToken).Status)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.App.Close(ctx)
	assert.Contains(t, figuresOf(s), "candor_storage_ready 0\n")
}
