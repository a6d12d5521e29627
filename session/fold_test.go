package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func narrative(t session.Turn) string {
	text, _ := t.Narrative()
	return text.String()
}

func TestTurnNarrativeSetAndGet(t *testing.T) {
	s, ref := newTurn(t)
	assert.Empty(t, narrative(turnOf(t, s, ref)))
	add(t, s, ref, session.Narrated{Step: 1, Text: safety.Literal("first")}, toolCall("call_1", 1))
	assert.Equal(t, "first", narrative(turnOf(t, s, ref)))

	helper := ref
	helper.Agent = "helper"
	add(t, s, ref, session.Narrated{Step: 2, Text: safety.Literal("second"), Source: session.FromSummary})
	add(t, s, helper, session.Narrated{Step: 1, Text: safety.Literal("a sub-agent's")})
	text, source := turnOf(t, s, ref).Narrative()
	assert.Equal(t, "second", text.String(), "those of sub-agents are skipped")
	assert.Equal(t, session.FromSummary, source)
	add(t, s, ref, session.Narrated{Step: 3, Blocked: true})
	turn := turnOf(t, s, ref)
	assert.Empty(t, narrative(turn), "the latest was withheld, and the words before it are not its own")
	assert.Equal(t, "first", turn.Steps[0].Narrative.String(), "each step keeps its own narrative")
	assert.True(t, turn.Steps[len(turn.Steps)-1].NarrativeBlocked)
}

func TestAStepKeepsItsThoughtBesideItsWordsAndWhyTheModelStopped(t *testing.T) {
	s, ref := newTurn(t)
	call := toolCall("call_1", 1)
	call.Before = safety.Literal("Then I read it.")
	add(t, s, ref, session.Narrated{Step: 1, Text: safety.Literal("I look."), Source: session.FromModel,
		Thought: safety.Literal("The notes may say it."), Stop: session.StopLength}, call,
		session.Narrated{Step: 2, Answer: true, Stop: session.StopContext},
		session.TurnCompleted{Response: safety.Literal("It is"), Stop: session.StopContext})
	turn := turnOf(t, s, ref)
	assert.Equal(t, "I look.", narrative(turn), "the words are the narrative")
	assert.Equal(t, "The notes may say it.", turn.Steps[0].Thought.String())
	assert.Equal(t, session.StopLength, turn.Steps[0].Stop)
	assert.Equal(t, "Then I read it.", turn.Steps[0].Calls[0].Before.String())
	assert.Equal(t, session.StopContext, turn.Steps[1].Stop)
	assert.Equal(t, session.StopContext, turn.Stop)

	s, ref = newTurn(t)
	add(t, s, ref, session.TurnFailed{Error: safety.Literal("no"), Stop: session.StopRefusal})
	assert.Equal(t, session.StopRefusal, turnOf(t, s, ref).Stop)
}

func TestRecordToolCallWithRationale(t *testing.T) {
	s, ref := newTurn(t)
	grouped := toolCall("call_1", 1)
	grouped.Group = new(0)
	add(t, s, ref, grouped, toolCall("call_2", 1))
	turn := turnOf(t, s, ref)
	c, ok := turn.Call("call_1")
	require.True(t, ok)
	assert.Equal(t, "to know the time", c.Rationale.Text.String())
	assert.Equal(t, session.FromModel, c.Rationale.Source)
	assert.Equal(t, 0, *c.Group)
	assert.Equal(t, session.Pending, c.Outcome)
	c, _ = turn.Call("call_2")
	assert.Nil(t, c.Group)
}

func TestTheFallbackRationaleIsMarkedAsOurs(t *testing.T) {
	why := session.Fallback()
	assert.Equal(t, session.FromFallback, why.Source)
	assert.Equal(t, "Tool selected to satisfy the current subtask.", why.Text.String())
	assert.False(t, why.Blocked)
}

