package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

func TestARatingIsReadFromItsWords(t *testing.T) {
	for line, want := range map[string]rating{
		"2":                 {turn: 2},
		"2.1 good":          {2, 1, "good", ""},
		"12.30 bad too far": {12, 30, "bad", "too far"},
		"2.1 none":          {2, 1, "none", ""},
	} {
		got, err := parseRating(strings.Fields(line))
		require.NoError(t, err, line)
		assert.Equal(t, want, got, line)
	}
	for line, want := range map[string]string{
		"": "TURN.DECISION", "x": "TURN.DECISION", "0.1 good": "TURN.DECISION", "2.0 good": "TURN.DECISION",
		"2.1": "TURN.DECISION", "2.1 great": "TURN.DECISION", "2 good": "TURN.DECISION",
		"2.1 none of it": "none takes the rating back", "2.1 bad " + strings.Repeat("ä", 501): "longer than 500",
	} {
		_, err := parseRating(strings.Fields(line))
		require.ErrorContains(t, err, want, "%.20s", line)
	}
}

// ratedTurn is a turn of two calls, of which the second was rated.
func ratedTurn() client.Turn {
	bad := &client.Feedback{Rating: "bad", Note: "still \x1b[2Jread"}
	return client.Turn{
		Number: 2, State: "completed",
		Calls: []client.Call{{ID: "a", Object: "legacy", Line: "3 matches"}, {ID: "b", Object: "rates.yaml"}},
		Reasoning: &client.Reasoning{Decisions: []client.Decision{
			{CallID: "a", ToolName: "grep", Outcome: "success", Rationale: "who reads it"},
			{CallID: "b", ToolName: "delete_file", Outcome: "success", Rationale: "nobody does", Feedback: bad},
		}},
	}
}

func TestDecisionsAreListedWithTheNumbersThatRateTakes(t *testing.T) {
	assert.Equal(t, "  2.1 grep  legacy → 3 matches\n  2.2 delete_file  rates.yaml\n    rated bad: \"still read\"\n",
		Style{}.ratings(ratedTurn()))
	assert.Contains(t, Style{}.ratings(client.Turn{Number: 3}), "Turn 3 has no decision to rate.")
	assert.Contains(t, Style{}.Detail(ratedTurn(), ""), "    rated bad: \"still read\"\n")
	for line := range strings.SplitSeq(Style{Width: 50}.ratings(ratedTurn()), "\n") {
		assert.LessOrEqual(t, cellWidth(line), 50)
	}
}

func TestADecisionThatATurnDoesNotHaveIsNotRated(t *testing.T) {
	d, err := decisionOf(ratedTurn(), 2)
	require.NoError(t, err)
	assert.Equal(t, "b", d.CallID)
	_, err = decisionOf(ratedTurn(), 3)
	require.EqualError(t, err, "Turn 2 has 2 decisions. /rate 2 lists them.")
	_, err = decisionOf(client.Turn{Number: 4}, 1)
	require.EqualError(t, err, "Turn 4 has 0 decisions. /rate 4 lists them.")
}
