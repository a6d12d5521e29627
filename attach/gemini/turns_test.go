package gemini_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/attachtest"
	"candor/attach/gemini"
)

func TestTurnsEndHoweverTheProgramWritesIt(t *testing.T) {
	calls := message("a1", "gemini", `"toolCalls":[{"id":"c","name":"t","status":"executing"}]`)
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"with an answer":          {message("a1", "gemini", `"content":"No."`), []string{"Why? ended: No."}},
		"in the middle of a call": {calls, []string{"Why? ended:"}},
		"with the prompt":         {"", []string{"Why? ended:"}},
		"with an error": {message("e", "error", `"content":"[API Error: quota]"`),
			[]string{"Why? failed: [API Error: quota]"}},
		"with an error and a prompt": {message("e", "error", `"content":"quota"`) + message("p2", "user",
			`"content":"Go"`), []string{"Why? failed: quota", "Go ended:"}},
		"with an answer and an error": {message("e", "error", `"content":"busy"`) + message("a1", "gemini",
			`"content":"No."`), []string{"Why? ended: No."}},
		"by a person": {calls + message("i", "info", `"content":"Request cancelled."`),
			[]string{"Why? stopped"}},
		"before a lost prompt": {message("a1", "gemini", `"content":"No."`) + "{\n" + message("a2", "gemini",
			`"content":"Yes."`),
			[]string{"Why? ended:", "ended: Yes."}},
		"before a command of the client": {message("a1", "gemini", `"content":"No."`) + message("p2", "user",
			`"content":"/clear"`),
			[]string{"Why? ended: No."}},
		"before a command of a shell": {message("a1", "gemini", `"content":"No."`) +
			message("p2", "user", `"content":"I ran the following shell command:\nls"`), []string{"Why? ended: No."}},
		"before a command that the model answers": {message("p2", "user", `"content":"/review all"`) +
			message("a1", "gemini", `"content":"Good."`), []string{"Why? ended:", "/review all ended: Good."}},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, prompted+c.rows)
			assert.Equal(t, c.want, attachtest.Turns(list, false))
		})
	}
}

// TestMessagesAndCallsWithEqualOrEmptyIdsStayApart holds for providers that name nothing, or everything alike.
func TestMessagesAndCallsWithEqualOrEmptyIdsStayApart(t *testing.T) {
	answer := func(id string, second int, call, result string) string {
		return fmt.Sprintf(`{"id":%q,"type":"gemini","timestamp":"2026-11-20T09:00:%02dZ","content":%q,`+
			`"toolCalls":[{"id":%q,`+
			`"name":"t","status":"success","result":%q}]}`+"\n", id, second, "Before "+result, call, result)
	}
	for name, ids := range map[string][3]string{
		"one id of all calls": {"a1", "a2", "call_0"}, "no id of a call": {"a1", "a2", ""}, "no id of anything": {"",
			"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			first := answer(ids[0], 1, ids[2], "one")
			list, report := read(t, prompted+first+first+answer(ids[1], 2, ids[2], "two"))
			assert.Zero(t, report.Malformed)
			results := map[string]string{}
			for _, s := range list {
				attachtest.AssertSound(t, s, 128)
				if s.Returned != nil {
					results[s.Call] = string(s.Returned.Result)
				}
			}
			assert.Len(t, results, 2, "each call once, though a row stands there twice")
		})
	}
}

// TestSubAgentsSideBySideHandBackWhenTheyEnded holds that the end of a sub-agent has a time though that of its call is
// not known.
func TestSubAgentsSideBySideHandBackWhenTheyEnded(t *testing.T) {
	sub := func(second int) []byte {
		return fmt.Appendf(nil, `{"sessionId":"x","projectHash":"h","kind":"subagent"}`+"\n"+
			`{"id":"b%d","type":"gemini","timestamp":"2026-11-20T09:01:%02dZ","content":"Seen."}`+"\n", second, second)
	}
	project := fstest.MapFS{"chats/s/one.jsonl": {Data: sub(1)}, "chats/s/two.jsonl": {Data: sub(2)}}
	var calls []string
	for _, id := range []string{"one", "two", "gone"} {
		calls = append(calls, fmt.Sprintf(`{"id":"c-%s","name":"invoke_agent","status":"success","agentId":%q,`+
			`"timestamp":"2026-11-20T09:01:09Z","result":"Seen."}`, id, id))
	}
	ended := map[string]string{}
	r := gemini.NewReader(project, false)
	text := prompted + message("a1", "gemini", `"toolCalls":[`+strings.Join(calls, ",")+`]`)
	for s, err := range r.Read(strings.NewReader(text)) {
		require.NoError(t, err)
		if s.Ended != nil && s.Sub != "" {
			ended[s.Sub] = s.At.Format(time.TimeOnly)
		}
	}
	assert.Equal(t, map[string]string{"one": "09:01:01", "two": "09:01:02", "gone": "09:01:09"}, ended)
}

// TestTheFolderStandsInWhatTheProgramTellsTheModel holds for a file that was moved out of its project.
func TestTheFolderStandsInWhatTheProgramTellsTheModel(t *testing.T) {
	const newer = `<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /home/ann/p\n  ` +
		`- /tmp/x\n</session_context>`
	const older = `This is the Gemini CLI. We are setting up the context for our chat.\n  I'm currently working ` +
		`in the directory: /home/ann/p\nx`
	for name, row := range map[string]string{
		"a message":        message("m", "user", `"content":[{"text":"`+newer+`"}]`),
		"an older message": message("m", "user", `"content":[{"text":"`+older+`"}]`),
		"a set of messages": `{"$set":{"messages":[` + strings.TrimSpace(message("m", "user",
			`"content":"`+newer+`"`)) + `]}}` + "\n",
	} {
		var folders []string
		for s, err := range gemini.NewReader(nil, false).Read(strings.NewReader(begin + row + row)) {
			require.NoError(t, err)
			if s.About != nil {
				folders = append(folders, s.About.Folder)
			}
		}
		assert.Equal(t, []string{"/home/ann/p"}, folders, name)
	}
}
