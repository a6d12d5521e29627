package agent

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// sendRun sends a message as the run of a workflow.
func sendRun(t *testing.T, c *Chat, thread string, o TurnOptions) session.Ref {
	t.Helper()
	e, err := c.SendWith(t.Context(), "ann", thread, "hi", o)
	require.NoError(t, err)
	return e.Ref
}

func TestARunOfAWorkflowIsMarkedAsSuch(t *testing.T) {
	inputs, _ := safety.NewLayer().CleanJSON([]byte(`{"n":1}`))
	run := TurnOptions{Workflow: session.Workflow{ID: "chat", Inputs: inputs}}
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		first := sendRun(t, c, "", run)
		second := sendRun(t, c, first.Thread, run)
		third := send(t, c, first.Thread, "hi").Ref
		time.Sleep(time.Minute) // fake time: in a bubble
		for ref, want := range map[session.Ref]session.Workflow{first: run.Workflow, second: run.Workflow, third: {}} {
			turn, err := s.Turn(ref.Thread, ref.Turn)
			require.NoError(t, err)
			assert.Equal(t, session.Completed, turn.State)
			assert.Equal(t, want, turn.Workflow, "turn %d, also after it waited", ref.Turn)
		}
	})
}

func TestAThresholdHasToBeANumberFrom0To1(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		for _, bad := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1), math.Inf(-1)} {
			_, err := c.SendWith(t.Context(), "ann", "", "hi", TurnOptions{Threshold: &bad})
			require.ErrorIs(t, err, ErrThreshold)
		}
		assert.Empty(t, s.Active(), "nothing was begun")
		for _, good := range []float64{0, 0.5, 1} {
			sendRun(t, c, "", TurnOptions{Threshold: &good})
		}
	})
}

func TestCancelStopsExactlyOneTurn(t *testing.T) {
	for _, tt := range []struct {
		name string
		turn int
		want []session.State
	}{
		{"the one that runs", 1, []session.State{session.Interrupted, session.Completed, session.Completed}},
		{"one that waits", 2, []session.State{session.Completed, session.Interrupted, session.Completed}},
		{"the last that waits", 3, []session.State{session.Completed, session.Completed, session.Interrupted}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
				thread := send(t, c, "", "one").Thread
				send(t, c, thread, "two")
				send(t, c, thread, "three")
				synctest.Wait()
				ref := session.Ref{Thread: thread, Turn: tt.turn}
				require.NoError(t, c.Cancel(t.Context(), "ann", ref))
				time.Sleep(time.Minute) // fake time: in a bubble
				assert.Equal(t, tt.want, states(t, s, thread))
				assert.ErrorIs(t, c.Cancel(t.Context(), "ann", ref), session.ErrTurnEnded)
			})
		})
	}
}

func TestOnlyAnOpenTurnOfTheUserIsCancelled(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "one").Ref
		observed, err := s.OpenObserved("theirs", session.Origin{Protocol: "mew"})
		require.NoError(t, err)
		theirs, err := s.Observe(observed, session.TurnStarted{})
		require.NoError(t, err)
		for _, tt := range []struct {
			name, user string
			ref        session.Ref
			want       error
		}{
			{"another user's", "bob", ref, session.ErrNoThread},
			{"one that never was", "ann", session.Ref{Thread: ref.Thread, Turn: 2}, session.ErrNoTurn},
			{"somebody else's agent's", "ann", theirs.Ref, session.ErrNotRunning},
		} {
			assert.ErrorIs(t, c.Cancel(t.Context(), tt.user, tt.ref), tt.want, tt.name)
		}
		time.Sleep(2 * time.Second) // fake time: in a bubble
		assert.Equal(t, []session.State{session.Completed}, states(t, s, ref.Thread))
	})
}

func TestCancelWithdrawsTheQuestionOfATurn(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		require.Len(t, openApprovals(t, s, ref), 1)
		require.NoError(t, c.Cancel(t.Context(), "ann", ref))
		synctest.Wait()
		assert.Equal(t, []session.State{session.Interrupted}, states(t, s, ref.Thread))
		turn, _ := s.Turn(ref.Thread, ref.Turn)
		call, _ := turn.Call("call_1")
		assert.Equal(t, session.Withdrawn, call.Approval.Answer)
	}, guarded("risky", ApprovalAsk))
}

