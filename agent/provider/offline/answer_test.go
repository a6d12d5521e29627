package offline_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/offline"
)

func TestAReasonSaysWhichWordsLedToTheCall(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	got := c.say("find the word Follow in the session folder")
	var args struct{ Rationale string }
	require.NoError(t, json.Unmarshal(got.Calls[0].Arguments, &args))
	assert.Equal(t, "The request says “find the word Follow in the session folder”; file_search finds text in the files of "+
		"the workspace and gives the lines that hold it, so I expect the places that hold “Follow” in session.", args.Rationale)
	assert.Empty(t, got.Calls[0].Reasoning)
}

func TestWithoutAPlaceInTheArgumentsTheReasonStandsBesideThem(t *testing.T) {
	bare := []agent.Spec{{Name: "get_weather", Description: "Get the weather of a city.", Schema: &jsonschema.Schema{
		Type: "object", Required: []string{"city"},
		Properties: map[string]*jsonschema.Schema{"city": {Type: "string"}},
	}}}
	c := &conversation{t: t, tools: bare}
	call := c.say("what is the weather in Paris?").Calls[0]
	assert.JSONEq(t, `{"city":"Paris"}`, string(call.Arguments))
	assert.Equal(t, "The request says “what is the weather in Paris”; get_weather is described as “get the weather of a city”, "+
		"so I expect a result that answers this.", call.Reasoning)
}

func TestANarrativeSaysWhatAndWhyTogether(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	assert.Equal(t, "I call time for “what time is it” and file_read for “read go.mod”. None of these needs another's "+
		"result, so they run together. The rest of the request comes after that.",
		c.say("what time is it and read go.mod, then list agent").Text)
	assert.Equal(t, "Now I call file_list for “list agent”, which you asked for after the step before.",
		c.results("{}", "{}").Text)
}

func TestALaterStepTakesWhatAnEarlierOneFound(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	c.say("find the word Follow in session, then read the first file")
	got := c.results(`{"matches":[{"path":"session/log.go","line":3,"text":"Follow"},{"path":"session/x.go"}]}`)
	assert.Equal(t, "Now I call file_read for “read the first file”, with what file_search found.", got.Text)
	assert.Equal(t, []string{`file_read{"path":"session/log.go"}`}, wishes(t, got.Calls))
	assert.Contains(t, string(got.Calls[0].Arguments), "its path is what file_search found")

	c.say("find Follow then read all of them")
	got = c.results(`{"matches":[{"path":"a.go"},{"path":"b.go"},{"path":"a.go"}]}`)
	assert.Equal(t, []string{`file_read{"path":"a.go"}`, `file_read{"path":"b.go"}`}, wishes(t, got.Calls))

	c.say("find Follow then read it")
	got = c.results(`{"matches":[],"files_searched":9}`)
	assert.Empty(t, got.Calls)
	assert.Equal(t, "file_search (query “Follow”): no matches, files searched 9.\n\nFor “read it” I would use file_read, but "+
		"I cannot tell its path from your words or from the results before, so I did not call it.", got.Text)
}

func TestAnswersComeFromTheResults(t *testing.T) {
	for name, c := range map[string]struct{ say, result, want string }{
		"scalars": {"what time is it", `{"time":"12:00","zone":"UTC","late":false}`, "time: 12:00, zone UTC, late no."},
		"a list": {"find Follow", `{"matches":[{"path":"a.go","line":3,"text":"func Follow() {}"}],"files_searched":2}`,
			"file_search (query “Follow”): 1 match, files searched 2:\n- a.go (line 3): func Follow() {}"},
		"a long list": {"list agent", `[` + strings.Repeat(`"x",`, 11) + `null]`,
			"file_list (path “agent”): 12 results (the first 10 are below):" + strings.Repeat("\n- x", 10)},
		"text": {"read a.md", `{"path":"a.md","text":"one\ntwo\n","size":8}`, "file_read (path “a.md”): size 8:\none\ntwo"},
		"a long text": {"read a.md", `"` + strings.Repeat(`l\n`, 20) + `"`,
			"file_read (path “a.md”): " + strings.Repeat("l\n", 12) + "… and 8 lines more"},
		"what was kept":   {"remember that it rains", `{"saved":"it rains","notes":2}`, "memory_save (content “it rains”): saved, notes 2."},
		"nesting":         {"list agent", `{"a":{"b":1,"c":[1,2]},"d":null}`, "file_list (path “agent”):\na: 1 (c 2 items)"},
		"a number":        {"what time is it", `7`, "time: 7."},
		"null":            {"what time is it", `null`, "time: nothing."},
		"nothing new":     {"list agent", `{"path":"agent"}`, "file_list (path “agent”): done."},
		"an empty object": {"list agent", `{}`, "file_list (path “agent”): done."},
		"no JSON":         {"what time is it", "noon", "time: noon"},
		"no text":         {"what time is it", " ", "time gave an empty result."},
		"a failure": {"read a.md", "Tool 'file_read' failed: there is no \"a.md\"",
			`file_read (path “a.md”) failed: there is no "a.md"`},
	} {
		t.Run(name, func(t *testing.T) {
			conv := &conversation{t: t, tools: builtin(t)}
			require.Len(t, conv.say(c.say).Calls, 1)
			assert.Equal(t, c.want, conv.results(c.result).Text)
		})
	}
}

