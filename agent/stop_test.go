package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// running returns a tool that notes that it ran.
func running(name string, ran *bool) Tool {
	return toolFunc(name, func(context.Context) (json.RawMessage, error) {
		*ran = true
		return nil, nil
	})
}

// lastToldOf returns what the model was told last of its calls.
func lastToldOf(p *stepwise) string {
	messages := p.requests[len(p.requests)-1].Messages
	return messages[len(messages)-1].Text
}

func TestNothingRunsFromAnAnswerThatWasCutOff(t *testing.T) {
	for _, why := range []Stop{session.StopLength, session.StopContext} {
		p := &stepwise{responses: []Response{
			{Text: "I save it.", Stop: why, Calls: []Call{
				{Name: "a", Arguments: json.RawMessage(`{"rationale":"Keep it.","text":"Line one of a long te"}`)},
				{Name: "a", Arguments: json.RawMessage(`{"rationale":"Keep this, too.","te`)},
			}},
			{Text: "done"},
		}}
		ran := false
		rec := runTurn(t, newDispatcher(t, p, running("a", &ran)))
		assert.False(t, ran, "the arguments of the first call parse, and it is cut off all the same")
		calls, ends := of[session.ToolCalled](rec), of[session.ToolReturned](rec)
		require.Len(t, calls, 2)
		assert.Equal(t, "Keep it.", calls[0].Rationale.Text.String())
		assert.Equal(t, "Keep this, too.", calls[1].Rationale.Text.String(), "the reason is there, however it was cut")
		for i, end := range ends {
			assert.Equal(t, session.Errored, end.Outcome)
			assert.Contains(t, end.Error.String(), why.Words())
			assert.Nil(t, calls[i].Group, "they did not run side by side")
		}
		assert.Equal(t, why, of[session.Narrated](rec)[0].Stop)
		assert.Contains(t, lastToldOf(p), why.Words(), "the model is told")
		assert.Equal(t, "done", of[session.TurnCompleted](rec)[0].Response.String())
		assert.Empty(t, of[session.TurnCompleted](rec)[0].Stop)
	}
}

