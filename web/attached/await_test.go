package attached

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// TestAHookWhoseQuestionIsGoneGivesUpInTime holds that a hook does not wait for ever for the answer to a question that
// left the log, and so does not keep the server from stopping.
func TestAHookWhoseQuestionIsGoneGivesUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, err := session.NewMemory(nil).Open(t.Context(), "ann")
		require.NoError(t, err)
		a := asking{Server: New(Options{Wait: time.Second}), own: own}
		began := time.Now()
		answered := a.await(t.Context(), "gone", own.Head())
		assert.Equal(t, session.Expired, answered.Answer)
		assert.Equal(t, time.Second, time.Since(began))
	})
}
