package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

const someSession = "550e8400-e29b-41d4-a716-446655440000"

// foldTurn folds bodies into a turn, one second apart.
func foldTurn(bodies ...session.Body) session.Turn {
	var t session.Turn
	for i, b := range bodies {
		t = t.Apply(session.Event{
			Seq: uint64(i + 1), At: time.Date(2026, 2, 21, 10, 0, i, 0, time.UTC), Session: someSession,
			Ref: session.Ref{Thread: "7c9e6679-7425-40de-944b-e07fc1f90ae7", Turn: 3}, Body: b,
		})
	}
	return t
}

func called(id string, group *int) session.ToolCalled {
	params, _ := safety.NewLayer().CleanJSON([]byte(`{"query":"recent project updates","limit":5}`))
	return session.ToolCalled{Step: 1, Call: id, Tool: safety.Literal("memory_search"), Params: params, Group: group,
		Rationale: session.Rationale{Text: safety.Literal("searched memory for 'recent project updates'"),
			Source: session.FromModel}}
}

func encodeObject(t *testing.T, v any) map[string]any {
	t.Helper()
	raw, err := safety.Marshal(v)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

func TestTurnInfoReasoningSerialization(t *testing.T) {
	info := Turn(foldTurn(
		session.TurnStarted{Message: "m", Input: safety.Literal("search")},
		session.Narrated{Step: 1, Text: safety.Literal("I'll search memory.")},
		called("call_1", nil),
		session.ToolReturned{Call: "call_1", Outcome: session.Success},
		session.TurnCompleted{Response: safety.Literal("The latest…"),
			Usage: session.Usage{Input: 1900, Output: 110, Reasoning: 20}},
	))
	got := encodeObject(t, info)
	assert.Equal(t, map[string]any{"input_tokens": 1900.0, "output_tokens": 110.0, "reasoning_tokens": 20.0},
		got["usage"])
	assert.Equal(t, "completed", got["state"])
	assert.Equal(t, "2026-02-21T10:00:00Z", got["started_at"])
	assert.Equal(t, "2026-02-21T10:00:04Z", got["completed_at"])
	reasoning := got["reasoning"].(map[string]any)
	assert.Equal(t, someSession, reasoning["session_id"])
	assert.Equal(t, "7c9e6679-7425-40de-944b-e07fc1f90ae7", reasoning["thread_id"])
	assert.Equal(t, float64(3), reasoning["turn_number"])
	assert.Equal(t, "I'll search memory.", reasoning["narrative"])
	d := reasoning["tool_decisions"].([]any)[0].(map[string]any)
	assert.Equal(t, "memory_search", d["tool_name"])
	assert.Equal(t, "searched memory for 'recent project updates'", d["rationale"])
	assert.Equal(t, map[string]any{"query": "recent project updates", "limit": float64(5)}, d["parameters"])
	assert.Equal(t, "success", d["outcome"])
	group, present := d["parallel_group"]
	assert.True(t, present)
	assert.Nil(t, group)
}

func TestReasoningIsNullWithoutToolCalls(t *testing.T) {
	got := encodeObject(t, Turn(foldTurn(
		session.TurnStarted{Input: safety.Literal("thanks")},
		session.TurnCompleted{Response: safety.Literal("You're welcome!")})))
	reasoning, present := got["reasoning"]
	assert.True(t, present)
	assert.Nil(t, reasoning)
	assert.Equal(t, []any{}, got["tool_calls"])
}

func TestReasoningUpdateIsSerializedWithItsTypeAndEveryRationale(t *testing.T) {
	turn := foldTurn(session.TurnStarted{}, called("call_1", new(0)), called("call_2", new(0)),
		session.ToolReturned{Call: "call_1", Outcome: session.Success})
	e := session.Event{Session: someSession, Ref: session.Ref{Thread: "t", Turn: 3}, Body: session.StepEnded{Step: 1}}
	frames := Frames(turn, e)
	require.Len(t, frames, 1)
	assert.Equal(t, "reasoning_update", frames[0].Name)
	got := encodeObject(t, frames[0].Data)
	assert.Equal(t, "reasoning_update", got["type"])
	assert.NotContains(t, got, "narrative")
	decisions := got["tool_decisions"].([]any)
	require.Len(t, decisions, 2)
	for i, want := range []string{"success", "pending"} {
		d := decisions[i].(map[string]any)
		assert.NotEmpty(t, d["rationale"])
		assert.Equal(t, "model", d["rationale_source"])
		assert.Equal(t, want, d["outcome"])
		assert.Equal(t, float64(0), d["parallel_group"])
		assert.NotContains(t, d, "parameters")
	}
}

// The live event marks a withheld narrative as history does, also after a later step whose
// narrative could be shown. The answer's reasoning is none of it.
func TestAWithheldNarrativeIsMarkedInTheStream(t *testing.T) {
	step := func(n int, text string, blocked bool) []session.Body {
		c := called(fmt.Sprintf("call_%d", n), nil)
		c.Step = n
		return []session.Body{session.Narrated{Step: n, Text: said(text), Blocked: blocked}, c}
	}
	for _, tt := range []struct {
		name      string
		narrative any
		blocked   any
		bodies    [][]session.Body
	}{
		{"nothing withheld", "I look.", nil, [][]session.Body{step(1, "I look.", false)}},
		{"the only narrative", nil, true, [][]session.Body{step(1, "", true)}},
		{"the first of two", "I look.", true, [][]session.Body{step(1, "", true), step(2, "I look.", false)}},
		{"the answer's", "I look.", nil, [][]session.Body{step(1, "I look.", false),
			{session.Narrated{Step: 2, Blocked: true, Answer: true}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := foldTurn(append([]session.Body{session.TurnStarted{}}, slices.Concat(tt.bodies...)...)...)
			e := session.Event{Ref: session.Ref{Thread: "t", Turn: 1}, Body: session.StepEnded{Step: 1}}
			live := encodeObject(t, Frames(turn, e)[0].Data)
			history := encodeObject(t, Turn(turn).Reasoning)
			for _, got := range []map[string]any{live, history} {
				assert.Equal(t, tt.narrative, got["narrative"])
				assert.Equal(t, tt.blocked, got["narrative_blocked"])
			}
		})
	}
}

func TestAJSONNullCountsAsNoResult(t *testing.T) {
	null, _ := safety.NewLayer().CleanJSON([]byte("null"))
	turn := foldTurn(session.TurnStarted{}, called("call_1", nil),
		session.ToolReturned{Call: "call_1", Outcome: session.Success, Result: null})
	assert.False(t, Turn(turn).ToolCalls[0].HasResult)
}

func TestMarkupIsNotEscaped(t *testing.T) {
	raw, err := safety.Marshal(responseFrame{Content: safety.Literal("Vec<String> && a < b")})
	require.NoError(t, err)
	assert.Contains(t, string(raw), "Vec<String> && a < b")
}

func TestTruncateCountsCharacters(t *testing.T) {
	assert.Equal(t, "žšč", truncate("žšč", 3))
	assert.Equal(t, "žš…", truncate("žšč", 2))
	assert.Equal(t, "", truncate("", 3))
}

// A line break in data would end the frame.
func TestHostileTextStaysOnOneLine(t *testing.T) {
	up := session.Update{Event: session.Event{
		Seq: 9, Session: someSession, Ref: session.Ref{Thread: "t", Turn: 1}, Body: session.TurnCompleted{
			Response: safety.Literal("a\n\nevent: evil\ndata: x\r\rid: 7\r\n: \x00  "),
		},
	}}
	lines := linesOf(t, NewEncoder(nil), up)
	require.Len(t, lines, 1)
	assert.Equal(t, "response", lines[0].Name)
	assert.False(t, bytes.ContainsAny(lines[0].Data, "\r\n\x00"))
	assert.True(t, json.Valid(lines[0].Data))
}

func TestTheSummaryBehindAnAnswerStandsApartFromTheReasoning(t *testing.T) {
	summary := session.Narrated{
		Step: 2, Answer: true, Text: safety.Literal("It weighs."), Source: session.FromSummary,
	}
	answer := session.TurnCompleted{Response: safety.Literal("Done.")}
	want := map[string]any{"step": 2.0, "narrative": "It weighs.", "narrative_source": "summary"}

	got := encodeObject(t, Turn(foldTurn(
		session.TurnStarted{}, session.Narrated{Step: 1, Text: safety.Literal("I look.")}, called("call_1", nil),
		summary, answer,
	)))
	reasoning := got["reasoning"].(map[string]any)
	assert.Equal(t, "I look.", reasoning["narrative"])
	assert.NotContains(t, reasoning, "narratives", "one step called tools")
	assert.Equal(t, want, got["answer_reasoning"])

	got = encodeObject(t, Turn(foldTurn(session.TurnStarted{}, summary, answer)))
	assert.Nil(t, got["reasoning"], "no tool was called")
	assert.Equal(t, want, got["answer_reasoning"])

	summary.Text, summary.Blocked = safety.Text{}, true
	got = encodeObject(t, Turn(foldTurn(session.TurnStarted{}, summary, answer)))
	assert.Equal(t, map[string]any{"step": 2.0, "narrative_source": "summary", "narrative_blocked": true},
		got["answer_reasoning"])
	assert.Nil(t, got["reasoning"])

	got = encodeObject(t, Turn(foldTurn(session.TurnStarted{}, answer)))
	assert.NotContains(t, got, "answer_reasoning")
}

func TestWhatATurnCostIsSaidWherePricesAreKnown(t *testing.T) {
	turn := *aTurn("t", 1, time.Now()).Turn
	turn.Usage = session.Usage{Input: 10, Output: 2}
	turn.Spent = session.Spent{Nanos: 140_000_000, Priced: 2}
	told := func() string {
		update := Frames(turn, session.Event{Body: session.StepEnded{}})[0].Data
		raw, err := json.Marshal([]any{Turn(turn).Usage, update})
		require.NoError(t, err)
		return string(raw)
	}
	assert.Contains(t, told(), `"output_tokens":2,"cost_nanodollars":140000000,"cost":"$0.14"}`)
	assert.Contains(t, told(), `"cost":"$0.14"}]`, "the turn so far")
	turn.Spent.Unpriced = 1
	assert.NotContains(t, told(), "cost")
}

func TestSealedReasoningIsTheSameInHistoryAndStream(t *testing.T) {
	sealed := session.Sealed{Kind: session.SealEncrypted, Bytes: 1200, Tokens: 310}
	silent := session.Narrated{Step: 1, Sealed: sealed}
	answers := session.Narrated{Step: 2, Answer: true, Sealed: session.Sealed{Kind: session.SealSignature}}
	turn := foldTurn(session.TurnStarted{}, silent, called("call_1", nil), answers,
		session.TurnCompleted{Response: safety.Literal("Done.")})
	got := encodeObject(t, Turn(turn))
	assert.NotContains(t, got, "answer_reasoning", "nobody summed it up")
	listed := got["sealed_reasoning"].([]any)
	assert.Equal(t, []any{
		map[string]any{"step": 1.0, "kind": "encrypted", "bytes": 1200.0, "tokens": 310.0},
		map[string]any{"step": 2.0, "answer": true, "kind": "signature"},
	}, listed)
	for i, b := range []session.Narrated{silent, answers} {
		frames := Frames(turn, session.Event{Ref: session.Ref{Thread: "t", Turn: 1}, Body: b})
		require.Len(t, frames, 1, "it has no narrative")
		assert.Equal(t, "sealed_reasoning", frames[0].Name)
		assert.Subset(t, encodeObject(t, frames[0].Data), listed[i])
	}
	silent.Text = safety.Literal("I look.")
	frames := Frames(turn, session.Event{Body: silent})
	require.Len(t, frames, 2)
	assert.Equal(t, "thinking", frames[0].Name, "what can be read comes first")

	assert.NotContains(t, encodeObject(t, Turn(foldTurn(session.TurnStarted{}))), "sealed_reasoning")
}

func TestAHandoffSaysWhoGetsTheTask(t *testing.T) {
	who := session.Profile{
		Name: safety.Literal("helper"), Model: safety.Literal("small-1"), Effort: safety.Literal("high")}
	task := session.Handoff{Call: "call_1", To: "delegate_1", Text: safety.Literal("look"), Who: who}
	answer := session.Handoff{Call: "call_1", From: "delegate_1", Text: safety.Literal("seen")}
	turn := foldTurn(session.TurnStarted{}, called("call_1", nil), task, answer)
	listed := encodeObject(t, Turn(turn))["reasoning"].(map[string]any)["handoffs"].([]any)
	known := map[string]any{"name": "helper", "model": "small-1", "effort": "high"}
	assert.Subset(t, listed[0], known)
	assert.NotContains(t, listed[1], "model", "an answer")
	frames := Frames(turn, session.Event{Body: task})
	assert.Subset(t, encodeObject(t, frames[0].Data), known)
}
