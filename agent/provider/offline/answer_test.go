package offline_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

func TestResultsInTheAnswer(t *testing.T) {
	const list, read, find, now = "list agent", "read a.md", "find Follow", "what time is it"
	for _, tt := range []struct{ name, message, result, want string }{
		{"scalars stand in a row", now, `{"at":"12:00","zone":"UTC","late":false}`,
			"time: at 12:00, zone UTC, late false."},
		{"a list has its length and its items", find,
			`{"matches":[{"path":"a.go","line":3,"text":"func Follow() {}"}],"files_searched":2}`,
			"file_search (query “Follow”): 1 match, files searched 2:\n- a.go, line 3, func Follow() {}"},
		{"an empty list is said to be empty", find, `{"matches":[]}`, "file_search (query “Follow”): no matches."},
		{"a long list is cut", list, `[` + strings.Repeat(`"x",`, 11) + `null]`,
			"file_list (path “agent”): 12 results (the first 10 are below):" + strings.Repeat("\n- x", 10)},
		{"one item is singular", list, `{"files":[7]}`, "file_list (path “agent”): 1 file:\n- 7"},
		{"lines of text stand below", read, `{"path":"a.md","text":"one\ntwo\n","size":8}`,
			"file_read (path “a.md”): size 8:\none\ntwo"},
		{"nothing but lines of text", read, `{"text":"one\ntwo"}`, "file_read (path “a.md”):\none\ntwo"},
		{"a long text is cut", read, `"` + strings.Repeat(`l\n`, 20) + `"`,
			"file_read (path “a.md”): " + strings.Repeat("l\n", 12) + "… (8 more)"},
		{"what the arguments say is not repeated", list, `{"path":"agent","note":null}`,
			"file_list (path “agent”): done."},
		{"an empty object is done", list, `{}`, "file_list (path “agent”): done."},
		{"nested values stand on one line", list, `{"a":{"b":1,"c":[1,2],"d":"e"}}`,
			"file_list (path “agent”): a b 1, c (2 items), e."},
		{"a number", now, `7`, "time: 7"},
		{"no JSON", now, "noon", "time: noon"},
		{"no text", now, " ", "time gave no result."},
		{"a failure", read, "Tool 'file_read' failed: there is no \"a.md\"",
			`file_read (path “a.md”) failed: there is no "a.md"`},
		{"a number among the arguments", "read a.md from 5", `1`, "file_read (path “a.md”, offset 5): 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &conversation{t: t, tools: builtin(t)}
			require.Len(t, c.say(tt.message).Calls, 1)
			assert.Equal(t, tt.want, c.results(tt.result).Text)
		})
	}
}

func TestResultsFindTheirCallsByID(t *testing.T) {
	c := &conversation{t: t, tools: builtin(t)}
	calls := c.say("what time is it and read a.md").Calls
	c.messages = append(c.messages, agent.Message{Role: agent.RoleTool, CallID: calls[1].ID, Text: "one"},
		agent.Message{Role: agent.RoleTool, CallID: calls[0].ID, Text: "noon"})
	assert.Equal(t, "time: noon\n\nfile_read (path “a.md”): one", c.respond().Text)
}

// Redaction comes after the model: a credential that the model cut in half would
// not be recognized any more.
func TestLongTextsAreCutBetweenWords(t *testing.T) {
	word := strings.Repeat("k", 100)
	for name, text := range map[string]string{"two words": word + " " + word, "one word": word + word} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{t: t, tools: builtin(t)}
			got := c.say("find " + text + " in agent")
			_, reasons := called(t, got.Calls)
			answer := c.results(`{"a":"` + strings.Repeat(word, 20) + `","b":"` + word + " " + word + `"}`).Text
			for _, run := range regexp.MustCompile("k{9,}").FindAllString(got.Text+reasons[0]+answer, -1) {
				assert.Len(t, run, len(word))
			}
			assert.Contains(t, answer, "(a word of 2000 bytes)")
		})
	}
}
