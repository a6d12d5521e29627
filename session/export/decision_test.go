package export

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

// decisionWith returns a document whose call is a decision that a person took instead of the agent, with
// the same text in all places.
func decisionWith(raw string) Document {
	d := filledWith(raw)
	text, _ := json.Marshal(raw)
	params, _ := layer.CleanJSON(json.RawMessage(`{"decision":` + string(text) + `}`))
	said, _ := layer.CleanJSON(text)
	c := &d.Turns[0].Steps[0].Calls[0]
	c.Decides, c.Params, c.Outcome, c.Error = true, params, session.Success, safety.Text{}
	c.Confidence = &session.Confidence{Stated: 0.4, Threshold: 0.7}
	c.Approval = &session.Approval{Answer: session.Approve, LowConfidence: true, Value: said}
	d.Turns[0].Workflow = session.Workflow{ID: "chat", ReplayOf: session.Ref{Thread: "t-0", Turn: 4}}
	return d
}

// decision is what a test changes of the only call of a document.
func decision(change func(c *session.Call)) Document {
	d := decisionWith("plain")
	c := &d.Turns[0].Steps[0].Calls[0]
	c.Approval.Value = safety.JSON{}
	c.Params, _ = layer.CleanJSON(json.RawMessage(`{"decision":"ship it"}`))
	change(c)
	return d
}

func TestAnExportSaysWhatWasDecidedAndByWhom(t *testing.T) {
	for name, v := range map[string]struct {
		change func(c *session.Call)
		want   []string
	}{
		"confirmed": {func(*session.Call) {}, []string{"Decided", "ship it", "approval: given", "confirmed by a person",
			"the agent was 40 % sure, so a person was asked", "Reasoning: 1 decision"}},
		"the agent's own": {func(c *session.Call) { c.Approval = nil },
			[]string{"decided by the agent", "the agent was 40 % sure"}},
		"not asked": {func(c *session.Call) { c.Confidence.Suppressed = true },
			[]string{"40 % sure, and nobody was asked"}},
		"denied": {func(c *session.Call) {
			c.Outcome, c.Approval.Answer = session.Rejected, session.Deny
		}, []string{"Would have decided", "ship it", "denied"}},
		"another": {func(c *session.Call) {
			c.Approval.Value, _ = layer.CleanJSON(json.RawMessage(`"hold it"`))
		}, []string{"hold it", "The agent would have decided", "ship it", "decided by a person"}},
	} {
		d := decision(v.change)
		markdown, page := markdownOf(t, d), htmlOf(t, d)
		for _, want := range v.want {
			assert.Contains(t, markdown, want, name)
			assert.Contains(t, page, want, name)
		}
		d.Omit.Parameters = true
		assert.NotContains(t, markdownOf(t, d), "ship it")
		assert.NotContains(t, htmlOf(t, d), "ship it")
	}
}

func TestAnExportOfAReplayNamesTheTurnThatItRepeats(t *testing.T) {
	d := decisionWith("plain")
	want := "A replay of turn 4 of thread t-0: nothing was asked and no tool ran again."
	assert.Contains(t, markdownOf(t, d), want)
	assert.Contains(t, htmlOf(t, d), want)
	d.Turns[0].Workflow.ReplayOf = session.Ref{}
	assert.NotContains(t, markdownOf(t, d), "replay")
}

func TestAnExportCountsDecisionsApartFromTools(t *testing.T) {
	turn := decisionWith("plain").Turns[0]
	calls := &turn.Steps[0].Calls
	(*calls)[0].Group = nil
	assert.Equal(t, "1 decision", reasoningSummary(turn))
	*calls = append(*calls, session.Call{}, session.Call{})
	assert.Equal(t, "2 tools, 1 decision", reasoningSummary(turn))
	assert.Equal(t, "no tools", reasoningSummary(session.Turn{}))
}

func TestWhatTheUserThinksOfADecisionIsExported(t *testing.T) {
	d := filledWith("plain")
	call := &d.Turns[0].Steps[0].Calls[0]
	call.Feedback = &session.Feedback{Rating: session.Bad}
	inBoth(t, d, "The user rated this decision: bad")
	call.Feedback.Note = safety.Literal("the wrong folder")
	inBoth(t, d, "The user rated this decision: bad", "the wrong folder")
	call.Feedback = nil
	assert.NotContains(t, markdownOf(t, d), "rated")
}

// An export has what the model wanted and what ran, and says who changed it.
func TestAnExportSaysWhatAPersonChanged(t *testing.T) {
	edit := func(by string) Document {
		return decision(func(c *session.Call) {
			c.Decides, c.Outcome = false, session.Success
			c.Params, _ = layer.CleanJSON(json.RawMessage(`{"path":"old"}`))
			c.Approval.Edited, _ = layer.CleanJSON(json.RawMessage(`{"path":"new <b>"}`))
			c.Approval.EditedBy, _ = layer.Mask(by)
		})
	}
	markdown, page := markdownOf(t, edit("ann")), htmlOf(t, edit("ann"))
	for _, text := range []string{markdown, page} {
		for _, want := range []string{
			"parameters changed by a person", "Parameters as ann changed them", "old", "new",
		} {
			assert.Contains(t, text, want)
		}
	}
	assert.NotContains(t, page, "new <b>")
	assert.Contains(t, markdownOf(t, edit("")), "Parameters as a person changed them")
	hidden := edit("ann")
	hidden.Omit.Parameters = true
	assert.NotContains(t, markdownOf(t, hidden), "new", "what is left out is left out of both")
}
