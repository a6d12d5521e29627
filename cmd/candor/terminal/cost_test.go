package terminal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

// The cost goes first where the line is too narrow, since the sum after the turn has it again.
func TestTheFootAndTheSumOfATurnSayWhatItCost(t *testing.T) {
	var b board
	now := time.Unix(100, 0)
	for _, e := range []client.Event{
		{Type: "thinking", ThreadID: "t", TurnNumber: 1, MessageID: "m"},
		callEvent("tool_started", "a", "grep", "", -1),
		callEvent("tool_completed", "a", "grep", "success", -1),
		{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1, Cost: "$0.14"},
	} {
		b.see(Style{}, e, now)
	}
	assert.Contains(t, b.foot(Style{}, now), "1 of 1 call · $0.14")
	assert.NotContains(t, b.foot(Style{Width: 34}, now), "$", "what does not fit goes")
	b.see(Style{}, client.Event{Type: "thinking", ThreadID: "t", TurnNumber: 2, MessageID: "n"}, now)
	assert.NotContains(t, b.foot(Style{}, now), "$", "the next turn has cost nothing yet")

	turn := client.Turn{Calls: []client.Call{{ID: "a"}}}
	turn.Usage = &client.Usage{Input: 22_000, Output: 310, Cost: "$0.14"}
	assert.Equal(t, "  1 call · 22,310 tokens · $0.14\n", Style{}.sums(turn))
	turn.Usage.Cost = ""
	assert.Equal(t, "  1 call · 22,310 tokens\n", Style{}.sums(turn))
}
