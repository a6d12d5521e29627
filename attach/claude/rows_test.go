package claude_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/claude"
)

// last returns the last sighting of rows.
func last(t *testing.T, rows ...string) attach.Sighting {
	t.Helper()
	list, _ := read(t, strings.Join(rows, ""), nil)
	require.NotEmpty(t, list)
	return list[len(list)-1]
}

const said = `"type":"assistant","message":{"id":"m","model":"claude-x","content":`

func TestRowsOfAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		row  string
		want *attach.Prompted
	}{
		"a text": {`"type":"user","message":{"content":"Hi"}`, &attach.Prompted{Text: "Hi"}},
		"blocks": {`"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"text",` +
			`"text":"b"}]}`, &attach.Prompted{Text: "a\nb"}},
		"the program": {`"type":"user","isMeta":true,"message":{"content":"Hi"}`, nil},
		"a summary":   {`"type":"user","isCompactSummary":true,"message":{"content":"Hi"}`, nil},
		"nothing":     {`"type":"user","message":{"content":""}`, nil},
		"an image":    {`"type":"user","message":{"content":[{"type":"image"}]}`, nil},
		"a background end": {`"type":"user","origin":{"kind":"task-notification"},"message":{"content":"It ended"}`,
			&attach.Prompted{Text: "It ended", By: "task-notification"}},
		"an older one": {`"type":"user","message":{"content":"<task-notification>x"}`,
			&attach.Prompted{Text: "<task-notification>x", By: "task-notification"}},
		"a question about the program": {`"type":"user","message":{"content":"[Request interrupted by user] why?"}`,
			&attach.Prompted{Text: "[Request interrupted by user] why?"}},
		"a human": {`"type":"user","origin":{"kind":"human"},"message":{"content":"Hi"}`,
			&attach.Prompted{Text: "Hi"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, report := read(t, row(c.row+`,"promptId":"p","timestamp":"2026-11-20T09:00:00+01:00"`), nil)
			if c.want == nil {
				assert.Empty(t, list)
				assert.Len(t, report.Skipped, 1)
				return
			}
			require.Len(t, list, 2, "the message, and the end of its turn with the file")
			assert.Equal(t, c.want, list[0].Prompted)
			assert.Equal(t, "p", list[0].Turn)
			assert.Equal(t, time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC), list[0].At)
			assert.Equal(t, attach.File, list[0].Channel)
		})
	}
}

func TestRowsOfTheProgramsOwnAffairsAreNotLost(t *testing.T) {
	list, report := read(t, `{"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{}}}`+"\n"+
		row(`"type":"user","promptId":"p","message":{"content":"Hi"}`)+
		`{"type":"file-history-delta","trackingPath":"a.py","timestamp":"2026-11-23T17:48:45.668Z"}`+"\n"+
		`{"type":"user","message":{"content":"of no session"}}`+"\n", nil)
	require.Len(t, list, 2)
	assert.Equal(t, "Hi", list[0].Prompted.Text)
	assert.Equal(t, map[string]int{"file-history-snapshot": 1, "file-history-delta": 1}, report.Skipped)
	assert.Equal(t, 1, report.Malformed, "a message has to name its session")
}

func TestHowTurnsEnd(t *testing.T) {
	hi := row(`"type":"user","promptId":"p","message":{"content":"Hi"}`)
	assert.Equal(t, &attach.Ended{Interrupted: true},
		last(t, hi, row(`"type":"user","message":{"content":[{"type":"text",`+
			`"text":"[Request interrupted by user for tool use]"}]}`)).Ended)
	assert.Equal(t, &attach.Ended{Error: "API Error: 500"},
		last(t, hi, row(`"type":"assistant","isApiErrorMessage":true,"message":{"id":"e","model":"<synthetic>",`+
			`"content":[{"type":"text","text":"API Error: 500"}]}`)).Ended)
	whole := last(t, hi, row(said+`[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`),
		row(said+`[{"type":"text","text":"b"}],"stop_reason":"end_turn"},"apiBlockIndex":1`))
	assert.Equal(t, &attach.Ended{Answer: "a\n\nb"}, whole.Ended)
	assert.Equal(t, "p", whole.Turn)
	_, report := read(t, row(`"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text",`+
		`"text":"No response requested."}]}`), nil)
	assert.Equal(t, 1, report.Skipped["assistant synthetic"])
}

