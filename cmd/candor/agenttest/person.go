package agenttest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// Question waits for an open question of ann's, other than one before it.
func Question(t *testing.T, s *apptest.Server, before apptest.M) (q apptest.M) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, th := range s.Session("ann").Threads() {
			history := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()
			list, _ := history["pending_approvals"].([]any)
			for _, one := range list {
				if q = one.(apptest.M); q["request_id"] != before["request_id"] {
					return true
				}
			}
		}
		return false
	}, 2*time.Minute, 20*time.Millisecond)
	return q
}

// Answer answers a question of ann's, with words or "".
func Answer(t *testing.T, s *apptest.Server, q apptest.M, action, words string) {
	t.Helper()
	in := apptest.M{"request_id": q["request_id"], "action": action}
	if words != "" {
		in["value"] = words
	}
	r := s.Post("ann", "/api/chat/approval", string(apptest.JSON(t, in)))
	require.Equal(t, http.StatusAccepted, r.Status, r.Body)
}
