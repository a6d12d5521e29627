package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// askAbout records a question about the call of the turn "p1", and returns its request and the event.
func askAbout(t *testing.T, s *session.Session, thread, call string) (request string, e session.Event) {
	t.Helper()
	ref := session.Ref{Thread: thread, Turn: 1}
	_, asked, err := s.AskSighted(ref, session.ApprovalAsked{Call: call, Within: time.Minute})
	require.NoError(t, err)
	return s.RequestID(ref, call), session.Event{Seq: asked}
}

// answers answers a question of an attached agent.
func answers(s *session.Session, request string, a session.Answer) error {
	_, err := s.AnswerSighted(request, session.ApprovalAnswered{Answer: a})
	return err
}

func TestTheFirstAnswerToAnAttachedAgentCountsAndIsHeard(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1))
	request, asked := askAbout(t, s, id, "c1")
	assert.True(t, s.AskedSighted(request))
	ref, err := s.AnswerSighted(request, session.ApprovalAnswered{Answer: session.Approve})
	require.NoError(t, err)
	assert.Equal(t, session.Ref{Thread: id, Turn: 1}, ref)
	assert.False(t, s.AskedSighted(request))
	require.ErrorIs(t, answers(s, request, session.Deny), session.ErrNoApproval)
	require.ErrorIs(t, answers(s, "another", session.Deny), session.ErrNoApproval)
	heard, err := s.AwaitAnswer(t.Context(), request, asked.Seq)
	require.NoError(t, err)
	assert.Equal(t, session.Approve, heard.Answer)
	sight(t, s, id, session.FromHooks, returned("c1", 2))
	call, _ := firstTurn(t, s, id).Call("c1")
	assert.Equal(t, session.Success, call.Outcome)
	assert.Equal(t, session.Approve, call.Approval.Answer)
}

func TestACallOfAnAttachedAgentIsAskedAboutOnce(t *testing.T) {
	s, id := attach(t)
	told := called("c1", "Bash", 1)
	told.Called.Described = text("Try it")
	sight(t, s, id, session.FromHooks, told, called("c2", "Read", 1), called("c3", "Read", 1), returned("c2", 2))
	ref := session.Ref{Thread: id, Turn: 1}
	ask := func(ref session.Ref, call string) (session.Call, uint64, error) {
		return s.AskSighted(ref, session.ApprovalAsked{Call: call, Within: time.Minute})
	}
	call, asked, err := ask(ref, "c1")
	require.NoError(t, err)
	assert.Nil(t, call.Approval, "it is the call as it was before")
	assert.Equal(t, s.Head(), asked)
	held := s.Held()

	call, since, err := ask(ref, "c1")
	require.ErrorIs(t, err, session.ErrAsked)
	require.NotNil(t, call.Approval)
	assert.Equal(t, "Try it", call.Approval.Description.String())
	assert.Equal(t, s.RequestID(ref, "c1"), call.Approval.Request)
	require.NoError(t, answers(s, call.Approval.Request, session.Approve))
	heard, err := s.AwaitAnswer(t.Context(), call.Approval.Request, since)
	require.NoError(t, err)
	assert.Equal(t, session.Approve, heard.Answer, "an answer still to come is after the number")

	call, _, err = ask(ref, "c2")
	require.ErrorIs(t, err, session.ErrAsked, "it has ended")
	assert.Nil(t, call.Approval)
	_, _, err = ask(ref, "c9")
	require.ErrorIs(t, err, session.ErrNoCall)
	_, _, err = ask(session.Ref{Thread: id, Turn: 2}, "c1")
	require.ErrorIs(t, err, session.ErrNoTurn)
	_, _, err = ask(session.Ref{Thread: "none", Turn: 1}, "c1")
	require.ErrorIs(t, err, session.ErrNoThread)
	require.Greater(t, s.Held(), held, "the answer is charged")
	held = s.Held()
	_, _, _ = ask(ref, "c1")
	assert.Equal(t, held, s.Held(), "what is not recorded is not charged")
}

func TestAnEndedTurnOfAnAttachedAgentHasNoFurtherQuestions(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1), ended("Done.", 2))
	call, _ := firstTurn(t, s, id).Call("c1")
	require.Equal(t, session.Unknown, call.Outcome)
	_, _, err := s.AskSighted(session.Ref{Thread: id, Turn: 1}, session.ApprovalAsked{Call: "c1"})
	require.ErrorIs(t, err, session.ErrAsked, "the call has ended as well")
}

