package terminal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// unsureDecision is a decision of which its agent is 40 % sure.
func unsureDecision() client.Decision {
	return client.Decision{
		CallID: "call_1", Step: 1, ToolName: "decide", Rationale: "two alarms agree", Source: "model",
		Outcome:    "pending",
		Parameters: json.RawMessage(`{"decision":"ship it"}`), Unsure: true,
		Confident: client.Confident{
			Confidence: &client.Confidence{Stated: 0.4, Threshold: 0.7}, Decides: true, Decided: "ship it",
		},
	}
}

// turnOf is an ended turn with one decision.
func turnOf(d client.Decision) client.Turn {
	return client.Turn{Number: 2, State: "completed", Reasoning: &client.Reasoning{Decisions: []client.Decision{d}}}
}

func TestHowSureTheAgentWasIsSaidInPercent(t *testing.T) {
	for _, c := range []struct {
		stated, threshold float64
		suppressed        bool
		want              string
	}{
		{0.62, 0.5, false, "62 % sure"}, {0.7, 0.7, false, "70 % sure"},
		{0.699, 0.7, false, "less than 70 % sure, below 70 %"}, {0.4, 0.7, false, "40 % sure, below 70 %"},
		{0, 0.7, false, "0 % sure, below 70 %"}, {1, 0.7, false, "100 % sure"}, {0.29, 0.2, false, "29 % sure"},
		{0.004, 0.7, false, "1 % sure, below 70 %"}, {0.996, 0.7, false, "99 % sure"},
		{0.4, 0.7, true, "40 % sure, below 70 %, and nobody was asked"},
	} {
		got := sure(&client.Confidence{Stated: c.stated, Threshold: c.threshold, Suppressed: c.suppressed})
		assert.Equal(t, c.want, strings.ReplaceAll(got, "\u00a0", " "))
	}
	assert.Empty(t, sure(nil))
	d := client.Decision{Outcome: "error", Confident: client.Confident{
		Confidence: &client.Confidence{Stated: 0.62, Threshold: 0.5}}}
	assert.Equal(t, "error: no, 62\u00a0% sure", outcome(d, client.Call{Error: "no"}))
}

func TestADecisionReadsAsOneAndSaysWhoTookIt(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *client.Decision)
		want   []string
	}{
		"the agent": {func(d *client.Decision) { d.Outcome = "success" },
			[]string{`decided: "ship it"`, "→ decided by the agent, 40 % sure"}},
		"confirmed": {func(d *client.Decision) { d.Outcome, d.Approval = "success", "approve" },
			[]string{`decided: "ship it"`, "→ confirmed by a person, 40 % sure"}},
		"another": {func(d *client.Decision) { d.Outcome, d.Approval, d.Said = "success", "approve", "hold it" },
			[]string{`decided: "hold it"`, `→ decided by a person; the agent would have decided: "ship it"`}},
		"denied": {func(d *client.Decision) { d.Outcome, d.Approval = "rejected", "deny" },
			[]string{`would have decided: "ship it"`, "→ rejected: denied by a person, 40 % sure"}},
		"open": {func(*client.Decision) {}, []string{`would decide: "ship it"`, "→ pending, 40 % sure"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := unsureDecision()
			c.change(&d)
			block, detail := Style{}.Block(turnOf(d)), Style{}.Detail(turnOf(d), "")
			for _, want := range append(c.want, "┄ decision") {
				assert.Contains(t, block, want)
				assert.Contains(t, detail, strings.TrimPrefix(want, "→ "))
			}
			assert.NotContains(t, block, "decide  ")
			assert.NotContains(t, block, "params:")
			if d.Said != "" {
				assert.Contains(t, Style{}.Hits(turnOf(d), []string{d.Said}), "hold it")
			}
		})
	}
}

func TestAQuestionSaysThatTheAgentIsNotSureAndTakesAnotherDecision(t *testing.T) {
	d := unsureDecision()
	a := client.Approval{ToolName: d.ToolName, Rationale: d.Rationale, Source: d.Source, Parameters: d.Parameters,
		Unsure: true, Confident: d.Confident}
	got := Style{}.Question(a, 2)
	assert.Contains(t, got, `? 2 decision  "two alarms agree"`)
	assert.Contains(t, got, "The agent is 40 % sure of this; below 70 % a person decides.\n")
	assert.Contains(t, got, `params: { "decision": "ship it" }`)
	assert.Contains(t, got,
		"Is it decided so?  y 2 yes   n 2 no   n 2 WORDS no, and why   v 2 view   "+
			"/approve 2 WORDS to decide otherwise\n")
	a.Decides = false
	got = Style{}.Question(a, 0)
	assert.Contains(t, got, "The agent is 40 % sure of this")
	assert.Contains(t, got, "May it run?  y yes   n no   n WORDS no, and why   v view\n")
	a.Unsure = false
	assert.NotContains(t, Style{}.Question(a, 0), "sure of this", "it is asked for another reason")
	for width := 50; width <= 200; width += 10 {
		for line := range strings.Lines((Style{Width: width}).Question(a, 1)) {
			assert.LessOrEqual(t, cellWidth(strings.TrimRight(line, "\n")), width)
		}
	}
}

