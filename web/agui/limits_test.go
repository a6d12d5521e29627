package agui_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/access"
)

func TestReasoningIsLimitedByTheServerTheTokenAndTheRequest(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(script, apptest.JSON(t, m{
		"steps": []m{calling("the narrative", callOf("clock", "the rationale", m{}),
			callOf("deploy", "the rationale", m{})), answering("Done.")},
		"tools": m{"clock": m{"result": 1}, "deploy": m{"result": 1, "approval": "ask"}},
	}), 0o600))
	for _, tt := range []struct {
		server, token, asked string
		narrative, rationale bool
	}{
		{"full", "", "", true, true},
		{"full", "full", "full", true, true},
		{"summary", "", "", true, false},
		{"full", "summary", "full", true, false},
		{"full", "", "summary", true, false},
		{"hidden", "full", "full", false, false},
		{"full", "hidden", "full", false, false},
		{"summary", "", "hidden", false, false},
	} {
		t.Run(fmt.Sprintf("server %s, token %s, asked %s", tt.server, tt.token, tt.asked), func(t *testing.T) {
			line := "ann:" + apptest.TokenOf("ann")
			if tt.token != "" {
				line += " reasoning=" + tt.token
			}
			tokens, err := access.ParseTokens(strings.NewReader(line))
			require.NoError(t, err)
			s := apptest.StartFor(t, app.Settings{
				Reasoning: tt.server, Model: app.ModelSettings{Provider: "script", Script: script},
			}, tokens)
			props := m{}
			if tt.asked != "" {
				props["reasoning"] = tt.asked
			}
			body := s.Do("ann", http.MethodPost, "/agui", anInput(m{"forwardedProps": props})).Body +
				s.Do("ann", http.MethodGet, "/agui/threads/theirs/events?reasoning="+firstOf(tt.asked, "full"), "").Body
			assert.Contains(t, body, "TOOL_CALL_START")
			assert.Equal(t, tt.narrative, strings.Contains(body, "the narrative"))
			assert.Equal(t, tt.rationale, strings.Contains(body, "the rationale"))
			history := s.Do("ann", http.MethodGet, "/api/chat/history", "")
			if tt.token != "" {
				assert.Equal(t, http.StatusForbidden, history.Status, "no way round: %s", history.Body)
				assert.Equal(t, "limited_token", history.JSON()["error"])
				login := s.Do("ann", http.MethodPost, "/api/login", `{"token":"`+apptest.TokenOf("ann")+`"}`)
				assert.Equal(t, http.StatusForbidden, login.Status, "nor by a login")
			}
			capable := s.Do("ann", http.MethodGet, "/agui/capabilities", "").JSON()
			assert.Equal(t, tt.narrative || tt.asked == "hidden", capable["reasoning"].(m)["supported"])
		})
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func TestRunsOfOneUserAreBounded(t *testing.T) {
	s := apptest.Start(t, app.Settings{StreamsPerUser: 2, SendsPerMinute: 10_000}, m{
		"steps": []m{calling("", callOf("slow", "", m{})), answering("Done.")},
		"tools": m{"slow": m{"result": 1, "delay_ms": 600_000}},
	})
	for i := range 2 {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.HTTP.URL+"/agui",
			strings.NewReader(anInput(m{"threadId": fmt.Sprint(i), "runId": fmt.Sprint(i)})))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.HTTP.Client().Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = bufio.NewReader(resp.Body).ReadString('\n')
		require.NoError(t, err)
		if i == 0 {
			same := s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "0"}))
			assert.Equal(t, "run_open", same.JSON()["error"])
		}
	}
	more := s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "2"}))
	assert.Equal(t, http.StatusTooManyRequests, more.Status)
	assert.Equal(t, "too_many_runs", more.JSON()["error"])
	for i := range 2 {
		assert.Equal(t, http.StatusAccepted, s.Do("ann", http.MethodPost, fmt.Sprintf("/agui/threads/%d/interrupt", i),
			"").Status)
	}
	apptest.Eventually(t, "there is room again", func() bool {
		r := s.Do("ann", http.MethodPost, "/agui/threads/0/interrupt", "")
		return r.Status == http.StatusConflict
	})
}

func TestARunIsKeptAliveAndEndsWithTheServer(t *testing.T) {
	s := apptest.Start(t, app.Settings{Heartbeat: 20 * time.Millisecond}, m{
		"steps": []m{calling("", callOf("slow", "", m{})), answering("Done.")},
		"tools": m{"slow": m{"result": 1, "delay_ms": 600_000}},
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.HTTP.URL+"/agui",
		strings.NewReader(anInput(nil)))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.HTTP.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for line := ""; line != ": heartbeat\n"; {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.App.Close(ctx)
	rest, err := io.ReadAll(lines)
	require.NoError(t, err, "the stream ends, it is not cut")
	assert.Contains(t, string(rest), `"outcome":{"type":"cancelled"}`)
	assert.NotContains(t, string(rest), "\r")
	for block := range strings.SplitSeq(strings.TrimSuffix(": heartbeat\n"+string(rest), "\n\n"), "\n\n") {
		assert.Contains(t, block, "data: ", "some clients take a block without data for a message")
	}
}