func TestACallSaysByWhatWayItReachedItsTool(t *testing.T) {
	remote, fetch := echo("remote").(funcTool), echo("fetch").(funcTool)
	remote.spec.Origin.Server, remote.spec.HTTP = "files", true
	fetch.spec.HTTP = true
	p := oneStep("", Call{Name: "remote"}, Call{Name: "fetch"}, Call{Name: "look"}, Call{Name: "unknown"})
	rec := runTurn(t, newDispatcher(t, p, remote, fetch, echo("look")))
	var ways []session.Transport
	for _, c := range of[session.ToolCalled](rec) {
		ways = append(ways, c.Transport)
	}
	assert.Equal(t, []session.Transport{session.MCP, session.HTTP, session.Native, ""}, ways)
}

// spokenParts returns the recorded parts of a turn's texts, in the order of the log.
func spokenParts(t *testing.T, s *session.Session, ref session.Ref) (parts []session.Spoken) {
	t.Helper()
	for up, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if part, ok := up.Event.Body.(session.Spoken); ok && up.Event.Ref == ref {
			parts = append(parts, part)
		}
		if up.Event.Seq == s.Head() {
			break
		}
	}
	return parts
}

func TestTheLogOfARunHasItsTextsPartByPart(t *testing.T) {
	text := Response{Text: "One. The token is " + githubToken() + ". Two."}
	inChat(t, speaking(7, text, text), func(t *testing.T, c *Chat, s *session.Session) {
		c.dispatcher.Stream = true
		ref := sendRun(t, c, "", TurnOptions{Workflow: session.Workflow{ID: "chat", Spoken: true}})
		other := sendRun(t, c, ref.Thread, TurnOptions{Workflow: session.Workflow{ID: "chat"}})
		synctest.Wait()
		var said string
		for i, part := range spokenParts(t, s, ref) {
			assert.Equal(t, []int{1, i}, []int{part.Step, part.Index})
			said += part.Text.String()
		}
		turn, _ := s.Turn(ref.Thread, ref.Turn)
		assert.Equal(t, turn.Response.String(), said)
		assert.Contains(t, said, "[REDACTED:github-pat]")
		assert.Empty(t, spokenParts(t, s, other), "only where the run asks for it")
	})
}

func TestTheRecordedPartsOfATurnAreBounded(t *testing.T) {
	const sentence = "So it goes on and on and on. "
	text := strings.Repeat(sentence, maxSpoken/2+100)
	model := speaking(len(sentence), Response{Text: text, Calls: lookCall()}, Response{Text: text})
	inChat(t, model, func(t *testing.T, c *Chat, s *session.Session) {
		c.dispatcher.Stream = true
		ref := sendRun(t, c, "", TurnOptions{Workflow: session.Workflow{ID: "chat", Spoken: true}})
		synctest.Wait()
		assert.Equal(t, maxSpoken, len(spokenParts(t, s, ref)))
		assert.Equal(t, []session.State{session.Completed}, states(t, s, ref.Thread))
	}, echo("look"))
}

// A part for which there is no room is lost, and the turn goes on.
func TestAPartThatCannotBeRecordedDoesNoHarm(t *testing.T) {
	inSmallChat(t, &stepwise{}, func(t *testing.T, c *Chat, s *session.Session) {
		var release func()
		c.dispatcher.Stream = true
		c.dispatcher.Provider = providerFunc(func(_ context.Context, r Request) (Response, error) {
			r.Say("One. ")
			full, err := s.Hold(1<<20 - s.Held())
			assert.NoError(t, err)
			release = full
			r.Say("Two. ")
			full()
			return Response{Text: "One. Two."}, nil
		})
		ref := sendRun(t, c, "", TurnOptions{Workflow: session.Workflow{ID: "chat", Spoken: true}})
		synctest.Wait()
		release()
		assert.Equal(t, []session.State{session.Completed}, states(t, s, ref.Thread))
		assert.NotEmpty(t, spokenParts(t, s, ref))
	})
}
