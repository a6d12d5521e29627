package offline_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/offline"
)

// The table is the manual of the offline model: what to write, what is called, and
// what each call is expected to return. A reason begins with the request in quotes
// and the tool's description.
func TestMessagesAndTheirCalls(t *testing.T) {
	tools := builtin(t)
	for _, tt := range []struct{ name, message, call, expects string }{
		{"a word of the tool's name", "what time is it?", `time{}`, "the time it is now"},
		{"the verb of its description", "find Follow", `file_search{"query":"Follow"}`,
			"the places that hold “Follow”"},
		{"a word only its description has", "what is in the session folder?", `file_list{"path":"session"}`,
			"the names of what is there"},
		{"a file's name alone", "show me go.mod", `file_read{"path":"go.mod"}`, "the contents of go.mod"},
		{"a folder before its noun", "find the word Follow in the session folder",
			`file_search{"path":"session","query":"Follow"}`, "the places that hold “Follow” in session"},
		{"a folder in the middle", "search the session folder for Follow",
			`file_search{"path":"session","query":"Follow"}`, "the places that hold “Follow” in session"},
		{"a place after a preposition", "search for Follow in session",
			`file_search{"path":"session","query":"Follow"}`, "the places that hold “Follow” in session"},
		{"a place that is none in particular", "list the files in the workspace", `file_list{}`,
			"the names of what is there"},
		{"a bare name", "please list agent", `file_list{"path":"agent"}`, "the names of what is there"},
		{"quoted text, as it stands", `find “a and then b” in docs/x.md`,
			`file_search{"path":"docs/x.md","query":"a and then b"}`,
			"the places that hold “a and then b” in docs/x.md"},
		{"a code span", "read `my notes.txt`", `file_read{"path":"my notes.txt"}`, "the contents of my notes.txt"},
		{"a number", "read ./agent/doc.go from offset 100", `file_read{"offset":100,"path":"agent/doc.go"}`,
			"the contents of agent/doc.go"},
		{"an optional string, by its shape", "what time is it in Europe/Berlin", `time{"zone":"Europe/Berlin"}`,
			"the time it is now"},
		{"what remains of the request", "Remember that milk, eggs and bread are out.",
			`memory_save{"content":"milk, eggs and bread are out"}`, "a confirmation that it is kept"},
		{"what remains of a question", "what do you remember about the deploy?", `memory_search{"query":"deploy"}`,
			"the places that hold “deploy”"},
		{"an argument that may be left out", "search my notes", `memory_search{"query":"my notes"}`,
			"the places that hold “my notes”"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &conversation{t: t, tools: tools}
			lines, reasons := called(t, c.say(tt.message).Calls)
			require.Equal(t, []string{tt.call}, lines)
			request := strings.Trim(strings.TrimPrefix(tt.message, "please "), "?.")
			assert.Contains(t, reasons[0], "The request says “")
			assert.Contains(t, reasons[0], request+"”; ")
			assert.Contains(t, reasons[0], "so I expect "+tt.expects+".")
		})
	}
}

func TestAReasonQuotesTheRequestAndTheTool(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	got := c.say("find the word Follow in the session folder").Calls[0]
	_, reasons := called(t, []agent.Call{got})
	assert.Equal(t, "The request says “find the word Follow in the session folder”; file_search finds text in the "+
		"files of the workspace and gives the lines that hold it, so I expect the places that hold “Follow” in "+
		"session.", reasons[0])
	assert.Empty(t, got.Reasoning, "it stands in the arguments")

	c.tools = []agent.Spec{spec(t, "get_weather", "Get the weather of a city.", `{"city":{"type":"string"}}`, "city")}
	got = c.say("what is the weather in Paris?").Calls[0]
	assert.JSONEq(t, `{"city":"Paris"}`, string(got.Arguments))
	assert.Equal(t, "The request says “what is the weather in Paris”; get_weather is described as “get the weather of "+
		"a city”, so I expect a result that answers this.", got.Reasoning, "the schema has no property for it")
}

