package offline_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/offline"
	"candor/agent/tool"
	"candor/safety"
)

// builtin is the built-in tools as a toolbox shows them to a model.
func builtin(t testing.TB) []agent.Spec {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return shown(t, tool.Builtin(root, safety.NewLayer())...)
}

func shown(t testing.TB, tools ...agent.Tool) []agent.Spec {
	t.Helper()
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace(tools...))
	return box.Specs()
}

// conversation plays the user and the dispatcher to the model.
type conversation struct {
	t        testing.TB
	tools    []agent.Spec
	messages []agent.Message
}

func (c *conversation) say(text string) agent.Response {
	c.messages = append(c.messages, agent.Message{Role: agent.RoleUser, Text: text})
	return c.respond()
}

func (c *conversation) respond() agent.Response {
	c.t.Helper()
	got, err := offline.New().Respond(context.Background(), agent.Request{Messages: c.messages, Tools: c.tools})
	require.NoError(c.t, err)
	c.messages = append(c.messages, agent.Message{Role: agent.RoleAssistant, Text: got.Text, Calls: got.Calls})
	return got
}

// results answers the last calls, in order.
func (c *conversation) results(texts ...string) agent.Response {
	calls := c.messages[len(c.messages)-1].Calls
	require.Len(c.t, texts, len(calls))
	for i, text := range texts {
		c.messages = append(c.messages, agent.Message{Role: agent.RoleTool, CallID: calls[i].ID, Text: text})
	}
	return c.respond()
}

// wishes are calls as name{arguments}, the reason taken out. Each has to have
// one.
func wishes(t testing.TB, calls []agent.Call) []string {
	t.Helper()
	out := []string{}
	for _, c := range calls {
		var args map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(c.Arguments, &args))
		reason := c.Reasoning
		if raw, ok := args["rationale"]; ok {
			require.True(t, strings.HasPrefix(string(c.Arguments), `{"rationale":`), "the reason comes first: %s", c.Arguments)
			require.NoError(t, json.Unmarshal(raw, &reason))
			delete(args, "rationale")
		}
		assert.NotEmpty(t, strings.TrimSpace(reason), "%s has no reason", c.Name)
		rest, err := json.Marshal(args)
		require.NoError(t, err)
		out = append(out, c.Name+string(rest))
	}
	return out
}

// steps are the calls of each step until the model answers, all of them
// returning an empty object.
func steps(t testing.TB, tools []agent.Spec, text string) [][]string {
	t.Helper()
	c := &conversation{t: t, tools: tools}
	got := c.say(text)
	out := [][]string{}
	for len(got.Calls) > 0 {
		require.Less(t, len(out), 20)
		assert.NotEmpty(t, got.Text, "calls come with a narrative")
		out = append(out, wishes(t, got.Calls))
		got = c.results(slices.Repeat([]string{"{}"}, len(got.Calls))...)
	}
	assert.NotEmpty(t, got.Text)
	return out
}

func one(calls ...string) [][]string { return [][]string{calls} }