func TestATurnEndsWhenAllItsAnswersAreCutOff(t *testing.T) {
	cut := Response{Stop: session.StopLength, Calls: []Call{{Name: "a"}}}
	fine := Response{Calls: []Call{{Name: "a"}}}
	p := &stepwise{responses: []Response{cut, cut, fine, cut, cut, cut, {Text: "never"}}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	assert.Len(t, p.requests, 6, "a call that runs begins the count anew")
	failed := of[session.TurnFailed](rec)
	require.Len(t, failed, 1)
	assert.Equal(t, session.StopLength, failed[0].Stop)
	assert.Contains(t, failed[0].Error.String(), "cut off at the model's limit")
}

func TestAnAnswerThatWasCutOffIsAnAnswerThatSaysSo(t *testing.T) {
	for _, why := range []Stop{session.StopLength, session.StopContext, session.StopNoCall, session.StopOther} {
		rec := runTurn(t, newDispatcher(t, &stepwise{responses: []Response{{Text: "It is in li", Stop: why}}}))
		done := of[session.TurnCompleted](rec)
		require.Len(t, done, 1)
		assert.Equal(t, "It is in li", done[0].Response.String())
		assert.Equal(t, why, done[0].Stop)
		said := of[session.Narrated](rec)
		require.Len(t, said, 1, "the step says it, too")
		assert.True(t, said[0].Answer)
		assert.Equal(t, why, said[0].Stop)
	}
}

func TestARefusalIsNoAnswer(t *testing.T) {
	for _, why := range []Stop{session.StopRefusal, session.StopFilter, session.StopError} {
		for name, calls := range map[string][]Call{"text alone": nil, "with a call": {{Name: "a"}}} {
			p := &stepwise{responses: []Response{
				{Text: "First, mix the", Stop: why, Calls: calls, Usage: Usage{Output: 3}}, {Text: "never"},
			}}
			ran := false
			rec := runTurn(t, newDispatcher(t, p, running("a", &ran)))
			assert.False(t, ran, name)
			assert.Empty(t, of[session.TurnCompleted](rec), name)
			failed := of[session.TurnFailed](rec)
			require.Len(t, failed, 1, name)
			assert.Equal(t, why, failed[0].Stop)
			assert.Contains(t, failed[0].Error.String(), why.Words())
			said := of[session.Narrated](rec)
			require.Len(t, said, 1)
			assert.Equal(t, "First, mix the", said[0].Text.String(), "what was said until then is kept, as no answer")
			assert.False(t, said[0].Answer)
			assert.Equal(t, 3, of[session.StepEnded](rec)[0].Usage.Output, "and what it cost")
			assert.Len(t, p.requests, 1)
		}
	}
}

func TestAPausedAnswerGoesOn(t *testing.T) {
	opaque := []Opaque{{Provider: "p", Kind: "k", Data: []byte("x")}}
	p := &stepwise{responses: []Response{
		{Text: "I am still searching. \n", Stop: session.StopPaused, Opaque: opaque}, {Text: "It is there."},
	}}
	rec := runTurn(t, newDispatcher(t, p))
	require.Len(t, p.requests, 2)
	last := p.requests[1].Messages[len(p.requests[1].Messages)-1]
	assert.Equal(t, Message{Role: RoleAssistant, Text: "I am still searching.", Opaque: opaque}, last)
	done := of[session.TurnCompleted](rec)
	require.Len(t, done, 1)
	assert.Equal(t, "It is there.", done[0].Response.String())
	assert.Empty(t, done[0].Stop)
	assert.Equal(t, session.StopPaused, of[session.Narrated](rec)[0].Stop)

	next := Conversation([]session.Turn{rec.turn}, nil)
	assert.Equal(t, []string{"I am still searching.", "It is there."}, []string{next[1].Text, next[2].Text})

	d := newDispatcher(t, &stepwise{responses: []Response{
		{Text: "a", Stop: session.StopPaused}, {Text: "b", Stop: session.StopPaused}, {Text: "never"},
	}})
	d.MaxSteps = 2
	rec = runTurn(t, d)
	assert.Equal(t, session.StopPaused, of[session.TurnCompleted](rec)[0].Stop, "but not for ever")
}

func TestACallThatWasWrittenAsTextIsRecordedAndNotRun(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Text: `<think>hm</think>I look. <tool_call>{"name":"a","arguments":{"rationale":"To see."}}</tool_call>`},
		{Text: "done"},
	}}
	ran := false
	rec := runTurn(t, newDispatcher(t, p, running("a", &ran)))
	assert.False(t, ran)
	calls := of[session.ToolCalled](rec)
	require.Len(t, calls, 1)
	assert.Equal(t, "a", calls[0].Tool.String())
	assert.Equal(t, "To see.", calls[0].Rationale.Text.String())
	assert.Equal(t, "I look.", of[session.Narrated](rec)[0].Text.String())
	assert.Contains(t, of[session.ToolReturned](rec)[0].Error.String(), "written as text")
	assert.Contains(t, lastToldOf(p), "written as text")
	assert.Equal(t, "done", of[session.TurnCompleted](rec)[0].Response.String())

	written := Response{Text: `{"name":"a","parameters":{}}`}
	p = &stepwise{responses: []Response{written, written, written, {Text: "never"}}}
	rec = runTurn(t, newDispatcher(t, p, echo("a")))
	require.Len(t, of[session.TurnFailed](rec), 1)
	assert.Contains(t, of[session.TurnFailed](rec)[0].Error.String(), "as text again and again")
}

func TestACallInAThoughtThatNothingFollowsIsRecorded(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Thoughts: `PRIVATE plan <tool_call>{"name":"a","arguments":{"rationale":"To see."}}</tool_call>`},
		{Text: "done"},
	}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	calls := of[session.ToolCalled](rec)
	require.Len(t, calls, 1)
	assert.Equal(t, "To see.", calls[0].Rationale.Text.String())
	assert.NotContains(t, fmt.Sprint(rec.list), "PRIVATE")
	assert.Equal(t, "done", of[session.TurnCompleted](rec)[0].Response.String())
}