// Hooks of one call may reach several processes.
func TestProcessesAskAboutACallOnce(t *testing.T) {
	f := newFakeEngine()
	_, a := openDurable(t, f, session.Limits{})
	_, b := openDurable(t, f, session.Limits{})
	id, err := a.OpenObserved("claude/1", billing)
	require.NoError(t, err)
	sight(t, a, id, session.FromHooks, called("c1", "Bash", 1))
	require.NoError(t, b.CatchUp())
	ref := session.Ref{Thread: id, Turn: 1}
	_, _, err = a.AskSighted(ref, session.ApprovalAsked{Call: "c1", Within: time.Minute})
	require.NoError(t, err)
	call, since, err := b.AskSighted(ref, session.ApprovalAsked{Call: "c1", Within: time.Minute})
	require.ErrorIs(t, err, session.ErrAsked, "it has yet to hear of the question, and reads on first")
	require.NotNil(t, call.Approval)
	require.NoError(t, answers(a, call.Approval.Request, session.Deny))
	require.NoError(t, b.CatchUp())
	heard, err := b.AwaitAnswer(t.Context(), call.Approval.Request, since)
	require.NoError(t, err)
	assert.Equal(t, session.Deny, heard.Answer)
}

func TestWaitingForAnAnswerEndsWithItsContext(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1))
	request, asked := askAbout(t, s, id, "c1")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := s.AwaitAnswer(ctx, request, asked.Seq)
	require.ErrorIs(t, err, context.Canceled)
}

func TestAQuestionOfOurOwnAgentIsNotAnsweredAsOneOfAnother(t *testing.T) {
	s, thread := newThread(t)
	ref := accept(t, s, thread)
	add(t, s, ref, toolCall("call_1", 1), session.ApprovalAsked{Request: "r", Call: "call_1"})
	require.ErrorIs(t, answers(s, "r", session.Approve), session.ErrNoApproval)
}

func TestADeniedCallDidNotRunUnlessAChannelTellsItsEnd(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1), called("c2", "Read", 1))
	request, _ := askAbout(t, s, id, "c1")
	require.NoError(t, answers(s, request, session.Deny))
	call, _ := firstTurn(t, s, id).Call("c1")
	assert.Equal(t, session.Rejected, call.Outcome)
	sight(t, s, id, session.FromHooks, ended("Then not.", 3))
	turn := firstTurn(t, s, id)
	call, _ = turn.Call("c1")
	assert.Equal(t, session.Rejected, call.Outcome)
	assert.Equal(t, "A person denied this call.", call.Error.String())
	other, _ := turn.Call("c2")
	assert.Equal(t, session.Unknown, other.Outcome, "nobody saw its end, and nobody denied it")
	sight(t, s, id, session.FromFile, called("c1", "Bash", 1), returned("c1", 2))
	call, _ = firstTurn(t, s, id).Call("c1")
	assert.Equal(t, session.Success, call.Outcome, "the agent's file knows better")
}

func TestAnAnswerMayComeAfterTheTurnsEnd(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1))
	request, _ := askAbout(t, s, id, "c1")
	sight(t, s, id, session.FromHooks, ended("Over.", 2))
	require.NoError(t, answers(s, request, session.Withdrawn))
	call, _ := firstTurn(t, s, id).Call("c1")
	assert.Equal(t, session.Withdrawn, call.Approval.Answer)
}

// TestARestartEndsTheQuestionsOfAttachedAgents holds that nobody answers an agent whose request died with its process.
func TestARestartEndsTheQuestionsOfAttachedAgents(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	id, err := s.OpenObserved("claude/1", billing)
	require.NoError(t, err)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1))
	request, _ := askAbout(t, s, id, "c1")
	_, again := openDurable(t, f, session.Limits{})
	call, _ := firstTurn(t, again, id).Call("c1")
	require.NotNil(t, call.Approval)
	assert.Equal(t, session.Withdrawn, call.Approval.Answer)
	assert.Equal(t, session.Pending, call.Outcome, "the agent goes on by its own rules")
	require.ErrorIs(t, answers(again, request, session.Approve), session.ErrNoApproval)
}
