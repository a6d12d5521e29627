package export

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

// inBoth asserts that both formats contain the words.
func inBoth(t *testing.T, d Document, words ...string) {
	t.Helper()
	for _, w := range words {
		assert.Contains(t, markdownOf(t, d), w)
		assert.Contains(t, htmlOf(t, d), w)
	}
}

func TestMarkdownShowsEveryPartOfATurn(t *testing.T) {
	got := markdownOf(t, filledWith("plain words"))
	for _, want := range []string{
		"# plain words\n\n1 turn of thread `550e8400`",
		"## Turn 1\n\n21 February 2026, 10:00:00 UTC · completed, 4.1 s\n",
		"<summary>Reasoning: 1 tool</summary>", "#### 1. `plain words` `plain words`\n", "> plain words\n",
		"\n\n**error** → plain words · 40 ms\n\n", "Masked in this turn: aws-key ×2.\n",
		"Noticed in this turn, not masked: sensitive-path (low).\n",
		"Result: `said: plain words`\n", "**Hand-off** from `lead` to `helper`",
	} {
		assert.Contains(t, got, want)
	}
}

func TestStepsAreNamedWhereThereAreSeveral(t *testing.T) {
	d := filledWith("plain")
	assert.NotContains(t, markdownOf(t, d), "Step 1")
	steps := &d.Turns[0].Steps
	short := safety.Literal("in short")
	*steps = append(*steps,
		session.Step{Number: 2, NarrativeBlocked: true},
		session.Step{Agent: "helper", Number: 1, Narrative: short, NarrativeSource: session.FromSummary})
	inBoth(t, d, "Step 1", "Step 2", "Step 1 of the agent helper", "in short", "its provider",
		"Safety withheld what the model said before these calls.")
}

func TestTheSummaryBehindAnAnswerIsExported(t *testing.T) {
	d := filledWith("plain")
	short := safety.Literal("in short")
	steps := &d.Turns[0].Steps
	*steps = append(*steps,
		session.Step{Number: 2, Answer: true, Narrative: short, NarrativeSource: session.FromSummary})
	inBoth(t, d, "Step 1", "Before the answer", "in short", "its provider")
	*steps = []session.Step{{Number: 1, Answer: true, NarrativeBlocked: true}}
	inBoth(t, d, "Reasoning: no tools", "Before the answer",
		"Safety withheld the summary of the reasoning behind the answer.")
}

func TestCallsShowTheirApprovalAndTheSourceOfTheirReason(t *testing.T) {
	for _, tt := range []struct {
		name string
		call session.Call
		want string
	}{
		{"an open request",
			session.Call{Outcome: session.Pending, Approval: &session.Approval{}}, "approval: awaited"},
		{"an approved call", session.Call{Approval: &session.Approval{Answer: session.Approve}}, "approval: given"},
		{"a tool approved for the session",
			session.Call{Approval: &session.Approval{Answer: session.Always}}, "approval: given for the session"},
		{"a denied call", session.Call{Approval: &session.Approval{Answer: session.Deny}}, "approval: denied"},
		{"an expired request", session.Call{Approval: &session.Approval{Answer: session.Expired}}, "approval: expired"},
		{"a call without a reason", session.Call{Rationale: session.Fallback()}, "No reason given"},
		{"a call whose reason was withheld",
			session.Call{Rationale: session.Rationale{Blocked: true}}, "Safety withheld the reason"},
		{"a call with masked parameters", session.Call{Findings: []safety.Finding{
			{Rule: "jwt", Count: 1, Effect: safety.Masked}, {Rule: "pem", Count: 2, Effect: safety.Masked},
			{Rule: "pem", Count: 1, Effect: safety.Withheld}}}, "Masked: jwt, pem ×3."},
		{"a call with parameters that were only noticed", session.Call{Findings: []safety.Finding{
			{Rule: "chat-token", Count: 1, Severity: safety.Medium, Effect: safety.Neutralised},
			{Rule: "destructive-sql", Count: 2, Severity: safety.Medium, Effect: safety.Noticed}}},
			"Noticed, not masked: chat-token (medium, neutralised), destructive-sql ×2 (medium)."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			step := session.Step{Number: 1, Calls: []session.Call{tt.call}}
			inBoth(t, Document{Turns: []session.Turn{{Number: 1, Steps: []session.Step{step}}}}, tt.want)
		})
	}
}

// Saying "masked" of a text that is there in full would mislead its readers.
func TestARuleThatOnlyNoticedIsNotCalledMasked(t *testing.T) {
	d := Document{Turns: []session.Turn{{Number: 1, Findings: []safety.Finding{
		{Rule: "destructive-sql", Count: 1, Severity: safety.Medium, Effect: safety.Noticed}}}}}
	inBoth(t, d, "Noticed in this turn, not masked: destructive-sql (medium).")
	assert.NotContains(t, markdownOf(t, d), "Masked")
	assert.NotContains(t, htmlOf(t, d), "Masked")
}

