package agent

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestTheLoadOfAChatIsWhatRunsAndWaits(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "rm"}), func(t *testing.T, c *Chat, s *session.Session) {
		assert.Equal(t, Load{}, c.Load())
		e := send(t, c, "", "one")
		send(t, c, e.Thread, "two")
		send(t, c, e.Thread, "three")
		synctest.Wait()
		assert.Equal(t, Load{Running: 1, Waiting: 2, Approvals: 1}, c.Load())
		_, err := c.Interrupt(t.Context(), "ann", e.Thread)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, Load{}, c.Load())
	}, guarded("rm", ApprovalAsk))
}

// slowRecorder takes a second of fake time for each event.
type slowRecorder struct{ events }

func (r *slowRecorder) Record(b session.Body) error {
	time.Sleep(time.Second)
	return r.events.Record(b)
}

func TestAStepIsToldWithoutTheTimeOfItsModelAndItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := oneStep("I look.", Call{Name: "slow"}, Call{Name: "slow"})
		d := newDispatcher(t, providerFunc(func(ctx context.Context, r Request) (Response, error) {
			time.Sleep(time.Hour)
			return model.Respond(ctx, r)
		}), toolFunc("slow", func(context.Context) (json.RawMessage, error) {
			time.Sleep(time.Minute)
			return rawJSON(`"ok"`), nil
		}))
		var told []time.Duration
		d.OnStep = func(worked time.Duration) { told = append(told, worked) }
		rec := &slowRecorder{}
		require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}))
		assert.Equal(t, []time.Duration{5 * time.Second}, told,
			"the narrative, two calls and two results; the step that answers has no calls")
	})
}
