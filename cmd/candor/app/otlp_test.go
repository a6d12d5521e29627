package app_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collecttrace "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/access"
)

func TestTurnsReachACollectorWithoutSecretsAndWithoutContent(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const token = "sesame-open-0123456789"
	t.Setenv(app.OTLPHeadersEnv, "authorization=Bearer%20"+token)
	var mu sync.Mutex
	var names, raw []string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		raw = append(raw, string(body))
		assert.Equal(t, "Bearer "+token, r.Header.Get("Authorization"))
		var got collecttrace.ExportTraceServiceRequest
		if r.URL.Path == "/v1/traces" && assert.NoError(t, proto.Unmarshal(body, &got)) {
			for _, s := range got.ResourceSpans[0].ScopeSpans[0].Spans {
				names = append(names, s.Name)
			}
		}
	}))
	defer collector.Close()
	s := apptest.Start(t, app.Settings{OTLP: app.OTLPSettings{URL: collector.URL}}, apptest.M{
		"steps": []apptest.M{
			{"narrative": "I use " + apptest.Fixtures()["github_token"] + ".", "tool_calls": []apptest.M{{
				"id": "a", "name": "clock", "arguments": apptest.M{"zone": "of the moon"},
				"rationale": "because " + token + " is said to work",
			}}},
			{"text": "it is noon on the moon"},
		},
		"tools": apptest.M{"clock": apptest.M{"result": "noon"}},
	})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	s.App.Close(t.Context()) // which sends what is left
	assert.Equal(t, []string{"invoke_agent candor", "chat script", "execute_tool clock", "chat script"}, names)
	all := strings.Join(raw, "\n")
	assert.Contains(t, all, "is said to work")
	assert.Contains(t, all, "candor.narrative")
	assert.NotContains(t, all, token, "the credential of the collector is masked like every other")
	apptest.AssertNoFixture(t, all)
	assert.NotContains(t, all, "moon", "arguments and answers are content")
	got := figuresOf(s)
	assert.Contains(t, got, `candor_otlp_turns_total{result="sent"} 1`+"\n")
	assert.Contains(t, got, `candor_queue_length{queue="otlp"} 0`+"\n")
	s.HTTP.Close()
	s.HTTP.Client().CloseIdleConnections()
}

func TestWrongSettingsOfACollectorStopTheStart(t *testing.T) {
	for _, tt := range []struct {
		settings      app.OTLPSettings
		headers, want string
	}{
		{app.OTLPSettings{URL: "collector:4318"}, "", "--otlp: the URL has to begin with http://"},
		{app.OTLPSettings{Content: true}, "", "--otlp-content has no effect without --otlp"},
		{app.OTLPSettings{URL: "http://127.0.0.1:4318"}, "hush", app.OTLPHeadersEnv + ": entry 1"},
	} {
		t.Setenv(app.OTLPHeadersEnv, tt.headers)
		settings := app.Settings{Model: app.ModelSettings{Provider: "offline"}, OTLP: tt.settings}
		settings.Tools.Workspace = t.TempDir()
		_, err := app.New(settings, access.Tokens{}, nil, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "hush")
	}
}

func TestNothingIsSentUnlessAskedFor(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1") // meant for other programs
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	assert.NotContains(t, figuresOf(s), "otlp")
}

func TestAnAppWhoseStorageCannotBeOpenedLeavesNothingRunning(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	settings := app.Settings{Model: app.ModelSettings{Provider: "offline"}}
	settings.Tools.Workspace = t.TempDir()
	settings.OTLP.URL, settings.Storage.Dir = "http://127.0.0.1:1", "/dev/null/data"
	_, err := app.New(settings, access.Tokens{}, nil, slog.New(slog.DiscardHandler))
	require.Error(t, err)
}