func TestMessagesAreSplitIntoStepsOfRequests(t *testing.T) {
	tools := builtin(t)
	for _, tt := range []struct {
		name, message string
		steps         []string
	}{
		{"and, before a verb of a tool", "what time is it and list agent",
			[]string{`time{} + file_list{"path":"agent"}`}},
		{"and, before a question", "list agent, and what time is it", []string{`file_list{"path":"agent"} + time{}`}},
		{"and, within text", "remember tea and cake", []string{`memory_save{"content":"tea and cake"}`}},
		{"then", "list agent, then read go.mod", []string{`file_list{"path":"agent"}`, `file_read{"path":"go.mod"}`}},
		{"and then, politely", "read a.md and then could you please read b.md",
			[]string{`file_read{"path":"a.md"}`, `file_read{"path":"b.md"}`}},
		{"sentences", "First read go.mod. Find candor!",
			[]string{`file_read{"path":"go.mod"} + file_search{"query":"candor"}`}},
		{"lines", "what time is it\nread go.mod", []string{`time{} + file_read{"path":"go.mod"}`}},
		{"then at the start", "then read go.mod, then", []string{`file_read{"path":"go.mod"}`}},
		{"a step that comes to nothing", "dance, then read go.mod", []string{`file_read{"path":"go.mod"}`}},
		{"what is not to be done", "do not read a.md, but read b.md", []string{`file_read{"path":"b.md"}`}},
		{"only punctuation", "?! “ …", []string{}},
		{"nothing", "", []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.steps, steps(t, tools, tt.message))
		})
	}
}

func TestANarrativeSaysWhatIsCalledForWhichWords(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	assert.Equal(t, "I call time for “what time is it” and file_read for “read go.mod”. None of these needs another's "+
		"result, so they run together. The rest of the request comes after that.",
		c.say("what time is it and read go.mod, then list agent, then dance").Text)
	assert.Equal(t, "Now I call file_list for “list agent”, which you asked for after the step before.",
		c.results("{}", "{}").Text)
}

func TestARequestThatLeadsToNoCallIsNamedInTheAnswer(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	c.say("hi, what time is it and what is the capital of France? Read it. Never read go.mod.")
	assert.Equal(t, `time: noon

None of my tools fits “what is the capital of France”.

For “Read it” I would use file_read, but I cannot tell its path from your words, so I did not call it.

None of my tools fits “Never read go.mod”.`, c.results("noon").Text)
}

func TestAMessageThatFitsNoToolIsAnsweredWithWhatTheModelCanDo(t *testing.T) {
	c := &conversation{t: t, tools: append(builtin(t), agent.Spec{Name: "ping"})}
	assert.Equal(t, `None of my tools fits “tell me a joke”.

I am Candor's offline model: no language model, only rules that match your words to tools. I can use:
- time: tells the current date, time and weekday
- file_list: lists the files and folders in a folder of the workspace
- file_read: reads the contents of a text file in the workspace, up to 64 KiB a call
- file_search: finds text in the files of the workspace and gives the lines that hold it
- memory_save: remembers a note for the user, beyond this conversation
- memory_search: finds what was remembered for the user in earlier notes
- ping

Say what you want done in the words of these descriptions and put exact text in quotes. `+
		"“And” joins requests that can run at once, “then” one that has to wait.", c.say("tell me a joke").Text)
}

func TestWordsThatSayTooLittleLeadToNoTool(t *testing.T) {
	tools := builtin(t)
	for name, message := range map[string]string{
		"a word that several descriptions have": "the workspace is large",
		"such a word, repeated":                 "a workspace in a workspace is large",
		"the name of a tool in quotes":          "say “time”",
		"small words":                           "what is this and how are you",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, steps(t, tools, message))
		})
	}
}