func TestAnAnswerSaysWhatWasNotDone(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	c.say("what time is it and what is the capital of France? Don't read go.mod. Read it.")
	assert.Equal(t, `time: noon

None of my tools fits “what is the capital of France”.

I left this alone, as you asked: “Don't read go.mod”.

For “Read it” I would use file_read, but I cannot tell its path from your words, so I did not call it.`,
		c.results("noon").Text)
}

func TestWithNothingToDoItSaysWhatItIs(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	got := c.say("thanks!").Text
	assert.Equal(t, `You're welcome.

I am Candor's offline model: no language model, only rules that match your words to tools. I can use time, file_list, file_read, file_search, memory_save and memory_search.

Say what you want done in plain words and put exact text in quotes. “And” joins wishes that can be done at once, “then” one that has to wait.`, got)
	assert.Contains(t, c.say("what can you do?").Text, "\n- file_search: finds text in the files of the workspace")
}

func TestWithoutToolsItAnswersInText(t *testing.T) {
	c := &conversation{t: t}
	got := c.say("what time is it?")
	assert.Empty(t, got.Calls)
	assert.Contains(t, got.Text, "I have no tools to work with")

	c.tools = builtin(t)
	c.say("what time is it, then read go.mod")
	c.tools = nil
	got = c.results(`"noon"`)
	assert.Empty(t, got.Calls)
	assert.Equal(t, "time: noon\n\nI stop here, since no more tools are offered.", got.Text)
}

func TestOnlyTheLastRequestCounts(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	first := c.say("what time is it").Calls[0].ID
	c.results(`"noon"`)
	got := c.say("read go.mod")
	assert.Equal(t, []string{`file_read{"path":"go.mod"}`}, wishes(t, got.Calls))
	assert.NotEqual(t, first, got.Calls[0].ID, "ids differ in a conversation")
	assert.NotContains(t, c.results(`"module candor"`).Text, "noon")
}

func TestASystemMessageIsNoNewRequest(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	c.say("what time is it, then read go.mod")
	c.messages = append(c.messages, agent.Message{Role: agent.RoleTool, CallID: "other id", Text: `"noon"`},
		agent.Message{Role: agent.RoleSystem, Text: "You are close to the limit."})
	assert.Equal(t, []string{`file_read{"path":"go.mod"}`}, wishes(t, c.respond().Calls))
	assert.Contains(t, c.results(`"x"`).Text, "time: noon", "a result finds its call by place where ids do not match")
}

func TestTheSameConversationGetsTheSameAnswer(t *testing.T) {
	tools := builtin(t)
	for range 20 {
		a, b := &conversation{t: t, tools: tools}, &conversation{t: t, tools: tools}
		const text = "what time is it in Tokyo and London, find the word x in agent, then read it"
		require.Equal(t, a.say(text), b.say(text))
	}
}

func TestItStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := offline.New().Respond(ctx, agent.Request{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestWhatIsShownIsNotCutWithinAWord(t *testing.T) {
	word := strings.Repeat("k", 100)
	for _, text := range []string{"find " + word + " " + word + " in agent", "find " + word + word + " in agent"} {
		c := &conversation{t: t, tools: builtin(t)}
		got := c.say(text)
		seen := got.Text + string(got.Calls[0].Arguments[:strings.Index(string(got.Calls[0].Arguments), `","query"`)]) +
			c.results(`{"a":"`+strings.Repeat(word, 20)+`","b":"`+word+" "+word+`"}`).Text
		for _, run := range regexp.MustCompile("k{9,}").FindAllString(seen, -1) {
			assert.Len(t, run, len(word))
		}
	}
}

func TestANarrativeAnnouncesOnlyWhatWillBeDone(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	assert.NotContains(t, c.say("what time is it, then thanks").Text, "after that")
	assert.Contains(t, c.say("what time is it, then read a.md").Text, "comes after that")
}

func TestAVeryLongRequestIsBounded(t *testing.T) {
	tools := builtin(t)
	for _, part := range []string{"in ", "the ", "'a ", "read it then ", "what time is it? ", "find x and ", `"q" `, "a.md ", "don't "} {
		c := &conversation{t: t, tools: tools}
		got := c.say("read " + strings.Repeat(part, 1<<20/len(part)))
		assert.LessOrEqual(t, len(got.Calls), 12)
	}
}
