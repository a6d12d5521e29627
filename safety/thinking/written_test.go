package thinking_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/thinking"
)

func isSearch(name string) bool {
	return strings.HasSuffix(name, "search") || name == "functions.search:0"
}

func TestCallsAreFoundInTheDialectsThatModelsWrite(t *testing.T) {
	const args = `{"rationale":"To see.","q":"x"}`
	for name, in := range map[string]string{
		"Hermes":                     "<tool_call>\n{\"name\": \"search\", \"arguments\": " + args + "}\n</tool_call>",
		"Hermes, cut at the end tag": "<tool_call>{\"name\": \"search\", \"arguments\": " + args + "}",
		"Qwen Coder": "<tool_call>\n<function=search>\n<parameter=rationale>\nTo see.\n</parameter>\n" +
			"<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>",
		"GLM": "<tool_call>search\n<arg_key>rationale</arg_key>\n<arg_value>To see.</arg_value>\n" +
			"<arg_key>q</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
		"Llama, by its tag": `<|python_tag|>{"type": "function", "name": "search", "parameters": ` + args +
			`}<|eom_id|>`,
		"Llama, by functions":      `<function=search>` + args + `</function>`,
		"Llama, bare":              `{"name": "search", "parameters": ` + args + `}`,
		"bare, in a block of code": "```json\n{\"name\": \"search\", \"arguments\": " + args + "}\n```",
		"bare, OpenAI's form":      `{"type":"function","function":{"name":"search","arguments":` + args + `}}`,
		"Mistral":                  `[TOOL_CALLS][{"name": "search", "arguments": ` + args + `}]`,
		"Mistral, newer":           `[TOOL_CALLS]search[ARGS]` + args,
		"Mistral, with an id":      `[TOOL_CALLS]search[CALL_ID]a1b2c3d4e[ARGS]` + args,
		"DeepSeek V3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n" + args +
			"\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		"DeepSeek V3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>" + args +
			"<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		"Phi and Granite": `<|tool_call|>[{"name": "search", "arguments": ` + args + `}]<|/tool_call|>`,
		"Cohere": `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": ` + args +
			`}]<|END_ACTION|>`,
		"Claude's older form": `<function_calls><invoke name="search">` +
			`<parameter name="rationale">To see.</parameter>` +
			`<parameter name="q">x</parameter></invoke></function_calls>`,
		"invoke without a frame": `<invoke name="search">` +
			`<parameter name="rationale">To see.</parameter>` +
			`<parameter name="q">x</parameter></invoke>`,
		"MiniMax": "<minimax:tool_call>\n<invoke name=\"search\">\n" +
			"<parameter name=\"rationale\">To see.</parameter>" +
			"\n<parameter name=\"q\">x</parameter>\n</invoke>\n</minimax:tool_call>",
		"IronClaw": "[Called tool `search` with " + args + "]",
		"within an open thought": "<think>I do it.\n<tool_call>{\"name\": \"search\", \"arguments\": " + args +
			"}</tool_call>",
	} {
		rest, calls := thinking.Calls(in, isSearch)
		if assert.Len(t, calls, 1, name) {
			assert.Equal(t, "search", calls[0].Name, name)
			assert.JSONEq(t, args, calls[0].Arguments, name)
		}
		assert.Empty(t, thinking.Strip(rest), name)
	}
	for name, in := range map[string]string{
		"Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>" + args +
			"<|tool_call_end|><|tool_calls_section_end|>",
		"Harmony": `<|channel|>commentary to=functions.search <|constrain|>json<|message|>` + args + `<|call|>`,
	} {
		_, calls := thinking.Calls(in, isSearch)
		if assert.Len(t, calls, 1, name) {
			assert.Contains(t, calls[0].Name, "functions.search", name)
			assert.JSONEq(t, args, calls[0].Arguments, name)
		}
	}
}

func TestTheTextAroundCallsStays(t *testing.T) {
	const call = `<tool_call>{"name":"search","arguments":{}}</tool_call>`
	rest, calls := thinking.Calls("<think>hm</think>I look."+call+"\n"+call+" Wait.", isSearch)
	assert.Len(t, calls, 2)
	assert.Equal(t, "I look.\n Wait.", thinking.Strip(rest))
}

func TestWhatIsNoCallStaysInTheText(t *testing.T) {
	for name, in := range map[string]string{
		"in code":                        "Write `<tool_call>{\"name\":\"search\"}</tool_call>`.",
		"in a fenced block":              "Like so:\n```\n<tool_call>{\"name\":\"search\"}</tool_call>\n```\n",
		"in a thought":                   "<think><tool_call>{\"name\":\"search\"}</tool_call></think>Done.",
		"of another tool, within a text": `They write <tool_call>{"name":"weather"}</tool_call> there.`,
		"bare JSON of another kind":      `{"name":"Ann","age":3}`,
		"bare JSON within a text":        `It is {"name":"search","arguments":{}} here.`,
		"a link":                         "See [search](http://x) and a < b.",
	} {
		rest, calls := thinking.Calls(in, isSearch)
		assert.Empty(t, calls, name)
		assert.Equal(t, in, rest, name)
	}
}

func TestACallThatNobodyCanReadIsStillOne(t *testing.T) {
	for in, want := range map[string]string{
		`I look. <tool_call>{"name": "search", "arguments": {"q": "x`: "search",
		"<tool_call>?</tool_call>":                                    "",
		`<|python_tag|>search.call(query="x")`:                        "search",
	} {
		_, calls := thinking.Calls(in, isSearch)
		if assert.Len(t, calls, 1, in) {
			assert.Equal(t, want, calls[0].Name, in)
			assert.NotEmpty(t, calls[0].Arguments)
		}
	}
}

// Quadratic run time would take minutes on any machine.
func TestFindingCallsIsLinearOnHostileText(t *testing.T) {
	for _, unit := range []string{"<tool_call>", "<think>", "[TOOL_CALLS]", "{", "[", "{}", "<tool_call>{",
		"<function=",
		"</think>",
		"<｜tool▁call▁begin｜>", "x{", "<tool_call>x</tool_call>", "<invoke name=x><parameter name=y>"} {
		thinking.Calls(strings.Repeat(unit, 400_000/len(unit)), isSearch)
	}
}