func TestDurationsAreRoundedToWhatPeopleRead(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "under 1 ms", 999 * time.Millisecond: "999 ms", 4140 * time.Millisecond: "4.1 s",
		125 * time.Second: "2 min 5 s", 2*time.Hour + 90*time.Second: "2 h 1 min",
	} {
		assert.Equal(t, want, duration(d))
	}
}

func TestOmittedPartsAreAbsent(t *testing.T) {
	for omit, absent := range map[Omit][]string{
		{Reasoning: true}:  {"Reasoning:", "Parameters", "plain</b>"},
		{Parameters: true}: {"Parameters"},
		{Results: true}:    {"Result"},
	} {
		d := filledWith("plain")
		d.Omit = omit
		for _, w := range absent {
			assert.NotContains(t, markdownOf(t, d), w)
			assert.NotContains(t, htmlOf(t, d), w)
		}
	}
}

func TestATurnWithoutAnAnswerSaysWhy(t *testing.T) {
	for state, want := range map[session.State]string{
		session.Queued: "had not begun", session.Processing: "still running", session.Completed: "answer was empty",
		session.Interrupted: "was interrupted", session.Failed: "failed before",
	} {
		inBoth(t, Document{Turns: []session.Turn{{Number: 1, State: state, Input: safety.Literal("hi")}}}, want)
	}
	failed := session.Turn{Number: 1, State: session.Failed, Error: safety.Literal("no model")}
	inBoth(t, Document{Turns: []session.Turn{failed}}, "failed before", "no model")
}

func TestADocumentMayHaveNoTurns(t *testing.T) {
	inBoth(t, Document{Thread: "t"}, "A conversation", "0 turns")
}

func TestLongTitlesAreCut(t *testing.T) {
	title, _ := layer.Mask(strings.Repeat("é", 81))
	d := Document{Title: title}
	inBoth(t, d, strings.Repeat("é", 80)+"…")
	assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), strings.Repeat("é", 81))
}

// parts notes the sizes of writes, and fails the third.
type parts []int

func (p *parts) Write(b []byte) (int, error) {
	if *p = append(*p, len(b)); len(*p) > 2 {
		return 0, errors.New("the reader has gone")
	}
	return len(b), nil
}

func TestAnExportIsWrittenInPartsUntilItsReaderHasGone(t *testing.T) {
	d := filledWith(strings.Repeat("so it goes ", 3000))
	for range 100 {
		d.Turns = append(d.Turns, d.Turns[0])
	}
	for name, write := range map[string]func(io.Writer, Document) error{"Markdown": Markdown, "HTML": HTML} {
		var p parts
		assert.EqualError(t, write(&p, d), "the reader has gone", name)
		assert.Equal(t, parts{maxBuffered, maxBuffered, maxBuffered}, p, name)
	}
}

func TestWhatATurnCostIsExported(t *testing.T) {
	d := filledWith("plain")
	d.Turns[0].Spent = session.Spent{Nanos: 3_100_000, Priced: 1}
	inBoth(t, d, "completed, 4.1 s, $0.0031")
	d.Turns[0].Spent.Unpriced = 1
	assert.NotContains(t, markdownOf(t, d), "$")
}

func TestSealedReasoningIsExportedByItsSize(t *testing.T) {
	doc := filledWith("plain")
	step := &doc.Turns[0].Steps[0]
	for want, s := range map[string]session.Sealed{
		"encrypted, 1240 bytes, 310 tokens":           {Kind: session.SealEncrypted, Bytes: 1240, Tokens: 310},
		"left out and signed, a signature of 8 bytes": {Kind: session.SealSignature, Bytes: 8},
		"encrypted": {Kind: session.SealEncrypted},
	} {
		step.Sealed = s
		assert.Contains(t, markdownOf(t, doc), "*Sealed reasoning ("+want+"): only the model's provider can read it.*")
		assert.Contains(t, htmlOf(t, doc), want)
	}
	doc.Omit.Reasoning = true
	assert.NotContains(t, markdownOf(t, doc), "Sealed")
	doc.Omit.Reasoning, step.Sealed = false, session.Sealed{}
	assert.NotContains(t, markdownOf(t, doc), "Sealed")
}

func TestAHandoffIsExportedWithWhoGetsTheTask(t *testing.T) {
	doc := filledWith("plain")
	h := &doc.Turns[0].Handoffs[0]
	for want, who := range map[string]session.Profile{
		", helper (small-1, effort high)": {
			Name: safety.Literal("helper"), Model: safety.Literal("small-1"), Effort: safety.Literal("high")},
		", (effort high)": {Effort: safety.Literal("high")},
	} {
		h.Who = who
		assert.Contains(t, markdownOf(t, doc), "**Hand-off** from `lead` to `helper`"+want)
		assert.Contains(t, htmlOf(t, doc), "Hand-off from lead to helper"+want)
	}
	h.Who = session.Profile{Name: safety.Literal("<b>*x*")}
	assert.NotContains(t, htmlOf(t, doc), "<b>*x*")
	assert.NotContains(t, markdownOf(t, doc), "<b>*x*")
}
