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
	request = s.RequestID(ref, call)
	e, err := s.Append(ref, session.ApprovalAsked{Request: request, Call: call, Within: time.Minute})
	require.NoError(t, err)
	return request, e
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