func TestUsageIsGivenOnceWithTheLargestOutput(t *testing.T) {
	list, _ := read(t, row(said+`[{"type":"text","text":"a"}],"usage":{"input_tokens":1,`+
		`"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":1}}`)+
		row(said+`[{"type":"text","text":"b"}],"usage":{"input_tokens":1,"cache_creation_input_tokens":2,`+
			`"cache_read_input_tokens":4,"output_tokens":9,"output_tokens_details":{"thinking_tokens":3}}}`)+
		row(said+`[{"type":"text","text":"c"}],"usage":{"output_tokens":5}}`)+
		row(said+`[{"type":"text","text":"c"}],"usage":{"input_tokens":-5,"output_tokens":50}}`), nil)
	var used []*attach.Used
	for _, s := range list {
		if s.Used != nil {
			used = append(used, s.Used)
		}
	}
	assert.Equal(t, []*attach.Used{{Input: 7, Output: 9, Cached: 4, Reasoning: 3}}, used)
}

func TestBlocksOfTheModel(t *testing.T) {
	redacted, report := read(t, row(said+`[{"type":"redacted_thinking","data":"abcdef"},`+
		`{"type":"server_tool_use","id":"x"},{"type":"tool_use","id":"n"},{"type":"tool_use","id":"c",`+
		`"name":"Bash"}]}`), nil)
	require.Len(t, redacted, 4, "what is known of the session, a seal, a call, and the end of the turn")
	assert.Equal(t, &attach.Sealed{Bytes: 6}, redacted[1].Sealed)
	assert.Equal(t, &attach.Called{Tool: "Bash"}, redacted[2].Called)
	assert.Equal(t, 3, redacted[2].Index)
	assert.Equal(t, 6, report.Sealed)
	assert.Equal(t, 1, report.Skipped["block server_tool_use"])
	assert.Equal(t, 1, report.Malformed, "a call without a tool")
}

func TestTitlesAreThoseOfTheSession(t *testing.T) {
	for _, r := range []string{`"type":"ai-title","aiTitle":"Ports"`, `"type":"custom-title","customTitle":"Ports"`,
		`"type":"summary","summary":"Ports"`} {
		assert.Equal(t, &attach.About{Title: "Ports"}, last(t, row(r)).About)
	}
	_, report := read(t, row(`"type":"summary"`), nil)
	assert.Equal(t, 1, report.Skipped["summary"])
}

