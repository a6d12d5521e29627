package workflow

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func TestANodesWorkIsRecordedInTheLog(t *testing.T) {
	done := session.TurnCompleted{Response: safety.Literal(allHaveRun)}
	inChat(t, func(t *testing.T, c chat) {
		cases := map[string]struct {
			inputs string
			want   []session.Body
		}{
			"conformance-noop": {`{}`, []session.Body{
				session.NodeStarted{Node: "noop", Type: "core.noop"}, session.NodeEnded{Node: "noop"}, done,
			}},
			"conformance-multi-node": {`{}`, []session.Body{
				session.NodeStarted{Node: "a", Type: "core.noop"}, session.NodeEnded{Node: "a"},
				session.NodeStarted{Node: "b", Type: "core.noop"}, session.NodeEnded{Node: "b"},
				session.NodeStarted{Node: "c", Type: "core.noop"}, session.NodeEnded{Node: "c"}, done,
			}},
			"conformance-failure": {`{}`, []session.Body{
				session.NodeStarted{Node: "fail", Type: "core.conformance.failure"},
				session.NodeEnded{Node: "fail", Error: safety.Literal("This node fails, as its workflow says.")},
				session.TurnFailed{Error: safety.Literal(`node "fail": This node fails, as its workflow says.`)},
			}},
		}
		for id, want := range cases {
			e := c.start(t, defined(t, id), want.inputs)
			bodies := c.bodies(t, e)
			require.IsType(t, session.TurnStarted{}, bodies[0])
			assert.Equal(t, want.want, bodies[1:], id)
		}
	})
}

func TestIdentityReturnsTheInputs(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		turn := c.turn(t, c.start(t, defined(t, "conformance-identity"), `{"payload":{"a":[1,null,"ü<b>"]},"n":1.50}`))
		require.Len(t, turn.Nodes, 1)
		assert.Equal(t, `{"payload":{"a":[1,null,"ü<b>"]},"n":1.50}`, string(turn.Nodes[0].Outputs.Raw()))
		assert.Equal(t, session.Completed, turn.State)

		turn = c.turn(t, c.start(t, defined(t, "conformance-identity"), `{"payload":"`+githubToken()+`"}`))
		assert.NotContains(t, string(turn.Nodes[0].Outputs.Raw()), githubToken())
	})
}

func TestANodeThatPanicsFails(t *testing.T) {
	rec := worked(t, single(func(context.Context) (safety.JSON, error) { panic("ouch " + githubToken()) }))
	require.Len(t, rec.list, 3)
	ended := rec.list[1].(session.NodeEnded)
	assert.Contains(t, ended.Error.String(), "panic: ouch [REDACTED")
	assert.NotEmpty(t, ended.Findings)
	assert.Contains(t, rec.list[2].(session.TurnFailed).Error.String(), `node "only": panic: ouch [REDACTED`)
}

func TestARunThatIsStoppedEndsInItsNode(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		waits := single(func(ctx context.Context) (safety.JSON, error) {
			<-ctx.Done()
			return safety.JSON{}, nil
		})
		waits.nodes = append(waits.nodes, node{id: "after", typeID: "core.noop", work: &noop{}})
		e := c.start(t, waits, `{}`)
		_, err := c.Interrupt(t.Context(), "ann", e.Thread)
		require.NoError(t, err)
		c.Close(t.Context())
		assert.Equal(t, []session.Body{
			session.NodeStarted{Node: "only", Type: "core.noop"}, session.TurnInterrupted{},
		}, c.bodies(t, e)[1:])
	})
}

func TestARunThatWasStoppedBeforehandStartsNoNode(t *testing.T) {
	rec, d := newRecorder(), newDispatcher()
	_, err := defined(t, "conformance-noop").Runner(d, safety.JSON{}).Run(stopped(t), rec)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, rec.list)
}

func TestARunWhoseNodesCannotBeRecordedEnds(t *testing.T) {
	rec, d := newRecorder(), newDispatcher()
	rec.err = session.ErrFull
	_, err := defined(t, "conformance-noop").Runner(d, safety.JSON{}).Run(t.Context(), rec)
	require.ErrorIs(t, err, session.ErrFull)

	rec = newRecorder()
	full := single(func(context.Context) (safety.JSON, error) {
		rec.err = session.ErrFull
		return safety.JSON{}, errors.New("it failed, too")
	})
	_, err = full.Runner(d, safety.JSON{}).Run(t.Context(), rec)
	require.ErrorIs(t, err, session.ErrFull)
}

func TestTheAgentsOwnLoopHasNoRunner(t *testing.T) {
	assert.Nil(t, defined(t, Chat).Runner(newDispatcher(), safety.JSON{}))
}

// TestAReplayOfARunRepeatsItsFacts holds that a replay says to the letter what its run did, also
// what a person answered, and that it runs nothing.
func TestAReplayOfARunRepeatsItsFacts(t *testing.T) {
	undecided(t, func(t *testing.T, c chat, e session.Event, request string) {
		_, err := c.Answer(t.Context(), "ann", request, session.Approve, []byte(`{"action":"wait"}`))
		require.NoError(t, err)
		synctest.Wait()
		thread, err := c.session.OpenThread()
		require.NoError(t, err)
		replay, err := c.session.Repeat(e.Ref, thread.Thread, session.Workflow{ID: "conformance-x"})
		require.NoError(t, err)
		assert.Equal(t, c.bodies(t, e)[1:], c.bodies(t, replay)[1:])
		assert.Equal(t, c.turn(t, e).Nodes[0].Outputs, c.turn(t, replay).Nodes[0].Outputs)
	})
}
