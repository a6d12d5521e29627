package thinking

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filtered writes text in pieces of size bytes. It returns what came before Close, all of
// it, and whether that is the stripped text.
func filtered(f *Filter, text string, size int) (early, all string, ok bool) {
	var b strings.Builder
	for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
		b.WriteString(f.Write(rest[:min(size, len(rest))]))
	}
	rest, ok := f.Close(text)
	return b.String(), b.String() + rest, ok
}

func TestAFilterReturnsWhatStripReturns(t *testing.T) {
	for _, tt := range []struct{ name, in, early string }{
		{"plain text", "I look at a < b, x[1] &amp; c.", "I look at a < b, x[1] &amp; c."},
		{"a thought at the beginning", " <think>secret plan</think>\n\nI look.", "I look."},
		{"a thought with attributes", `<thinking depth="2">secret</thinking>I look.`, "I look."},
		{"a thought in brackets", "[THINK]secret[/THINK]I look.", "I look."},
		{"a thought in entities", "&lt;think&gt;secret&lt;/think&gt;I look.", "I look."},
		{"a thought with code", "<think>secret `x` it\n```\nsecret </think>\n```\n</think>I look.", "I look."},
		{"a thought without an end", "<think>secret", ""},
		{"a thought in the middle", "I look. <think>secret</think>Now.", "I look."},
		{"a tool call", "I look. <tool_call>secret", "I look."},
		{"a note of a call", "I look. [Called tool `secret` with {}] Now.", "I look."},
		{"a call at the beginning", "[Called tool `secret` with {}] Now.", ""},
		{"a tool call at the beginning", "<tool_call>secret</tool_call>Now.", ""},
		{"channels", "<|channel|>analysis<|message|>secret<|end|><|channel|>final<|message|>Done.", ""},
		{"open code in a thought", "<think>it`s secret</think>Use `x`.", ""},
		{"an answer in a thought", "<think>secret<final>I look.</final>", ""},
		{"space around and between", " \n I look.\n\n\n\nNow. \n", "I look.\n\nNow."},
		{"other alphabets", "Ich schaue mir 文件 an。", "Ich schaue mir 文件 an。"},
		{"a tag in code", "use `<think>` here", "use `"},
		{"the name of a tag as a string", `if x == "<tool_call>": y`, `if x == "`},
		{"a lone bracket", "a <" + strings.Repeat(" ", 300) + "b", "a <" + strings.Repeat(" ", 300) + "b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.in); size++ {
				early, all, ok := filtered(&Filter{}, tt.in, size)
				require.True(t, ok)
				require.Equal(t, tt.early, early, "pieces of %d bytes", size)
				require.Equal(t, Strip(tt.in), all, "pieces of %d bytes", size)
			}
		})
	}
}

func TestAFilterRetractsWhatWasAThought(t *testing.T) {
	for _, in := range []string{
		"the plan is x</think>The answer.", "plan [/THINK]Done.", "plan <final>Done.</final>",
		"plan &lt;/think&gt;Done.",
	} {
		f := &Filter{}
		early, _, ok := filtered(f, in, 3)
		assert.NotEmpty(t, early)
		assert.True(t, f.Retracted(), "%q", in)
		assert.False(t, ok, "%q", in)
	}
}

func TestAFilterOfAModelThatThinksInItsTextWaits(t *testing.T) {
	for in, early := range map[string]string{
		"the plan is x</think>The answer.":        "The answer.",
		"<think>the plan is x</think>The answer.": "The answer.",
		"The answer.": "",
	} {
		for size := 1; size <= len(in); size++ {
			got, all, ok := filtered(&Filter{Thinks: true}, in, size)
			require.True(t, ok)
			require.Equal(t, early, got)
			require.Equal(t, "The answer.", all)
		}
	}
}

func TestAFilterFollowsABoundedLengthOfText(t *testing.T) {
	long := strings.Repeat("words and ", 100_000) + "an end."
	early, all, ok := filtered(&Filter{}, long, 4096)
	assert.True(t, ok)
	assert.Less(t, len(early), maxHeld+8192)
	assert.Equal(t, long, all)
	f := &Filter{}
	filtered(f, "<think>"+long, 4096)
	assert.Empty(t, f.text)
}

// Quadratic run time would take minutes on any machine.
func TestFilteringIsLinearOnHostileText(t *testing.T) {
	for _, unit := range []string{"<", "`a``", "<think", "&lt;", "</think>", "[Called", ">", "x [", "\n"} {
		hostile := strings.Repeat(unit, 120_000/len(unit))
		for _, begin := range []string{"", "<think>", "<think>`"} {
			filtered(&Filter{}, begin+hostile, 4)
		}
	}
}

// FuzzFilter holds the filter to Strip, and a closed thought to silence.
func FuzzFilter(f *testing.F) {
	f.Add("a <b> `</think>` [x] &amp; c", uint8(1))
	f.Add("<|channel|>final<|message|>x<tool_call>", uint8(3))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		filter := &Filter{}
		_, all, ok := filtered(filter, text, 1+int(size%16))
		if ok {
			assert.Equal(t, Strip(text), all)
		} else {
			assert.True(t, strings.ContainsAny(text, "<[&"))
		}
		early, _, _ := filtered(&Filter{}, "<think>PRIVATE</think>"+text, 1+int(size%16))
		if !strings.Contains(text, "PRIVATE") {
			assert.NotContains(t, early, "PRIVATE")
		}
	})
}
