package view

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// ratedTurn is a turn whose first call was rated.
func ratedTurn() Document {
	d := aTurn("t", 1, time.Now())
	d.Turn.Steps[0].Calls[0].Feedback = &session.Feedback{Rating: session.Bad, Note: said("the wrong folder")}
	return d
}

// Where nobody has said anything there is no member, so that an answer is as it was before there was
// feedback.
func TestHistoryAndUpdatesSayWhatTheUserThinksOfADecision(t *testing.T) {
	d := ratedTurn()
	for name, what := range map[string]any{
		"history": Turn(*d.Turn), "an update": Frames(*d.Turn, session.Event{Body: session.StepEnded{}})[0].Data,
	} {
		raw, err := json.Marshal(what)
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"feedback":{"rating":"bad","note":"the wrong folder"`, name)
	}
	raw, err := json.Marshal(Turn(*aTurn("t", 1, time.Now()).Turn))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "feedback", "nobody has said anything")
}

func TestTheStreamTellsOfARatingAndOfItsWithdrawal(t *testing.T) {
	d := ratedTurn()
	for want, b := range map[string]session.DecisionRated{
		`"call_id":"call_1","rating":"bad","note":"the wrong folder"}`: {
			Call: "call_1", Rating: session.Bad, Note: said("the wrong folder"),
		},
		`"call_id":"call_1","rating":"none"}`: {Call: "call_1", Rating: session.Unrated},
	} {
		frames := Frames(*d.Turn, session.Event{Body: b})
		require.Len(t, frames, 1)
		assert.Equal(t, "decision_rated", frames[0].Name)
		raw, err := json.Marshal(frames[0].Data)
		require.NoError(t, err)
		assert.Contains(t, string(raw), want)
	}
}

func TestASearchFindsWhatWasRatedAndTheWordsOfTheNote(t *testing.T) {
	d := ratedTurn()
	assert.Equal(t, []string{"call_1 feedback"}, fields(find("wrong folder", nil, d)))
	assert.Equal(t, []string{"call_1 rationale"}, fields(find("", map[string][]string{"rated": {"bad"}}, d)))
	assert.Empty(t, fields(find("", map[string][]string{"rated": {"good"}}, d)))
	assert.Equal(t, []FacetItem{{"bad", 1}}, find("", nil, d).Facets["rated"])
}