// Some servers read a call out of the text and leave it there.
func TestACallThatStandsInTheTextAsWellIsOneCall(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Text: "I look.<tool_call>{\"name\":\"a\"}</tool_call>", Calls: []Call{{Name: "a"}}}, {Text: "done"},
	}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	assert.Len(t, of[session.ToolCalled](rec), 1)
	assert.Equal(t, session.Success, of[session.ToolReturned](rec)[0].Outcome)
	assert.Equal(t, "I look.", of[session.Narrated](rec)[0].Text.String())
}

func TestTheTextBetweenTwoCallsIsThatOfTheSecond(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Text: "I look.\n\nThen I read it.", Calls: []Call{
			{Name: "a", Before: "I look."}, {Name: "a", Before: "<think>hm</think>Then I read it."},
			{Name: "a", Before: privateKey()},
		}}, {Text: "done"},
	}}
	calls := of[session.ToolCalled](runTurn(t, newDispatcher(t, p, echo("a"))))
	require.Len(t, calls, 3)
	assert.True(t, calls[0].Before.Empty(), "what stands before all calls is the narrative")
	assert.Equal(t, "Then I read it.", calls[1].Before.String())
	assert.True(t, calls[2].Before.Empty(), "it is withheld like a narrative")
}

func TestAToolIsFoundUnderADressedName(t *testing.T) {
	set := &toolset{byName: map[string]boundTool{}}
	for _, name := range []string{"file_search", "file_read", "Twin", "twin"} {
		set.byName[name] = boundTool{spec: Spec{Name: name}}
	}
	for in, want := range map[string]string{
		"file_search":                                             "file_search",
		"file_search<|channel|>commentary":                        "file_search",
		"file_search<|channel|>json<|x|> ":                        "file_search",
		"functions.file_search":                                   "file_search",
		"functions.file_search:0":                                 "file_search",
		"assistant<|channel|>commentary to=functions.file_search": "file_search",
		"to=functions.file_search":                                "file_search",
		"<|constrain|>file_search":                                "file_search",
		"tools/file_read":                                         "file_read",
		"default_api.file_read":                                   "file_read",
		"`file_read()`":                                           "file_read",
		"file-read":                                               "file_read",
		"File_Search":                                             "file_search",
		"twin":                                                    "twin",
		"TWIN":                                                    "", // which of the two?
		"file":                                                    "",
		"file_search_all":                                         "",
		"":                                                        "",
		"<|channel|>":                                             "",
		"functions.":                                              "",
		"file_search file_read":                                   "",
	} {
		tool, ok := set.resolve(in)
		assert.Equal(t, want, tool.spec.Name, "%q", in)
		assert.Equal(t, want != "", ok, "%q", in)
	}
}

func TestACallUnderADressedNameRunsUnderItsOwn(t *testing.T) {
	p := &stepwise{responses: []Response{{Calls: []Call{{Name: "a<|channel|>commentary"}}}, {Text: "done"}}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	assert.Equal(t, "a", of[session.ToolCalled](rec)[0].Tool.String())
	assert.Equal(t, session.Success, of[session.ToolReturned](rec)[0].Outcome)
}

func TestADamagedCallIsMendedOrShowsItsReason(t *testing.T) {
	p := &stepwise{responses: []Response{{Calls: []Call{
		{Name: "a", Arguments: json.RawMessage(`{}{"rationale":"To see."}`)},
		{Name: "a", Arguments: json.RawMessage(`"{\"rationale\":\"To see.\"}"`)},
		{Name: "a", Arguments: json.RawMessage("{\"rationale\":\"To\nsee.\"}")},
		{Name: "a", Arguments: json.RawMessage(`{"rationale":"To see.", oops`)},
	}}, {Text: "done"}}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	for i, c := range of[session.ToolCalled](rec) {
		assert.Equal(t, session.FromModel, c.Rationale.Source, i)
		assert.Contains(t, c.Rationale.Text.String(), "see.", i)
	}
	ends := of[session.ToolReturned](rec)
	byCall := map[string]session.Outcome{}
	for _, e := range ends {
		byCall[e.Call] = e.Outcome
	}
	assert.Equal(t, map[string]session.Outcome{
		"call_1": session.Success, "call_2": session.Success, "call_3": session.Success, "call_4": session.Errored,
	}, byCall)
}
