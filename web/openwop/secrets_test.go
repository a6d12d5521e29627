package openwop_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// The script puts a secret into the narrative, the reasons, the arguments, the results, the
// question and the answer, and the client one into all that it sends. No answer contains it.
func TestSecretsReachNoAnswer(t *testing.T) {
	for _, p := range apptest.Plant() {
		t.Run(p.Kind, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, apptest.Confiding(p))
			run := startRun(t, s, m{
				"workflowId": "chat", "inputs": m{"message": "Look at " + p.Secret, "more": m{"password": p.Secret}},
				"tags": []string{"token " + p.Secret[:min(len(p.Secret), 100)]}, "metadata": m{"api_key": p.Secret},
				"configurable": m{"reasoningVerbosity": "full"},
			})
			at := run["statusUrl"].(string)
			apptest.Eventually(t, "the run asks or ends", func() bool {
				status := s.Get("ann", at).JSON()["status"]
				return status == "waiting-approval" || status == "completed"
			})
			s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"approve"}`) // refused if it has ended
			stream := s.Get("ann", at+"/events?streamMode=debug")
			require.Contains(t, stream.Body, "event: run.completed")
			again := replay(t, s, at)
			for place, answer := range map[string]apptest.Reply{
				"the stream": stream, "the snapshot": s.Get("ann", at), "the poll": s.Get("ann", at+"/events/poll"),
				"a stream of snapshots": s.Get("ann", at+"/events?streamMode=values"),
				"the replay":            s.Get("ann", again["eventsUrl"].(string)),
			} {
				assert.Equal(t, http.StatusOK, answer.Status, place)
				apptest.AssertAbsent(t, p.Secret, place, answer.Body)
			}
			apptest.AssertAbsent(t, p.Secret, "the logs", s.Logs.String())
		})
	}
}