func TestTheStreamTellsWhatWouldBeAndWhatWasDecided(t *testing.T) {
	live := Live{}
	e := client.Event{Type: "tool_started", Name: "decide", Decision: unsureDecision()}
	assert.Equal(t, "  ○ would decide: \"ship it\"\n", live.Lines(e))
	e = client.Event{Type: "approval_answered", Answer: "approve"}
	e.Said = "hold it"
	assert.Equal(t, "  ┄ Decided otherwise: \"hold it\"\n", live.Lines(e))
	e = client.Event{Type: "tool_completed", Name: "decide", Decision: unsureDecision()}
	e.Outcome = "success"
	assert.Equal(t, "  ● decided: \"ship it\"\n", live.Lines(e))
	e.Said = "hold\nit\x1b[2J"
	assert.NotContains(t, live.Lines(e), "\x1b")
	assert.Contains(t, live.Lines(e), "hold it")
	c, err := client.New("http://h:1", apptestToken)
	require.NoError(t, err)
	defer c.Close()
	tail := Tail{Client: c}
	e = client.Event{Type: "approval_needed", Decision: unsureDecision()}
	assert.Contains(t, tail.approvalNeeded(e), "The agent is 40 % sure of this")
	e.Unsure = false
	assert.NotContains(t, tail.approvalNeeded(e), "sure of this")
}

func TestApproveTakesWordsForADecisionOnly(t *testing.T) {
	for name, c := range map[string]struct {
		open     []bool // whether each open approval is of a decision
		line     string
		want     string
		complain string
	}{
		"words for the only one":     {[]bool{true}, "hold it back", `"request_id":"q1","value":"hold it back"`, ""},
		"a number and words":         {[]bool{false, true}, "2 hold it", `"request_id":"q2","value":"hold it"`, ""},
		"a number alone approves":    {[]bool{true, true}, "2", `"request_id":"q2"}`, ""},
		"nothing approves":           {[]bool{true}, "", `"request_id":"q1"}`, ""},
		"words that begin with one":  {[]bool{true}, "3 days later", `"request_id":"q1","value":"3 days later"`, ""},
		"always stays always":        {[]bool{true}, "always", `"action":"always","request_id":"q1"}`, ""},
		"with a number, too":         {[]bool{true, true}, "1 always", `"action":"always","request_id":"q1"}`, ""},
		"always among words is one":  {[]bool{true}, "as always", `"value":"as always"`, ""},
		"a call takes no words":      {[]bool{false}, "hold it", "", "Only a decision can be another one"},
		"words do not say which":     {[]bool{true, true}, "hold it", "", "What waits: 1 shell, 2 shell."},
		"a number that is not there": {[]bool{true, true}, "7", "", "Say which, by its number."},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsked(t)
			for i, decides := range c.open {
				one := client.Approval{RequestID: fmt.Sprintf("q%d", i+1), ToolName: "shell"}
				one.Decides = decides
				a.addApproval(one)
			}
			err := a.approve(t.Context(), strings.Fields(c.line))
			if c.complain != "" {
				require.ErrorContains(t, err, c.complain)
				assert.Empty(t, a.answers)
				return
			}
			require.NoError(t, err)
			require.Len(t, a.answers, 1)
			assert.Contains(t, a.answers[0], c.want)
		})
	}
}

func TestAReplayNamesTheTurnThatItRepeats(t *testing.T) {
	turn := turnOf(unsureDecision())
	assert.NotContains(t, Style{}.Detail(turn, ""), "replay")
	turn.Workflow = &client.Workflow{ID: "chat"}
	assert.NotContains(t, Style{}.Detail(turn, ""), "replay")
	turn.Workflow.ReplayOf = &client.TurnRef{ThreadID: "7c9e", TurnNumber: 4}
	line := "  ┄ A replay of turn 4 of thread 7c9e: nothing was asked and no tool ran again.\n"
	for _, got := range []string{Style{}.Detail(turn, ""), Style{}.Block(turn),
		Live{}.Lines(client.Event{Type: "thinking", MessageID: "m", Workflow: turn.Workflow})} {
		assert.Contains(t, got, line)
	}
	turn.Reasoning = nil
	assert.Contains(t, Style{}.Detail(turn, ""), line)
	turn.Calls = []client.Call{{ID: "call_1"}}
	assert.Contains(t, Style{}.Detail(turn, ""), line)
}