func TestResultsMatchByCallIDInAnyOrder(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), toolCall("call_2", 1),
		session.ToolReturned{Call: "call_2", Outcome: session.Success},
		session.ToolReturned{Call: "unknown", Outcome: session.Success},
		session.ToolReturned{Call: "call_1", Outcome: session.Errored},
		session.ToolReturned{Call: "call_1", Outcome: session.Success})
	var outcomes []session.Outcome
	for c := range turnOf(t, s, ref).Calls() {
		outcomes = append(outcomes, c.Outcome)
	}
	assert.Equal(t, []session.Outcome{session.Errored, session.Success}, outcomes, "the first result of a call wins")
}

func TestTheFirstAnswerToAnApprovalWins(t *testing.T) {
	s, ref := newTurn(t)
	request := s.RequestID(ref, "call_1")
	assert.NotEqual(t, request, s.RequestID(ref, "call_2"))
	add(t, s, ref, toolCall("call_1", 1),
		session.ApprovalAsked{Request: request, Call: "call_1", AllowAlways: true, Grant: "clock 1"})
	asked := turnOf(t, s, ref)
	add(t, s, ref,
		session.ApprovalAnswered{Request: request, Call: "call_1", Answer: session.Deny},
		session.ApprovalAnswered{Request: request, Call: "call_1", Answer: session.Always},
		session.ApprovalAnswered{Request: "unknown", Call: "unknown", Answer: session.Always})
	c, _ := turnOf(t, s, ref).Call("call_1")
	assert.Equal(t, session.Deny, c.Approval.Answer)
	assert.False(t, c.Approval.Answer.Allows())
	c, _ = asked.Call("call_1")
	assert.Empty(t, c.Approval.Answer, "the earlier snapshot still shows an open request")
	assert.False(t, s.Approved("clock 1"))
}

func TestAlwaysApprovesTheToolForTheSession(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), session.ApprovalAsked{Call: "call_1", AllowAlways: true, Grant: "clock 1"},
		session.ApprovalAnswered{Call: "call_1", Answer: session.Always})
	c, _ := turnOf(t, s, ref).Call("call_1")
	assert.True(t, c.Approval.Answer.Allows())
	assert.True(t, s.Approved("clock 1"))
	assert.False(t, s.Approved("clock"), "what was approved is the grant, not the name")
	assert.False(t, s.Approved(""))
}

func TestApprovingOneCallApprovesNoLaterOne(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), session.ApprovalAsked{Call: "call_1", AllowAlways: true, Grant: "clock 1"},
		session.ApprovalAnswered{Call: "call_1", Answer: session.Approve})
	assert.False(t, s.Approved("clock 1"))
}

func TestOnlyTwoAnswersLetACallRun(t *testing.T) {
	for answer, want := range map[session.Answer]bool{
		"": false, session.Approve: true, session.Always: true, session.Deny: false, session.Expired: false,
		session.Withdrawn: false,
	} {
		assert.Equal(t, want, answer.Allows(), "%q", answer)
	}
}

func TestEachFinalStateEndsATurn(t *testing.T) {
	s, threadID := newThread(t)
	for _, end := range []session.Body{session.TurnCompleted{}, session.TurnFailed{}, session.TurnInterrupted{}} {
		ref := accept(t, s, threadID)
		add(t, s, ref, end)
		_, err := s.Append(ref, session.StepEnded{Step: 1})
		assert.ErrorIs(t, err, session.ErrTurnEnded, "%T", end)
		e, err := s.Accept(threadID, safety.Literal("next"), nil)
		require.NoError(t, err)
		assert.IsType(t, session.TurnStarted{}, e.Body, "the thread is idle after %T", end)
		add(t, s, e.Ref, session.TurnCompleted{})
	}
}

