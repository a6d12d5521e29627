package workflow

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

func TestAnAgentsReasoningCallsAndHandoffAreCaptured(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		e := c.start(t, defined(t, "conformance-agent-reasoning"), "")
		time.Sleep(time.Minute) // fake time
		synctest.Wait()
		turn := c.turn(t, e)
		require.Equal(t, session.Completed, turn.State, turn.Error.String())
		require.NotEmpty(t, turn.Steps)
		assert.Equal(t, "Two sources may know the answer. I ask the index first, then the archive.",
			turn.Steps[0].Narrative.String())
		assert.Equal(t, session.FromModel, turn.Steps[0].NarrativeSource)

		found, ok := turn.Call("call_1")
		require.True(t, ok)
		assert.Equal(t, "conformance:search", found.Tool.String())
		assert.JSONEq(t, `{"query":"who wrote it"}`, string(found.Params.Raw()))
		assert.JSONEq(t, `{"hits":["page 3","page 7"]}`, string(found.Result.Raw()))
		assert.Equal(t, 5*time.Millisecond, found.Took)
		failed, ok := turn.Call("call_2")
		require.True(t, ok)
		assert.Equal(t, session.Errored, failed.Outcome)
		assert.Equal(t, "not_found: The archive has no page 3.", failed.Error.String())

		require.Len(t, turn.Handoffs, 2)
		assert.Equal(t, "core.conformance.handoff-target_1", turn.Handoffs[0].To)
		assert.Contains(t, turn.Handoffs[0].Text.String(), "A second reader shall check page 7.")
		assert.Contains(t, turn.Handoffs[0].Text.String(), `{"page": 7}`)
		assert.Equal(t, "core.conformance.handoff-target_1", turn.Handoffs[1].From)
		assert.Equal(t, 18, turn.Usage.Reasoning)
		assert.Len(t, of[session.NodeEnded](c.bodies(t, e)), 1)
		assert.Len(t, of[session.TurnCompleted](c.bodies(t, e)), 1)
	})
}

func TestReasoningThatArrivesInPartsIsSpokenBeforeItIsClosed(t *testing.T) {
	parts := []string{
		"Let me think about this. ", "First, the user is asking a question. ", "Therefore, I should respond clearly.",
	}
	rec := worked(t, defined(t, "conformance-agent-reasoning-streaming"))
	assert.Equal(t, parts, rec.said)
	assert.Equal(t, []int{1, 1, 1}, rec.steps)
	assert.Equal(t, []session.Body{
		session.Narrated{Step: 1, Text: safety.Literal("Let me think about this. " +
			"First, the user is asking a question. Therefore, I should respond clearly."), Source: session.FromModel},
		session.StepEnded{Step: 1, Usage: session.Usage{Output: 12, Reasoning: 12}},
	}, rec.list[1:3], "one close, which is not the answer's")
}

func TestReasoningThatMustBeWithheldIsNeitherSpokenNorRecorded(t *testing.T) {
	dashes := "-----"
	key := dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + `\nMIIEpAIBAAKCAQEA7bq\n` +
		dashes + "END RSA PRIVATE " + "KEY" + dashes
	for _, calls := range []string{"", `,"mockToolCalls":[{"toolId":"a","result":1}]`} {
		rec := worked(t, mocking(t, `{"mockReasoning":{"streamChunks":["It is `+key+`. ","Done."]}`+calls+`}`))
		assert.Empty(t, rec.said)
		narrated := of[session.Narrated](rec.list)
		require.Len(t, narrated, 1)
		assert.True(t, narrated[0].Blocked)
		assert.Empty(t, narrated[0].Text)
		assert.NotEmpty(t, narrated[0].Findings)
	}
}

func TestReasoningThatCannotBeRecordedEndsTheRun(t *testing.T) {
	rec := newRecorder()
	rec.err = session.ErrFull
	s := site{layer: layer, rec: rec}
	require.ErrorIs(t, s.reason(1, &mockReasoning{Summary: "x"}), session.ErrFull)
	require.NoError(t, s.reason(1, nil), "there is nothing to record")
}

func TestPartsThatAreNotTheWholeWhenTheyAreCleanedAreNotSpoken(t *testing.T) {
	key := githubToken()
	for name, chunks := range map[string]string{
		"a secret in two parts":  `["The key is ` + key[:20] + `", "` + key[20:] + ` as I know. "]`,
		"a thought in two parts": `["<think>I must not", " say this.</think>Yes."]`,
		"white space at the end": `["Yes. ", " "]`,
	} {
		t.Run(name, func(t *testing.T) {
			rec := worked(t, mocking(t, `{"mockReasoning":{"streamChunks":`+chunks+`}}`))
			assert.Empty(t, rec.said)
			narrated := of[session.Narrated](rec.list)
			require.Len(t, narrated, 1)
			assert.NotContains(t, narrated[0].Text.String(), key[:20])
		})
	}
}

