package agent

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// guarded returns a tool that needs approval.
func guarded(name string, mode Approval) Tool {
	t := echo(name).(funcTool)
	t.spec.Approval = mode
	t.spec.Description = "does something that matters"
	return t
}

// openApprovals returns the calls of a turn whose approval is open, in order.
func openApprovals(t *testing.T, s *session.Session, ref session.Ref) []session.Call {
	t.Helper()
	turn, err := s.Turn(ref.Thread, ref.Turn)
	require.NoError(t, err)
	var open []session.Call
	for c := range turn.Calls() {
		if c.Approval != nil && c.Approval.Answer == "" {
			open = append(open, c)
		}
	}
	return open
}

func outcomes(t *testing.T, s *session.Session, ref session.Ref) []session.Outcome {
	t.Helper()
	turn, err := s.Turn(ref.Thread, ref.Turn)
	require.NoError(t, err)
	var out []session.Outcome
	for c := range turn.Calls() {
		out = append(out, c.Outcome)
	}
	return out
}

func TestACallWaitsForTheUsersAnswer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  session.Answer
		outcome session.Outcome
	}{
		{"approved", session.Approve, session.Success},
		{"approved for good", session.Always, session.Success},
		{"denied", session.Deny, session.Rejected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := oneStep("", Call{Name: "risky", Reasoning: "to fix it"}, Call{Name: "safe"})
			inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
				ref := send(t, c, "", "hi").Ref
				synctest.Wait()
				open := openApprovals(t, s, ref)
				require.Len(t, open, 1)
				assert.Equal(t, "to fix it", open[0].Rationale.Text.String())
				assert.Equal(t, "does something that matters", open[0].Approval.Description.String())
				got, err := c.Approve(t.Context(), "ann", open[0].Approval.Request, tt.answer)
				require.NoError(t, err)
				assert.Equal(t, ref, got)
				synctest.Wait()
				assert.Equal(t, []session.Outcome{tt.outcome, session.Success}, outcomes(t, s, ref),
					"the other call of the batch is not affected")
				turn, _ := s.Turn(ref.Thread, ref.Turn)
				assert.Equal(t, session.Completed, turn.State, "the loop goes on")
				risky, _ := turn.Call("call_1")
				assert.Equal(t, tt.answer, risky.Approval.Answer)
			}, guarded("risky", ApprovalAsk), echo("safe"))
		})
	}
}

func TestTheRestOfABatchRunsWhileOneCallWaits(t *testing.T) {
	var ran bool
	safe := toolFunc("safe", func(context.Context) (json.RawMessage, error) { ran = true; return rawJSON(`1`), nil })
	inChat(t, oneStep("", Call{Name: "risky"}, Call{Name: "safe"}), func(t *testing.T, c *Chat, _ *session.Session) {
		send(t, c, "", "hi")
		synctest.Wait()
		assert.True(t, ran)
		c.stop()
	}, guarded("risky", ApprovalAlways), safe)
}

func TestAlwaysIsRememberedForTheSessionAndTheTool(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "risky"}}}, {Calls: []Call{{Name: "risky"}, {Name: "other"}}}, {Text: "done"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		_, err := c.Approve(t.Context(), "ann", openApprovals(t, s, ref)[0].Approval.Request, session.Always)
		require.NoError(t, err)
		synctest.Wait()
		open := openApprovals(t, s, ref)
		require.Len(t, open, 1, "the approved tool needs no further approval")
		assert.Equal(t, "other", open[0].Tool.String())
		_, err = c.Approve(t.Context(), "ann", open[0].Approval.Request, session.Deny)
		require.NoError(t, err)
		synctest.Wait()
	}, guarded("risky", ApprovalAsk), guarded("other", ApprovalAsk))
}

func TestAlwaysIsRefusedForToolsThatNeedApprovalEachTime(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		request := openApprovals(t, s, ref)[0].Approval
		assert.False(t, request.AllowAlways)
		_, err := c.Approve(t.Context(), "ann", request.Request, session.Always)
		assert.ErrorIs(t, err, session.ErrNotAlways)
		assert.Len(t, openApprovals(t, s, ref), 1, "the request stays open")
		_, err = c.Approve(t.Context(), "ann", request.Request, session.Approve)
		require.NoError(t, err)
		synctest.Wait()
	}, guarded("risky", ApprovalAlways))
}

func TestStaleAndForeignAnswersAreRefused(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		id := openApprovals(t, s, ref)[0].Approval.Request
		for user, request := range map[string]string{"bob": id, "ann": "no-such-request"} {
			_, err := c.Approve(t.Context(), user, request, session.Approve)
			assert.ErrorIs(t, err, session.ErrNoApproval)
		}
		_, err := c.Approve(t.Context(), "ann", id, session.Expired)
		assert.Error(t, err, "only a person's answers are answers")
		_, err = c.Approve(t.Context(), "ann", id, session.Deny)
		require.NoError(t, err)
		_, err = c.Approve(t.Context(), "ann", id, session.Approve)
		assert.ErrorIs(t, err, session.ErrNoApproval, "the first answer stands")
		synctest.Wait()
		assert.Equal(t, []session.Outcome{session.Rejected}, outcomes(t, s, ref))
	}, guarded("risky", ApprovalAsk))
}