func TestWhatWasMaskedInAWaitingMessageIsCounted(t *testing.T) {
	s, ref := newTurn(t)
	masked := []safety.Finding{{Rule: "jwt", Count: 2}}
	e, err := s.Accept(ref.Thread, safety.Literal("next"), masked)
	require.NoError(t, err)
	assert.Equal(t, masked, turnOf(t, s, e.Ref).Findings)
}

func TestFindingsAddUpOverTheTurn(t *testing.T) {
	s, ref := newTurn(t)
	c := toolCall("call_1", 1)
	c.Findings = []safety.Finding{{Rule: "jwt", Count: 1}}
	two := []safety.Finding{{Rule: "jwt", Count: 2}, {Rule: "pem", Count: 1}}
	add(t, s, ref, session.Narrated{Step: 1, Findings: two}, c,
		session.ToolReturned{Call: "call_1", Outcome: session.Success, Findings: two},
		session.Handoff{Findings: c.Findings}, session.TurnFailed{Findings: c.Findings})
	assert.Equal(t, []safety.Finding{{Rule: "jwt", Count: 7}, {Rule: "pem", Count: 2}}, turnOf(t, s, ref).Findings)
}

// A worker's rule may only report what the same rule masks here.
func TestFindingsOfOneRuleAddUpByTheirEffect(t *testing.T) {
	seen := safety.Finding{Rule: "jwt", Count: 1, Severity: safety.Low, Effect: safety.Noticed}
	masked := safety.Finding{Rule: "jwt", Count: 2, Severity: safety.High, Effect: safety.Masked}
	withheld := safety.Finding{Rule: "jwt", Count: 1, Severity: safety.High, Effect: safety.Withheld}
	rest := []safety.Finding{withheld, masked, seen}
	sum := session.Merge([]safety.Finding{seen}, []safety.Finding{masked}, nil, rest)
	masked.Count, seen.Count = 4, 2
	assert.Equal(t, []safety.Finding{masked, seen, withheld}, sum)
}

func TestUsageAddsUpOverTheTurn(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, session.StepEnded{Step: 1, Usage: session.Usage{Input: 10, Output: 5, Reasoning: 2}},
		session.Handoff{To: "helper", Usage: session.Usage{Input: 1, Reasoning: 1}},
		session.TurnCompleted{Usage: session.Usage{Input: 3, Output: 4}})
	turn := turnOf(t, s, ref)
	assert.Equal(t, session.Usage{Input: 14, Output: 9, Reasoning: 3}, turn.Usage)
	assert.Equal(t, "helper", turn.Handoffs[0].To)
}

func TestTheFirstEndOfATurnWins(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, session.TurnFailed{Error: safety.Literal("no model")})
	turn := turnOf(t, s, ref)
	at := turn.EndedAt.Add(time.Second)
	later := turn.Apply(session.Event{Seq: 99, At: at, Ref: ref, Body: session.TurnInterrupted{}})
	assert.Equal(t, session.Failed, later.State)
	assert.Equal(t, turn.EndedAt, later.EndedAt)
	assert.Equal(t, uint64(99), later.LastSeq)
}

func TestApplyLeavesEarlierSnapshotsUnchanged(t *testing.T) {
	s, ref := newTurn(t)
	type snapshot struct {
		turn  session.Turn
		shown string
	}
	var snapshots []snapshot
	step := func(n int, a, b string) []session.Body {
		masked := []safety.Finding{{Rule: "x", Count: 1}}
		return []session.Body{
			session.Narrated{Step: n, Text: safety.Literal("so")}, toolCall(a, n), toolCall(b, n),
			session.ToolReturned{Call: b, Outcome: session.Success, Findings: masked},
			session.ToolReturned{Call: a, Outcome: session.Errored}, session.StepEnded{Step: n},
		}
	}
	for n := 1; n <= 3; n++ {
		for _, b := range step(n, fmt.Sprintf("call_%d", 2*n-1), fmt.Sprintf("call_%d", 2*n)) {
			turn := turnOf(t, s, ref)
			snapshots = append(snapshots, snapshot{turn, fmt.Sprintf("%+v", turn)})
			add(t, s, ref, b)
		}
	}
	add(t, s, ref, session.TurnCompleted{Response: safety.Literal("done")})
	for i, snap := range snapshots {
		assert.Equal(t, snap.shown, fmt.Sprintf("%+v", snap.turn), "snapshot %d changed", i)
	}
}

