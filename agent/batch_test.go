package agent

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestAResultIsShownWhileALaterCallStillRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		slow := funcTool{Spec{Name: "slow"}, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			<-release
			return args(`"late"`), nil
		}}
		d := dispatcher(t, &steps{responses: []Response{
			{Text: "both", Calls: []Call{
				{Name: "quick", Arguments: args(`{"rationale":"r"}`)}, {Name: "slow", Arguments: args(`{"rationale":"r"}`)},
				{Name: "quick", Arguments: args(`{"rationale":"r"}`)},
			}},
			{Text: "done"},
		}}, echo("quick"), slow)
		rec := &events{}
		ended := make(chan error)
		go func() { ended <- d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}) }()
		synctest.Wait()
		assert.Equal(t, []string{"call_1"}, callsReturned(rec), "what comes behind a call that runs waits for its place")
		close(release)
		require.NoError(t, <-ended)
		assert.Equal(t, []string{"call_1", "call_2", "call_3"}, callsReturned(rec))
	})
}

// callsReturned are the calls whose results are recorded, in order.
func callsReturned(e *events) (ids []string) {
	for _, r := range of[session.ToolReturned](e) {
		ids = append(ids, r.Call)
	}
	return ids
}