func TestAnUnansweredApprovalExpiresAsRejected(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		time.Sleep(DefaultApprovalTimeout + time.Second) // fake time: in a bubble
		assert.Equal(t, []session.Outcome{session.Rejected}, outcomes(t, s, ref))
		turn, _ := s.Turn(ref.Thread, ref.Turn)
		call, _ := turn.Call("call_1")
		assert.Equal(t, session.Expired, call.Approval.Answer)
		assert.Contains(t, call.Error.String(), "did not answer in time")
		assert.Empty(t, c.approvals.open, "no request is left behind")
	}, guarded("risky", ApprovalAsk))
}

func TestAnInterruptWithdrawsTheApproval(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		id := openApprovals(t, s, ref)[0].Approval.Request
		_, err := c.Interrupt(t.Context(), "ann", ref.Thread)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []session.Outcome{session.Cancelled}, outcomes(t, s, ref))
		_, err = c.Approve(t.Context(), "ann", id, session.Approve)
		assert.ErrorIs(t, err, session.ErrNoApproval)
	}, guarded("risky", ApprovalAsk))
}

func TestWithoutAnApproverCallsThatNeedApprovalAreRejected(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, oneStep("", Call{Name: "risky"}), guarded("risky", ApprovalAsk)))
	back := of[session.ToolReturned](rec)[0]
	assert.Equal(t, session.Rejected, back.Outcome)
	assert.Contains(t, back.Error.String(), "nobody can be asked here")
}

// What a person approves for good is what the tool was then.
func TestAlwaysEndsWhenTheDefinitionChanges(t *testing.T) {
	was := Spec{Name: "risky", Description: "It looks.", Schema: &jsonschema.Schema{Type: "object"}}
	brought := was
	brought.Origin = Origin{Server: "one", Tool: "risky", Definition: "1"}
	for name, change := range map[string]func(*Spec){
		"another name":        func(s *Spec) { s.Name = "riskier" },
		"another description": func(s *Spec) { s.Description = "It deletes." },
		"another schema": func(s *Spec) {
			s.Schema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": {}}}
		},
		"a front end's tool":  func(s *Spec) { s.FrontEnd = true },
		"a server's tool":     func(s *Spec) { s.Origin.Definition = "1" },
		"a schema of no JSON": func(s *Spec) { s.Schema = &jsonschema.Schema{Type: "object", Types: []string{"null"}} },
	} {
		is := was
		change(&is)
		assert.NotEqual(t, was.grant(), is.grant(), name)
	}
	assert.Equal(t, was.grant(), was.grant())
	assert.Equal(t, "1", brought.grant(), "a server's tool is known by its definition, whatever it is called")
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		_, err := c.Approve(t.Context(), "ann", openApprovals(t, s, ref)[0].Approval.Request, session.Always)
		require.NoError(t, err)
		synctest.Wait()
		changed := guarded("risky", ApprovalAsk).(funcTool)
		changed.spec.Description = "does something else"
		require.NoError(t, c.dispatcher.Tools.Replace(changed))
		c.dispatcher.Provider = oneStep("", Call{Name: "risky"})
		ref = send(t, c, ref.Thread, "again").Ref
		synctest.Wait()
		assert.Len(t, openApprovals(t, s, ref), 1, "a person is asked again")
	}, guarded("risky", ApprovalAsk))
}

func TestTheOperatorsApprovalModeOverridesTheTools(t *testing.T) {
	d := newDispatcher(t, oneStep("", Call{Name: "risky"}), guarded("risky", ApprovalAlways))
	d.Approval = func(s Spec) Approval {
		assert.Equal(t, "risky", s.Name)
		return ApprovalNever
	}
	assert.Equal(t, session.Success, of[session.ToolReturned](runTurn(t, d))[0].Outcome)
}

func TestParseApproval(t *testing.T) {
	for text, want := range map[string]Approval{
		"never": ApprovalNever, "ask": ApprovalAsk, "always": ApprovalAlways,
	} {
		got, err := ParseApproval(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseApproval("sometimes")
	assert.EqualError(t, err, `"sometimes" is none of never, ask, always`)
}

func TestAnAnswerThatCannotBeRecordedRunsNothing(t *testing.T) {
	store := session.NewMemory(nil)
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := s.OpenThread()
	require.NoError(t, err)
	e, err := s.Accept(opened.Thread, safety.Literal("hi"), nil)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	c := NewChat(store, newDispatcher(t, &stepwise{}), 0)
	rec := chatRecorder{chat: c, session: s, user: "ann", ref: e.Ref}

	wait := rec.Ask("call_1", Question{Description: safety.Literal("it acts"), Grant: "risky", AllowAlways: true})
	assert.Equal(t, Reply{Answer: session.Expired}, wait(t.Context()), "nobody has seen the request")
	assert.Empty(t, c.approvals.open, "no request is left behind")

	a := &pendingApproval{chatRecorder: rec, call: "call_1", answered: make(chan Reply, 1)}
	require.Error(t, a.decide("r", Reply{Answer: session.Approve, Value: rawJSON(`"go"`)}))
	assert.Equal(t, Reply{Answer: session.Withdrawn}, <-a.answered)
}

func TestAnotherUserLearnsNothingOfARequestThatRefusesAlways(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		id := openApprovals(t, s, ref)[0].Approval.Request
		_, err := c.Approve(t.Context(), "ann", id, session.Always)
		require.ErrorIs(t, err, session.ErrNotAlways)
		_, err = c.Approve(t.Context(), "bob", id, session.Always)
		require.ErrorIs(t, err, session.ErrNoApproval)
		_, err = c.Approve(t.Context(), "ann", id, session.Deny)
		require.NoError(t, err)
	}, guarded("risky", ApprovalAlways))
}