func TestTwoFoldsOfOneSnapshotAreIndependent(t *testing.T) {
	s, ref := newTurn(t)
	for n := range 8 { // slices of some lengths have room for one more, others have none
		add(t, s, ref, toolCall(fmt.Sprint("call_", n), 1), session.Handoff{Call: fmt.Sprint("call_", n)})
		base := turnOf(t, s, ref)
		fold := func(id string) session.Turn {
			turn := base.Apply(session.Event{Ref: ref, Body: toolCall(id, 1)})
			return turn.Apply(session.Event{Ref: ref, Body: session.Handoff{Call: id}})
		}
		left, right := fold("left"), fold("right")
		for want, turn := range map[string]session.Turn{"left": left, "right": right} {
			_, ok := turn.Call(want)
			assert.True(t, ok, "after %d calls", n+1)
			assert.Equal(t, want, turn.Handoffs[n+1].Call)
		}
	}
}

// Encrypted thoughts and signatures of thoughts that were left out may come in one step. The kind is that of the
// thoughts, which say that there was something to read.
func TestSealedReasoningStaysWithItsStep(t *testing.T) {
	s, ref := newTurn(t)
	both := session.Sealed{}.Signed(8).Encrypted(20).Signed(1)
	add(t, s, ref, session.Narrated{Step: 1, Sealed: both}, toolCall("call_1", 1), toolCall("call_2", 2),
		session.Narrated{Step: 3, Answer: true, Sealed: session.Sealed{}.Signed(8)})
	turn := turnOf(t, s, ref)
	require.Len(t, turn.Steps, 3)
	assert.Equal(t, session.Sealed{Kind: session.SealEncrypted, Bytes: 29}, turn.Steps[0].Sealed)
	assert.False(t, turn.Steps[1].Sealed.Known(), "nothing was sealed")
	answer, ok := turn.AnswerStep()
	assert.True(t, ok, "a step that answers is listed for what was sealed of it")
	assert.Equal(t, session.Sealed{Kind: session.SealSignature, Bytes: 8}, answer.Sealed)
	assert.Empty(t, narrative(turn), "sealed reasoning is no narrative")
	assert.False(t, session.Sealed{}.Encrypted(-1).Known())
}

// A question has its end, and an answer what a person changed; the first answer wins in that, too.
func TestAnApprovalHasItsEndAndWhatWasChanged(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1),
		session.ApprovalAsked{Request: "r", Call: "call_1", Editable: true, Within: time.Minute},
		session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Edited: value(`{"a":2}`),
			EditedBy: safety.Literal("ann")},
		session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Edited: value(`{"a":3}`)},
		toolCall("call_2", 1), session.ApprovalAsked{Request: "q", Call: "call_2"})
	turn := turnOf(t, s, ref)
	first, _ := turn.Call("call_1")
	second, _ := turn.Call("call_2")
	assert.Equal(t, first.Approval.AskedAt.Add(time.Minute), first.Approval.Expires)
	assert.True(t, first.Approval.Editable)
	assert.True(t, second.Approval.Expires.IsZero(), "nobody said")
	edited, ok := first.Edited()
	assert.True(t, ok)
	assert.Equal(t, `{"a":2}`, string(edited.Raw()))
	assert.Equal(t, edited, first.Arguments())
	assert.Equal(t, "ann", first.Approval.EditedBy.String())
	_, ok = second.Edited()
	assert.False(t, ok)
	assert.Equal(t, second.Params, second.Arguments())
}
