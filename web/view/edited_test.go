package view_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/export"
	"candor/web/view"
)

// editedTurn has a call whose parameters a person changed.
func editedTurn() session.Turn {
	t := fullTurn()
	c := &t.Steps[0].Calls[0]
	c.Decides, c.Params = false, cleaned(`{"path":"config/old.yaml"}`)
	c.Approval.Edited = cleaned(`{"path":"config/new.yaml"}`)
	return t
}

// History has both versions, and what the call was about is what ran.
func TestHistoryHasWhatAPersonChanged(t *testing.T) {
	info := view.Turn(editedTurn())
	d := info.Reasoning.ToolDecisions[0]
	assert.JSONEq(t, `{"path":"config/old.yaml"}`, string(d.Parameters.Raw()))
	assert.JSONEq(t, `{"path":"config/new.yaml"}`, string(d.Edited.Raw()))
	assert.Equal(t, "ann", d.EditedBy.String())
	assert.Equal(t, "config/new.yaml", info.ToolCalls[0].Object.String())
	assert.Less(t, view.TurnSize(fullTurn()), view.TurnSize(editedTurn()), "it counts in a page")

	plain := fullTurn()
	plain.Steps[0].Calls[0].Approval = nil
	raw, err := safety.Marshal(view.Turn(plain))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "edited")
	var lines jsonLines
	require.NoError(t, view.JSONLines(&lines, export.Document{
		Turns: []session.Turn{editedTurn()}, Omit: export.Omit{Parameters: true},
	}))
	assert.NotContains(t, string(lines), ".yaml", "an export without parameters has neither version")
}

// jsonLines keeps what is written.
type jsonLines []byte

func (l *jsonLines) Write(p []byte) (int, error) { *l = append(*l, p...); return len(p), nil }

func TestASearchFindsWhatAPersonChanged(t *testing.T) {
	turn := editedTurn()
	documents := slices.Values([]view.Document{{At: noon, Turn: &turn}})
	found := view.Query{Words: []string{"new.yaml"}, Limit: 5}.Run(documents)
	require.Len(t, found.Hits, 1)
	assert.Equal(t, "call_1", found.Hits[0].CallID)
}

// Whoever follows a turn learns with the answer what the changed call is about.
func TestTheAnswerToAQuestionSaysWhatTheChangedCallIsAbout(t *testing.T) {
	answered := session.ApprovalAnswered{Request: "q", Call: "call_1", Answer: session.Approve}
	frames := view.Frames(editedTurn(), session.Event{At: noon, Body: answered})
	raw, err := json.Marshal(frames[0].Data)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "object")
	answered.Edited = cleaned(`{"path":"config/new.yaml"}`)
	raw, err = json.Marshal(view.Frames(editedTurn(), session.Event{At: noon, Body: answered})[0].Data)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"object":"config/new.yaml"`)
}

// A question says until when it waits, if that is known; a stream of reasons does not repeat what was changed.
func TestAQuestionSaysUntilWhenItWaits(t *testing.T) {
	turn := fullTurn()
	a := turn.Steps[0].Calls[0].Approval
	a.Answer, a.Expires = "", noon.Add(5*time.Minute)
	raw, err := safety.Marshal(view.PendingApprovals([]session.Turn{turn}))
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"expires_at":"2026-02-21T12:05:00Z"`)
	a.Expires = time.Time{}
	raw, err = safety.Marshal(view.PendingApprovals([]session.Turn{turn}))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "expires_at")

	frames := view.Frames(editedTurn(), session.Event{At: noon, Body: session.StepEnded{Step: 1}})
	raw, err = json.Marshal(frames[0].Data)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "edited")
}
