package dialect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/attach"
	"candor/attach/otlp"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// node returns a span of a trace that says a text of so many bytes.
func node(trace, id, parent string, k spanKind, bytes int) Node {
	return Node{traceID: trace, id: id, parent: parent, kind: k, name: id, facts: []attach.Sighting{
		{Said: &attach.Said{Text: strings.Repeat("x", bytes)}}}}
}

// turns returns the turns of sightings, by which they are told.
func turns(all []attach.Sighting) (out []string) {
	for _, s := range all {
		out = append(out, s.Turn)
	}
	return out
}

// TestASpanWaitsForItsParentAndNotForever holds that a span whose parent never comes is told in the
// end, and that the parent, should it come after all, and what else belongs to it, join the turn that
// was made up.
func TestASpanWaitsForItsParentAndNotForever(t *testing.T) {
	var tr Traces
	tr.Add(noon, node("t", "chat", "step", isModel, 1))
	assert.Empty(t, tr.Ready(noon.Add(MaxWait)))
	assert.Equal(t, []string{"step"}, turns(tr.Ready(noon.Add(MaxWait+1))))
	// What comes later of the branch joins the turn that was made up for it.
	tr.Add(noon, node("t", "step", "run", isOther, 1))
	tr.Add(noon, node("t", "chat2", "step2", isModel, 1))
	tr.Add(noon, node("t", "step2", "run", isOther, 1))
	tr.Add(noon, node("t", "run", "", isAgent, 1))
	assert.Equal(t, []string{"step", "step", "step", "step"}, turns(tr.Ready(noon)))
	assert.False(t, tr.Empty())
	tr.Ready(noon.Add(keepTrace))
	assert.True(t, tr.Empty())
	assert.Zero(t, tr.Held())
}

// TestWhatWaitsIsBounded holds that spans without parents take bounded memory, and that room is made by
// telling the oldest instead of dropping them.
func TestWhatWaitsIsBounded(t *testing.T) {
	var tr Traces
	told := 0
	for i := range 3 * maxTraces {
		tr.Add(noon.Add(time.Duration(i)), node(fmt.Sprint("t", i), "chat", "missing", isModel, 64<<10))
		told += len(tr.Ready(noon))
		assert.LessOrEqual(t, tr.Held(), maxHeld)
		assert.LessOrEqual(t, len(tr.byID), maxTraces)
	}
	assert.Equal(t, 3*maxTraces, told+len(tr.All()), "nothing is dropped")
	assert.Zero(t, tr.Held())
}

// TestACircleOfParentsEnds holds that spans that claim to be each other's parents are told.
func TestACircleOfParentsEnds(t *testing.T) {
	var tr Traces
	tr.Add(noon, node("t", "a", "b", isAgent, 1))
	tr.Add(noon, node("t", "b", "a", isModel, 1))
	assert.Len(t, tr.Ready(noon), 2)
}

// TestASpanThatComesTwiceIsToldAgain holds that an exporter which repeats a batch, since it saw no
// answer, loses nothing. What is told twice is known the second time.
func TestASpanThatComesTwiceIsToldAgain(t *testing.T) {
	var tr Traces
	tr.Add(noon, node("t", "a", "", isAgent, 1))
	tr.Add(noon, node("t", "a", "", isAgent, 1))
	assert.Len(t, tr.Ready(noon), 1)
	tr.Add(noon, node("t", "a", "", isAgent, 1))
	assert.Len(t, tr.Ready(noon), 1, "its first answer may not have arrived")
}

// TestCallsToMatchAreBounded holds that a trace remembers a bounded number of calls.
func TestCallsToMatchAreBounded(t *testing.T) {
	tr := trace{known: map[string]bool{}}
	for i := range maxAsked + 5 {
		tr.ask(isModel, []attach.Sighting{{Call: fmt.Sprint("call_", i), Called: &attach.Called{Tool: "x"}}})
	}
	tr.ask(isAgent, []attach.Sighting{{Call: "call_x", Called: &attach.Called{Tool: "x"}}})
	assert.Len(t, tr.asked, maxAsked)
}

// TestMessagesAreBounded holds that of an attribute with messages a bounded number is read, of which
// the last are those that count.
func TestMessagesAreBounded(t *testing.T) {
	one := `{"role":"user","parts":[]},`
	assert.Len(t, messages("["+strings.Repeat(one, maxMessages+9)+one[:len(one)-1]+"]"), maxMessages)
	assert.Len(t, oldMessages("["+strings.Repeat(one, maxMessages+9)+one[:len(one)-1]+"]"), maxMessages)
	attrs := otlp.Attributes{}
	for i := range maxFlatInput + 3 {
		attrs[fmt.Sprintf("llm.input_messages.%d.message.role", i)] = "user"
		attrs[fmt.Sprintf("llm.input_messages.%d.message.content", i)] = fmt.Sprint("message ", i)
		attrs[fmt.Sprintf("llm.output_messages.%d.message.role", i)] = "assistant"
		attrs[fmt.Sprintf("llm.output_messages.%d.message.content", i)] = "x"
	}
	w := writer{node: &Node{}, span: &otlp.Span{Attrs: attrs}}
	assert.Equal(t, fmt.Sprint("message ", maxFlatInput-1), w.flatPrompt())
	assert.Len(t, w.flatAnswer(), maxFlat)
}
