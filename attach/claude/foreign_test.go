package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/attachtest"
)

// foreignCall returns the rows of a call of an MCP server's tool, and of its result.
func foreignCall(id, members, block string) string {
	return row(fmt.Sprintf(said+`[{"type":"tool_use","id":%q,"name":"mcp__x__y","input":{}}]}`, id)) +
		row(fmt.Sprintf(`"type":"user",%s"message":{"content":[{"type":"tool_result","tool_use_id":%q,%s}]}`,
			members, id, block))
}

// TestWhatAnMCPServerWritesIsNoWordOfTheProgram holds that a tool can begin no sub-agent, stop or refuse no call, and
// hide no part of its result, by what its result says.
func TestWhatAnMCPServerWritesIsNoWordOfTheProgram(t *testing.T) {
	const no = `"content":"The user doesn't want to proceed with this tool use. x","is_error":true`
	for name, c := range map[string]struct{ members, block, want string }{
		"a sub-agent, an end": {`"toolUseResult":{"agentId":"a1","interrupted":true,"persistedOutputPath":"/f"},`,
			`"content":"x"`, `{"result":{"agentId":"a1","interrupted":true,"persistedOutputPath":"/f"}}`},
		"a part of it": {`"toolUseResult":{"type":"text","file":{"content":"a"},"originalFile":"b"},`, `"content":"x"`,
			`{"result":{"type":"text","file":{"content":"a"},"originalFile":"b"}}`},
		"a mark": {"", `"content":"<persisted-output>x"`, `{"result":"\u003cpersisted-output\u003ex"}`},
		"a refusal": {`"toolUseResult":"Error: x",`, no,
			`{"error":"The user doesn't want to proceed with this tool use. x"}`},
		"a person's refusal": {`"toolUseResult":"User rejected tool use",`, no,
			`{"error":"The user doesn't want to proceed with this tool use. x","denied":true}`},
		"one with a mark": {`"toolDenialKind":"user-rejected",`, `"content":"no"`, `{"error":"no","denied":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, foreignCall("c", c.members, c.block), nil)
			require.NotEmpty(t, list)
			assert.NotContains(t, attachtest.JSON(t, list), `"spawned"`)
			assert.Contains(t, attachtest.JSON(t, list), `"returned":`+c.want)
		})
	}
	const result = `{"agentId":"a1","interrupted":true,"type":"text","file":{"content":"a"},"originalFile":"b"}`
	list := hook(t, "PostToolUse", `,"tool_name":"mcp__x__y","tool_use_id":"c","tool_response":`+result)
	require.Len(t, list, 2, "and by a hook")
	assert.JSONEq(t, result, string(list[1].Returned.Result))
	assert.False(t, list[1].Returned.Cancelled)
}

func TestCallsOfMCPServersThatWaitAreBounded(t *testing.T) {
	const bound = 4096
	var calls strings.Builder
	for i := range bound + 1 {
		calls.WriteString(row(fmt.Sprintf(said+`[{"type":"tool_use","id":"c%d","name":"mcp__x__y","input":{}}]}`, i)))
	}
	for id, subs := range map[int]int{bound - 1: 0, bound: 1} {
		list, _ := read(t, calls.String()+row(fmt.Sprintf(`"type":"user","toolUseResult":{"agentId":"a1"},"message":{`+
			`"content":[{"type":"tool_result","tool_use_id":"c%d","content":"x"}]}`, id)), nil)
		assert.Equal(t, subs, strings.Count(attachtest.JSON(t, list), `"spawned"`))
	}
}
