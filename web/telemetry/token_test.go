package telemetry_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/access"
)

// TestATokenOfTelemetryIsGoodForNothingElse holds that whoever gets the token of an exporter reads nothing with it.
func TestATokenOfTelemetryIsGoodForNothingElse(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	token := access.TelemetryToken(apptest.TokenOf("ann"))
	for route, want := range map[string]int{
		"POST /v1/traces": http.StatusOK, "POST /v1/logs": http.StatusOK,
		"GET /api/chat/threads": http.StatusUnauthorized,
		"POST /api/attached":    http.StatusUnauthorized, "POST /api/hooks/claude": http.StatusUnauthorized,
		"POST /api/chat/send": http.StatusUnauthorized, "POST /api/login/code": http.StatusUnauthorized,
	} {
		method, path, _ := strings.Cut(route, " ")
		r, err := http.NewRequestWithContext(t.Context(), method, s.HTTP.URL+path, strings.NewReader("{}"))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want, resp.StatusCode, route)
	}
}
