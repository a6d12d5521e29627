package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

func TestSealedReasoningIsPutIntoWords(t *testing.T) {
	const only = " · only the model's provider can read it"
	for want, s := range map[string]client.Sealed{
		"sealed reasoning · 1.2 kB · 310 tokens":                  {Kind: "encrypted", Bytes: 1240, Tokens: 310},
		"sealed reasoning · 3.4 MB":                               {Kind: "encrypted", Bytes: 3_400_000},
		"sealed reasoning":                                        {Kind: "encrypted"},
		"sealed reasoning · left out, with a signature of 1 byte": {Kind: "signature", Bytes: 1},
		"sealed reasoning · left out and signed":                  {Kind: "signature"},
	} {
		assert.Equal(t, want+only, sealedWords(s))
	}
}

// The live view says it once, when it is known, and /why with its step; the specification's form after a turn does not.
func TestSealedReasoningStandsBelowThePlanOfItsStep(t *testing.T) {
	turn := readTurn()
	one := client.Sealed{Kind: "encrypted", Bytes: 1240}
	turn.Sealed = []client.SealedStep{{Step: 1, Sealed: one}, {Agent: "scout", Step: 1, Sealed: one},
		{Step: 3, Answer: true, Sealed: client.Sealed{Kind: "signature", Bytes: 8}}}
	why := textOf(Style{}.whole(turn, 0))
	const words = "sealed reasoning · 1.2 kB · only the model's provider can read it"
	assert.Contains(t, why, "  I want to see it.\n\n  "+words+"\n\n  ✗ run_tests")
	assert.Contains(t, why, "  scout: I look.\n\n  scout: "+words+"\n")
	assert.Contains(t, why, "  sealed reasoning · left out, with a signature of 8 bytes")
	assert.Equal(t, 3, strings.Count(why, "sealed reasoning"))
	assert.NotContains(t, Style{}.Block(turn), "sealed")

	event := client.Event{Type: "sealed_reasoning", ThreadID: "t", TurnNumber: 1, Kind: "encrypted", Bytes: 1240}
	assert.Equal(t, "\n  "+words+"\n\n", played(&board{}, event))
	assert.Empty(t, Live{}.Lines(event))
	event.Agent = "a\x1b[31m"
	assert.NotContains(t, played(&board{}, event), "\x1b")
}

func TestSealedReasoningOfAJobIsShownByTail(t *testing.T) {
	for _, answer := range []client.Answer{"", client.BehindAnswer} {
		e := client.Event{Type: "job_reasoning", Answer: answer, Sealed: &client.Sealed{Kind: "encrypted", Bytes: 1240}}
		got := Style{}.jobEvent(e)
		assert.Contains(t, got, "sealed reasoning · 1.2 kB", fmt.Sprint(answer))
		assert.NotContains(t, got, "withheld")
	}
}

func TestSealedReasoningKeepsToTheWidth(t *testing.T) {
	s := Style{Width: 50}
	for line := range strings.SplitSeq(s.sealed("an agent", &client.Sealed{Kind: "signature", Bytes: 1240}), "\n") {
		assert.LessOrEqual(t, cellWidth(line), 50, line)
	}
}