func TestWithoutToolsTheModelAnswersInText(t *testing.T) {
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

func TestOnlyTheLastUserMessageCounts(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	first := c.say("what time is it").Calls[0].ID
	c.results(`"noon"`)
	got := c.say("read go.mod")
	lines, _ := called(t, got.Calls)
	assert.Equal(t, []string{`file_read{"path":"go.mod"}`}, lines)
	assert.NotEqual(t, first, got.Calls[0].ID, "ids differ within a conversation")
	c.messages = append(c.messages,
		agent.Message{Role: agent.RoleTool, CallID: got.Calls[0].ID, Text: `"module candor"`},
		agent.Message{Role: agent.RoleSystem, Text: "You are close to the limit."})
	assert.Equal(t, "file_read (path “go.mod”): module candor", c.respond().Text)
}

func TestTheSameConversationGetsTheSameResponse(t *testing.T) {
	tools := append(builtin(t), foreign(t)...)
	const message = "what time is it, find x in agent, create an issue `a` and add 2 and 3, then read a.md"
	first := (&conversation{t: t, tools: tools}).say(message)
	require.Len(t, first.Calls, 4)
	for range 20 {
		require.Equal(t, first, (&conversation{t: t, tools: tools}).say(message))
	}
}

func TestACanceledContextStopsTheModel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := offline.New().Respond(ctx, agent.Request{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestCallsOfOneStepAreBounded(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	got := c.say(strings.Repeat("what time is it? ", 12) + "Find Follow.")
	require.Len(t, got.Calls, 12)
	assert.Contains(t, c.results(slices.Repeat([]string{"1"}, 12)...).Text,
		"I make at most 12 calls at once and left out “Find Follow”.")
}

func TestARequestNotToDoSomethingLeadsToNoCall(t *testing.T) {
	tools := builtin(t)
	for _, message := range []string{
		"don't list the files", "Don’t list the files", "never list the files", "please don't list the files",
		"do not list the files", "dont read go.mod",
	} {
		assert.Empty(t, steps(t, tools, message), "%q", message)
	}
	assert.NotEmpty(t, steps(t, tools, "list the files"))
}

func TestQuotedWordsLeadToNoTool(t *testing.T) {
	tools := builtin(t)
	for _, message := range []string{`"list"`, `“time”`, "`time`"} {
		assert.Empty(t, steps(t, tools, message), "%q", message)
	}
}

func TestCallsOfTwoTurnsHaveDifferentIDs(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	first := c.say("what time is it, and list the files").Calls
	require.Len(t, first, 2)
	assert.NotEqual(t, first[0].ID, first[1].ID)
	c.results("noon", "{}")
	second := c.say("what time is it?").Calls
	require.Len(t, second, 1)
	assert.NotContains(t, []string{first[0].ID, first[1].ID}, second[0].ID)
}

func TestTheReadPartOfAMessageIsBounded(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	c.say("what time is it? " + strings.Repeat("word ", 2000) + ". Find Follow.")
	answer := c.results("noon").Text
	assert.Contains(t, answer, "Your message is long; I read its first 2000 words only.")
	assert.NotContains(t, answer, "Follow")
}

func FuzzEveryMessageLeadsToValidCallsOrAnAnswer(f *testing.F) {
	tools := append(builtin(f), foreign(f)...)
	for _, message := range []string{
		"what time is it, and find the word Follow in the session folder", "list the files in agent, then read go.mod",
		`find "a" and 'b' then read it`, "don't read go.mod", "in in in", "and then, then", "“", "the word",
		"add 1e999 and 0x1", "\xff\xfe find \xff", "read http://[", "find “\xc3” in ./", "add Inf and NaN", "ping ping",
	} {
		f.Add(message, `{"matches":[{"path":"a"}]}`)
	}
	f.Fuzz(func(t *testing.T, message, result string) {
		c := &conversation{t: t, tools: tools}
		got := c.say(message)
		for step := 0; len(got.Calls) > 0; step++ {
			require.Less(t, step, 2000)
			called(t, got.Calls)
			for _, call := range got.Calls {
				require.True(t, utf8.Valid(call.Arguments), "%q", call.Arguments)
			}
			got = c.results(slices.Repeat([]string{result}, len(got.Calls))...)
		}
		require.NotEmpty(t, got.Text)
	})
}

func TestTheLineThatNamesTheAuthorOfAMessageIsNoRequest(t *testing.T) {
	alone := conversation{t: t, tools: builtin(t)}
	shared := conversation{t: t, tools: builtin(t)}
	assert.Equal(t, alone.say("What time is it?"), shared.say("From anna:\nWhat time is it?"))
	assert.Equal(t, alone.results(`"noon"`), shared.results(`"noon"`))
}