func TestASecretInAPartIsMasked(t *testing.T) {
	rec := worked(t, mocking(t, `{"mockReasoning":{"streamChunks":["I use `+githubToken()+` here. ", "Done."]}}`))
	assert.Equal(t, []string{"I use [REDACTED:github-pat] here. ", "Done."}, rec.said)

	value := "Vk7qLz92" + "MxPw4tRb"
	rec = worked(t, mocking(t, `{"mockReasoning":{"streamChunks":["`+value+` it is. ","The password is `+value+`."]}}`))
	require.Len(t, rec.said, 2, "the whole is known before the first part is said")
	assert.NotContains(t, strings.Join(rec.said, ""), value)
}

// TestNothingOfAConfigEscapesTheSafetyLayer plants a key in each member.
func TestNothingOfAConfigEscapesTheSafetyLayer(t *testing.T) {
	key := githubToken()
	inChat(t, func(t *testing.T, c chat) {
		e := c.start(t, mocking(t, `{
			"mockReasoning": {"summary": "I use `+key+`"},
			"mockToolCalls": [
				{"toolId": "a", "arguments": {"k": "`+key+`"}, "result": {"r": "`+key+`"}},
				{"toolId": "b", "error": {"error": "bad", "message": "with `+key+`"}}],
			"mockHandoff": {"toAgentId": "other", "reason": "Use `+key+`", "context": ["`+key+`"]},
			"mockDecision": {"decision": {"use": "`+key+`"}, "confidence": 1, "reasoning": "It is `+key+`"}}`), "")
		turn := c.turn(t, e)
		require.Equal(t, session.Completed, turn.State, turn.Error.String())
		assert.Contains(t, turn.Steps[0].Narrative.String(), "[REDACTED")
		for call := range turn.Calls() {
			assert.NotContains(t, string(call.Params.Raw()), key)
			assert.NotContains(t, string(call.Result.Raw()), key)
			assert.NotContains(t, call.Error.String()+call.Rationale.Text.String(), key)
		}
		for _, h := range turn.Handoffs {
			assert.NotContains(t, h.Text.String(), key)
		}
		assert.Contains(t, string(turn.Nodes[0].Outputs.Raw()), "[REDACTED")
		assert.NotContains(t, string(turn.Nodes[0].Outputs.Raw()), key)
		assert.NotEmpty(t, turn.Findings)
	})
}

func TestRunsOfOneWorkflowAtOnceAreEqual(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		d := defined(t, "conformance-agent-reasoning")
		runs := make([]session.Event, 10)
		for i := range runs {
			opened, err := c.session.OpenThread()
			require.NoError(t, err)
			options := agent.TurnOptions{Runner: d.Runner(c.dispatcher, safety.JSON{})}
			runs[i], err = c.SendWith(t.Context(), "ann", opened.Thread, "run", options)
			require.NoError(t, err)
		}
		time.Sleep(time.Minute) // fake time
		synctest.Wait()
		first := c.bodies(t, runs[0])[1:]
		require.IsType(t, session.TurnCompleted{}, first[len(first)-1])
		for _, e := range runs[1:] {
			assert.Equal(t, first, c.bodies(t, e)[1:])
		}
	})
}

func TestTheTraceOfAnAgentReplacesItsSummary(t *testing.T) {
	rec := worked(t, mocking(t, `{"mockReasoning":{"summary":"short","trace":"long and exact"}}`))
	assert.Equal(t, "long and exact", of[session.Narrated](rec.list)[0].Text.String())
}

func TestAToolIsCalledTwiceWithDifferentResults(t *testing.T) {
	rec := worked(t, mocking(t, `{"mockToolCalls":[{"toolId":"a","result":1},{"toolId":"a","result":2}]}`))
	returned := of[session.ToolReturned](rec.list)
	require.Len(t, returned, 2)
	assert.Equal(t, "1", string(returned[0].Result.Raw()))
	assert.Equal(t, "2", string(returned[1].Result.Raw()))
	called := of[session.ToolCalled](rec.list)
	assert.Equal(t, []int{1, 2}, []int{called[0].Step, called[1].Step}, "one after the other")
}

func TestARunIsStoppedInTheMidstOfACall(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		e := c.start(t, mocking(t, `{"mockToolCalls":[{"toolId":"slow","result":1,"durationMs":9000}]}`), "")
		time.Sleep(time.Second) // fake time
		_, err := c.Interrupt(t.Context(), "ann", e.Thread)
		require.NoError(t, err)
		c.Close(t.Context())
		bodies := c.bodies(t, e)
		assert.Equal(t, session.Cancelled, of[session.ToolReturned](bodies)[0].Outcome)
		assert.Empty(t, of[session.NodeEnded](bodies))
		assert.IsType(t, session.TurnInterrupted{}, bodies[len(bodies)-1])
		assert.Equal(t, session.Interrupted, c.turn(t, e).State)
	})
}
