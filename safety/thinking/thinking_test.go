package thinking

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStrip(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "I will look at a < b first.", "I will look at a < b first."},
		{"a thought is removed", "<think>secret plan</think>I will look.", "I will look."},
		{"names in any case, with blanks", "a < Thinking >x</ THINKING >b", "a b"},
		{"attributes are allowed", `<thinking depth="2">x</thinking>b`, "b"},
		{"every spelling is removed",
			"<antthinking>x</antthinking><scratchpad>y</scratchpad><inner_monologue>z</inner_monologue>b", "b"},
		{"analysis and commentary are removed", "<analysis>x</analysis>a<commentary>y</commentary>", "a"},
		{"the first close ends a nested thought", "<think>a<think>b</think>c", "c"},
		{"an unclosed thought drops the rest", "before <think>after", "before"},
		{"a closing tag ends a thought that was never opened", "the plan is x</think>The answer.", "The answer."},
		{"a stray close after a thought is just removed", "<think>x</think>a</think>b", "ab"},
		{"pipes", "<|think|>x<|/think|>b", "b"},
		{"square brackets of one spelling", "[THINK]x[/THINK]b", "b"},
		{"other square brackets are text", "see [reasoning](doc.md)", "see [reasoning](doc.md)"},
		{"entities", "&lt;think&gt;x&lt;/think&gt;b", "b"},
		{"a tag in inline code stays", "use `<think>` to think", "use `<think>` to think"},
		{"a tag in a fence stays", "```\n<think>x</think>\n```\nb", "```\n<think>x</think>\n```\nb"},
		{"an unclosed fence runs to the end", "```\n<think>x", "```\n<think>x"},
		{"a longer fence is not closed by a shorter", "````\n```\n<think>x\n````\nb", "````\n```\n<think>x\n````\nb"},
		{"an unmatched backtick hides nothing", "it`s <think>x</think>b", "it`s b"},
		{"only final survives", "blah <final>the answer</final> blah", "the answer"},
		{"finals are joined", "<final>a</final>x<final>b</final>", "ab"},
		{"an unclosed final takes the rest", "x<final>a b", "a b"},
		{"a final in an unclosed thought is the answer", "<think>x<final>a</final>", "a"},
		{"a final in a closed thought is a draft", "<think>x<final>a</final></think>real", "real"},
		{"a tool call stays", "I look.<tool_call>{\"name\":\"x\"}</tool_call>",
			"I look.<tool_call>{\"name\":\"x\"}</tool_call>"},
		{"a tool call without an end stays", "I look. <tool_call>{\"na", "I look. <tool_call>{\"na"},
		{"a thought within a tool call is removed", "<tool_call>{<think>secret</think>}", "<tool_call>{}"},
		{"the name of tool markup in code stays", `if x == "<tool_call>" || x == '</tool_call>': y`,
			`if x == "<tool_call>" || x == '</tool_call>': y`},
		{"a bracketed note of a call stays", "ok [Called tool `shell` with {}]", "ok [Called tool `shell` with {}]"},
		{"harmony keeps the final channel",
			"<|channel|>analysis<|message|>plan<|end|>" +
				"<|start|>assistant<|channel|>final<|message|>Done.<|return|>", "Done."},
		{"harmony without a final says nothing", "<|channel|>analysis<|message|>plan", ""},
		{"many newlines become two", "a\n\n\n\nb", "a\n\nb"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Strip(tt.in)) })
	}
}

// Quadratic run time on a megabyte would exceed the test binary's time limit on any
// machine.
func TestStrippingIsLinearOnHostileText(t *testing.T) {
	for _, unit := range []string{"<", "`a``", "<think", "&lt;", "<|channel|>", "[Called tool `"} {
		hostile := strings.Repeat(unit, 1_000_000/len(unit))
		assert.LessOrEqual(t, len(Strip(hostile)), len(hostile))
	}
}

// FuzzStrip checks that a closed thought at the start is removed, whatever follows.
func FuzzStrip(f *testing.F) {
	f.Add("a")
	f.Add("a</think>`<think>`<final>b")
	f.Add("<|channel|>final<|message|>x<tool_call>")
	f.Fuzz(func(t *testing.T, rest string) {
		if strings.Contains(rest, "PRIVATE") {
			return
		}
		out := Strip("<think>PRIVATE</think>" + rest)
		assert.NotContains(t, out, "PRIVATE")
		assert.LessOrEqual(t, len(out), len(rest))
	})
}