func TestHowCallsEnd(t *testing.T) {
	result := func(members, block string) string {
		return row(`"type":"user",` + members + `"message":{"content":[{"type":"tool_result","tool_use_id":"c",` +
			block + `}]}`)
	}
	for name, c := range map[string]struct {
		row  string
		want string
	}{
		"a text":    {result("", `"content":"ok"`), `{"result":"ok"}`},
		"nothing":   {result("", `"is_error":false`), `{"result":""}`},
		"a failure": {result("", `"is_error":true,"content":"no"`), `{"error":"no"}`},
		"a refusal": {result(`"toolDenialKind":"user-rejected",`, `"is_error":true,"content":"no"`),
			`{"error":"no","denied":true}`},
		"an old one": {result("", `"is_error":true,`+
			`"content":"The user doesn't want to proceed with this tool use. x"`),
			`{"error":"The user doesn't want to proceed with this tool use. x","denied":true}`},
		"stopped": {result(`"toolUseResult":{"interrupted":true},`, `"content":"x"`),
			`{"result":{"interrupted":true},"cancelled":true}`},
		"outside": {result("", `"content":"<persisted-output>x"`),
			`{"result":"\u003cpersisted-output\u003ex","partial":true}`},
		"an image": {result("", `"content":[{"type":"text","text":"a"},{"type":"image",`+
			`"source":{"data":"zzzz"}}]`), `{"result":"a","partial":true}`},
		"of a stranger": {result(`"toolUseResult":{"agentId":7,"n":12345678901234567890},`, `"content":"x"`),
			`{"result":{"agentId":7,"n":12345678901234567890}}`},
		"a string": {result(`"toolUseResult":"x",`, `"content":"ok"`), `{"result":"ok"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := last(t, c.row)
			require.NotNil(t, s.Returned)
			assert.Equal(t, "c", s.Call)
			got := attachtest.JSON(t, []attach.Sighting{s})
			assert.Contains(t, got, `"returned":`+c.want)
		})
	}
	two := row(`"type":"user","toolUseResult":{"stdout":"a"},"message":{"content":[{"type":"tool_result",` +
		`"tool_use_id":"a","content":"x"},` +
		`{"type":"tool_result","tool_use_id":"b","content":"y"},{"type":"text","text":"z"},{"type":"tool_result"}]}`)
	list, report := read(t, two, nil)
	require.Len(t, list, 2)
	assert.JSONEq(t, `"x"`, string(list[0].Returned.Result), "the program's own form is that of one result")
	assert.Equal(t, 1, report.Skipped["block text beside a result"])
	assert.Equal(t, 1, report.Malformed)
}

func TestLongTextsAndResultsAreCutAndCounted(t *testing.T) {
	const bound = 128 << 10
	long := strings.Repeat("é", bound)
	list, report := read(t, row(`"type":"user","message":{"content":"`+long+`"}`)+
		row(said+`[{"type":"tool_use","id":"c","name":"Write","input":{"file_path":"a","content":"`+long+`"}}]}`)+
		row(`"type":"user","toolUseResult":{"a":["`+strings.Repeat(`x","`, bound)+`"]},`+
			`"message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"y"}]}`), nil)
	assert.Equal(t, 3, report.Cut)
	assert.Zero(t, report.Outside, "the file has all of it")
	for _, s := range list {
		switch {
		case s.Prompted != nil:
			assert.Equal(t, strings.Repeat("é", bound/2), s.Prompted.Text)
		case s.Called != nil:
			assert.LessOrEqual(t, len(s.Called.Params), bound)
			assert.Contains(t, string(s.Called.Params), `"file_path":"a"`, "what is short stays")
		case s.Returned != nil:
			assert.True(t, s.Returned.Partial)
			assert.LessOrEqual(t, len(s.Returned.Result), bound)
		}
	}
}

func TestManyRowsThatWaitAreGivenAtLast(t *testing.T) {
	var text strings.Builder
	for range 1000 {
		text.WriteString(row(`"type":"user","message":{"content":"Hi"}`))
	}
	list, _ := read(t, text.String(), nil)
	assert.Len(t, list, 1001, "and the end of their turn")
}

func TestTheDescriptionOfASubAgent(t *testing.T) {
	s, err := claude.Spawned([]byte(attachtest.Recorded(t, "agent-a0000000000000002.meta.json")), session,
		"a0000000000000002")
	require.NoError(t, err)
	assert.Equal(t, "toolu_two0b", s.Call)
	assert.Equal(t, &attach.Spawned{Kind: "general-purpose", Model: "claude-sonnet-4-5", Background: true}, s.Spawned)
	for _, bad := range []string{``, `[]`, `{"toolUseId":7}`, `{"toolUseId":"a b"}`} {
		_, err = claude.Spawned([]byte(bad), session, "a1")
		require.ErrorContains(t, err, "not a description of a sub-agent")
	}
}

func TestAPromptWithoutANumberIsATurnOfItsOwn(t *testing.T) {
	list, _ := read(t, row(`"type":"user","uuid":"u1","message":{"content":"One"}`)+
		row(said+`[{"type":"tool_use","id":"c","name":"B"}]}`)+
		row(`"type":"user","uuid":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"y"}]}`)+
		row(`"type":"user","uuid":"u3","isMeta":true,"message":{"content":"The program"}`)+
		row(`"type":"user","uuid":"u4","message":{"content":"Two"}`), nil)
	turns := ""
	for _, s := range list {
		if s.About == nil {
			turns += s.Turn + " "
		}
	}
	assert.Equal(t, "u1 u1 u1 u1 u4 u4 ", turns, "each with its end")
}