func TestWhatWordsLeadTo(t *testing.T) {
	tools := builtin(t)
	for words, want := range map[string][][]string{
		"what time is it, and find the word Follow in the session folder": one(
			`time{}`, `file_search{"path":"session","query":"Follow"}`),
		"list the files in agent, then read go.mod": {
			{`file_list{"path":"agent"}`}, {`file_read{"path":"go.mod"}`}},
		"remember that the deploy is on Friday":      one(`memory_save{"content":"the deploy is on Friday"}`),
		"what do you remember about the deploy":      one(`memory_search{"query":"deploy"}`),
		"thanks":                                     {},
		"Thanks!":                                    {},
		"hello":                                      {},
		"what can you do?":                           {},
		"What time is it?":                           one(`time{}`),
		"what's the time":                            one(`time{}`),
		"tell me the time please":                    one(`time{}`),
		"what day is it today":                       one(`time{}`),
		"What time is it in Tokyo?":                  one(`time{"zone":"Asia/Tokyo"}`),
		"what time is it in Europe/Berlin":           one(`time{"zone":"Europe/Berlin"}`),
		"time in New York":                           one(`time{"zone":"America/New_York"}`),
		"what time is it in Tokyo and London":        one(`time{"zone":"Asia/Tokyo"}`, `time{"zone":"Europe/London"}`),
		"what time is it and what files are there":   one(`time{}`, `file_list{}`),
		"list the files":                             one(`file_list{}`),
		"list files in the workspace":                one(`file_list{}`),
		"show me the files in agent":                 one(`file_list{"path":"agent"}`),
		"ls agent/tool":                              one(`file_list{"path":"agent/tool"}`),
		"what is in the session folder?":             one(`file_list{"path":"session"}`),
		"which files are in agent/tool?":             one(`file_list{"path":"agent/tool"}`),
		"can you please list the folder docs":        one(`file_list{"path":"docs"}`),
		"read go.mod":                                one(`file_read{"path":"go.mod"}`),
		"Could you read the file session/log.go?":    one(`file_read{"path":"session/log.go"}`),
		"show me go.mod":                             one(`file_read{"path":"go.mod"}`),
		"open LICENSE":                               one(`file_read{"path":"LICENSE"}`),
		"what does go.mod say?":                      one(`file_read{"path":"go.mod"}`),
		"what is in README.md":                       one(`file_read{"path":"README.md"}`),
		"read go.mod and go.sum":                     one(`file_read{"path":"go.mod"}`, `file_read{"path":"go.sum"}`),
		"read `my notes.txt`":                        one(`file_read{"path":"my notes.txt"}`),
		"read ./agent/doc.go from offset 100":        one(`file_read{"offset":100,"path":"agent/doc.go"}`),
		"cat go.mod; what time is it":                one(`file_read{"path":"go.mod"}`, `time{}`),
		"find Follow":                                one(`file_search{"query":"Follow"}`),
		"search for Follow in session":               one(`file_search{"path":"session","query":"Follow"}`),
		`find "append only" in the files`:            one(`file_search{"query":"append only"}`),
		`find “a and then b” in docs/x.md`:           one(`file_search{"path":"docs/x.md","query":"a and then b"}`),
		"grep TODO in agent":                         one(`file_search{"path":"agent","query":"TODO"}`),
		"which files mention Follow?":                one(`file_search{"query":"Follow"}`),
		"where is Follow defined?":                   one(`file_search{"query":"Follow"}`),
		"look for the word time in agent/tool":       one(`file_search{"path":"agent/tool","query":"time"}`),
		"find the words Follow and Append in agent":  one(`file_search{"path":"agent","query":"Follow"}`, `file_search{"path":"agent","query":"Append"}`),
		"find the phrase on purpose in README.md":    one(`file_search{"path":"README.md","query":"on purpose"}`),
		"search the session folder for Follow":       one(`file_search{"path":"session","query":"Follow"}`),
		"find the function Follow case sensitive":    one(`file_search{"case_sensitive":true,"query":"Follow"}`),
		"please remember: milk, eggs and bread":      one(`memory_save{"content":"milk, eggs and bread"}`),
		"Remember the deploy is on Friday.":          one(`memory_save{"content":"the deploy is on Friday"}`),
		"note that the list of files is long":        one(`memory_save{"content":"the list of files is long"}`),
		"don't forget that the build is slow":        one(`memory_save{"content":"the build is slow"}`),
		"save a note: call Ann":                      one(`memory_save{"content":"call Ann"}`),
		"do you remember when the deploy is?":        one(`memory_search{"query":"deploy"}`),
		"search your memory for the deploy":          one(`memory_search{"query":"deploy"}`),
		"what do you remember?":                      one(`memory_search{}`),
		"what did I tell you about the build?":       one(`memory_search{"query":"build"}`),
		"remember that it rains and read go.mod":     one(`memory_save{"content":"it rains"}`, `file_read{"path":"go.mod"}`),
		"First read go.mod. After that, find candor": {{`file_read{"path":"go.mod"}`}, {`file_search{"query":"candor"}`}},
		"read go.mod and then tell me the time":      {{`file_read{"path":"go.mod"}`}, {`time{}`}},
		"read a.md, then b.md and c.md then list x/": {
			{`file_read{"path":"a.md"}`}, {`file_read{"path":"b.md"}`, `file_read{"path":"c.md"}`}, {`file_list{"path":"x"}`}},
		"don't read go.mod":                      {},
		"do not list the files, but read go.mod": one(`file_read{"path":"go.mod"}`),
		"I like files":                           {},
		"this is the first time I use this":      {},
		"the deploy is on Friday":                {},
		"read it":                                {},
		"what is the capital of France?":         {},
		"":                                       {},
		"?!":                                     {},
		"what's in agent and session?":           one(`file_list{"path":"agent"}`, `file_list{"path":"session"}`),
		"list agent and session":                 one(`file_list{"path":"agent"}`, `file_list{"path":"session"}`),
		"list the files in agent and in session": one(`file_list{"path":"agent"}`, `file_list{"path":"session"}`),
		"list agent,session":                     one(`file_list{"path":"agent"}`, `file_list{"path":"session"}`),
		"what's here?":                           one(`file_list{}`),
		"list everything":                        one(`file_list{}`),
		"tell me what is in session and read a.go afterwards": {
			{`file_list{"path":"session"}`}, {`file_read{"path":"a.go"}`}},
		"where does the code use os.Root?":           one(`file_search{"query":"os.Root"}`),
		`find "jsonschema" and also the word Follow`: one(`file_search{"query":"jsonschema"}`, `file_search{"query":"Follow"}`),
		`find "x" in a.go and tell me the time`:      one(`file_search{"path":"a.go","query":"x"}`, `time{}`),
		"show me the first 3 notes about the deploy": one(`memory_search{"limit":3,"query":"deploy"}`),
		"My name is Kim. Please remember it.":        one(`memory_save{"content":"My name is Kim"}`),
		"remember it":                                {},
		"remember that we ship, and that it rains":   one(`memory_save{"content":"we ship, and that it rains"}`),
		"what is my favourite colour?":               one(`memory_search{"query":"favourite colour"}`),
		"tell me what you know about the deploy":     one(`memory_search{"query":"deploy"}`),
		"read go.mod, read go.mod and read go.mod":   one(`file_read{"path":"go.mod"}`),
		"how are you":                                       {},
		"WHAT TIME IS IT":                                   one(`time{}`),
		"what’s the time":                                   one(`time{}`),
		"what time is it\nread go.mod":                      one(`time{}`, `file_read{"path":"go.mod"}`),
		"if it rains then take an umbrella":                 {},
		"Let me know what you've stored about deployments.": one(`memory_search{"query":"deployments"}`),
		`save "call mum" to memory`:                         one(`memory_save{"content":"call mum"}`),
		"store the deploy is on Friday in your notes":       one(`memory_save{"content":"the deploy is on Friday"}`),
		"make a note that standup is at 9":                  one(`memory_save{"content":"standup is at 9"}`),
		"open a/b.go and find Apply in it":                  one(`file_read{"path":"a/b.go"}`, `file_search{"path":"a/b.go","query":"Apply"}`),
		"list agent, then find Apply in there":              {{`file_list{"path":"agent"}`}, {`file_search{"path":"agent","query":"Apply"}`}},
		"which package defines Layer?":                      one(`file_search{"query":"Layer"}`),
		"search session for Follow":                         one(`file_search{"path":"session","query":"Follow"}`),
		"what time is it;find Follow":                       one(`time{}`, `file_search{"query":"Follow"}`),
	} {
		t.Run(words, func(t *testing.T) {
			assert.Equal(t, want, steps(t, tools, words))
		})
	}
}
