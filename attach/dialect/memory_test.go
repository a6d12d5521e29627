package dialect

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/otlp"
)

// inUse returns the bytes of the heap that are in use.
func inUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// plainSpan returns the span of a number in a trace of a number.
func plainSpan(trace, id int, attrs otlp.Attributes) otlp.Span {
	return otlp.Span{Trace: fmt.Sprintf("%032x", trace+1), ID: fmt.Sprintf("%016x", id+1), Start: noon, End: noon,
		Name: "x", Attrs: attrs}
}

// calling returns the attributes of a model call that asks for tools, from a number on.
func calling(first, calls int, args string) otlp.Attributes {
	var parts []string
	for i := range calls {
		parts = append(parts, fmt.Sprintf(
			`{"type":"tool_call","id":"c%d","name":"t","arguments":{"x":%q}}`, first+i, args))
	}
	return otlp.Attributes{"gen_ai.operation.name": "chat",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[` + strings.Join(parts, ",") + `]}]`}
}

// TestWhatIsHeldOfSpansIsCountedAndBounded holds that whatever a hostile program puts into its spans, the server holds
// no more than it counts: neither of spans that wait nor of those that are told.
func TestWhatIsHeldOfSpansIsCountedAndBounded(t *testing.T) {
	long := func(n int) string { return strings.Repeat("n", n) }
	for name, tt := range map[string]struct {
		spans int
		made  func(i int) otlp.Span
	}{
		"long names": {40, func(i int) otlp.Span {
			return plainSpan(i/4, i, otlp.Attributes{"gen_ai.operation.name": "invoke_agent",
				"gen_ai.agent.name": long(2 << 20)})
		}},
		"long names of models": {40, func(i int) otlp.Span {
			return plainSpan(i, i, otlp.Attributes{"openinference.span.kind": "LLM", "llm.model_name": long(2 << 20)})
		}},
		"prompts of spaces that wait": {40, func(i int) otlp.Span {
			s := plainSpan(0, i, otlp.Attributes{"openinference.span.kind": "LLM",
				"llm.input_messages.0.message.role":    "user",
				"llm.input_messages.0.message.content": "x" + strings.Repeat(" ", 2<<20)})
			s.Parent = strings.Repeat("f", 16)
			return s
		}},
		"long texts that wait": {40, func(i int) otlp.Span {
			s := plainSpan(0, i, otlp.Attributes{"openinference.span.kind": "LLM",
				"llm.output_messages.0.message.role":    "assistant",
				"llm.output_messages.0.message.content": long(2 << 20)})
			s.Parent = strings.Repeat("f", 16)
			return s
		}},
		"long arguments": {200, func(i int) otlp.Span { return plainSpan(0, i, calling(i, 1, long(60_000))) }},
		"many spans":     {60_000, func(i int) otlp.Span { return plainSpan(0, i, otlp.Attributes{}) }},
		"many traces":    {5_000, func(i int) otlp.Span { return plainSpan(i, i, otlp.Attributes{}) }},
		"many calls":     {40, func(i int) otlp.Span { return plainSpan(i/8, i, calling(500*i, 500, "")) }},
	} {
		t.Run(name, func(t *testing.T) {
			var tr Traces
			before := inUse()
			for i := range tt.spans {
				n, _, ok := Read(tt.made(i), strings.Clone)
				require.True(t, ok)
				tr.Add(noon, n)
				if i%100 == 99 || tt.spans < 100 {
					tr.Ready(noon)
				}
			}
			tr.Ready(noon)
			grown := inUse() - before
			t.Logf("%d bytes by its own count, %d of the heap", tr.Held(), grown)
			assert.LessOrEqual(t, tr.Held(), maxHeld)
			assert.Less(t, grown, tr.Held()+2<<20)
			tr.All()
			assert.Zero(t, tr.Held())
			runtime.KeepAlive(&tr)
		})
	}
}

// TestNoSpanOfALongTraceIsLost holds that a trace which grows beyond all bounds begins anew, and that all of it is
// told, also what still waits for its parent.
func TestNoSpanOfALongTraceIsLost(t *testing.T) {
	var tr Traces
	told, spans := 0, 2*maxHeld/spanBytes
	for i := range spans {
		tr.Add(noon, node("t", fmt.Sprint(i), "missing", isModel, 1))
		if i%1000 == 0 {
			told += len(tr.Ready(noon))
		}
		require.LessOrEqual(t, tr.Held(), 2*maxHeld)
	}
	assert.Equal(t, spans, told+len(tr.All()))
}

// TestAParentsIDThatIsNoneIsRefused holds that the id of the span around a span has the length of one, unless there is
// none around it here.
func TestAParentsIDThatIsNoneIsRefused(t *testing.T) {
	s := plainSpan(0, 0, otlp.Attributes{})
	for parent, want := range map[string]bool{
		"": true, strings.Repeat("0", 16): true, strings.Repeat("f", 16): true,
		"ff": false, strings.Repeat("f", 1<<20): false,
	} {
		s.Parent = parent
		_, loss, ok := Read(s, strings.Clone)
		assert.Equal(t, want, ok, len(parent))
		assert.Equal(t, want, loss == Loss{}, len(parent))
	}
	s.Parent, s.Remote = "ff", true
	_, _, ok := Read(s, strings.Clone)
	assert.True(t, ok, "what is in another process is not looked for")
}
