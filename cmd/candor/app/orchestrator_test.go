package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// A client of OpenWOP reads the question about an unsure decision as the operator has it asked.
func TestTheOperatorSaysHowOpenWOPAsksAboutADoubt(t *testing.T) {
	for low, want := range map[string]string{"": "node.suspended", "orchestrator": "runOrchestrator.decided"} {
		t.Run(want, func(t *testing.T) {
			settings := app.Settings{OpenWOPFixtures: true}
			settings.Model.Confidence.Low = low
			s := apptest.Start(t, settings, apptest.Answering("hi"))
			run := s.Post("ann", "/v1/runs", `{"workflowId": "conformance-agent-low-confidence"}`).JSON()
			url, ok := run["statusUrl"].(string)
			require.True(t, ok, run)
			var events string
			apptest.Eventually(t, "a question", func() bool {
				events = s.Get("ann", url+"/events", apptest.Header("Accept", "application/json")).Body
				return strings.Contains(events, want)
			})
			asked := strings.Count(events, `"node.suspended"`) + strings.Count(events, `"runOrchestrator.decided"`)
			assert.Equal(t, 1, asked, "it is asked in one way")
		})
	}
}
