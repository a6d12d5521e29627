package agent

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// team returns a dispatcher whose tool "research" is a sub-agent.
func team(t *testing.T, boss, worker Provider) *Dispatcher {
	t.Helper()
	return newDispatcher(t, boss, echo("look"), Delegate{
		Name: "research", Description: "finds things out", Agent: newDispatcher(t, worker, echo("look")),
	})
}

func TestASubAgentRunsInItsCallersTurnUnderItsOwnID(t *testing.T) {
	boss := &stepwise{responses: []Response{
		{Text: "I let somebody look.", Calls: []Call{
			{Name: "research", Arguments: rawJSON(`{"rationale":"two heads","task":"find the cause"}`)}, {Name: "look"},
		}},
		{Text: "It was the index."},
	}}
	worker := &stepwise{responses: []Response{
		{Text: "I look first.", Calls: []Call{{Name: "look", Reasoning: "the log may say"}}},
		{Text: "<think>hm</think>the index is missing"},
	}}
	inTeam(t, team(t, boss, worker), func(t *testing.T, s *session.Session, turn session.Turn) {
		assert.Equal(t, session.Completed, turn.State)
		require.Len(t, turn.Handoffs, 2)
		there, back := turn.Handoffs[0], turn.Handoffs[1]
		assert.Equal(t, "", there.From)
		assert.Equal(t, "research_1", there.To)
		assert.Equal(t, "find the cause", there.Text.String())
		assert.Equal(t, "research_1", back.From)
		assert.Equal(t, "the index is missing", back.Text.String())
		assert.Equal(t, there.Call, back.Call)

		text, _ := turn.Narrative()
		assert.Equal(t, "I let somebody look.", text.String(), "the sub-agent's narrative is not the turn's")
		var agents, ids []string
		for c := range turn.Calls() {
			agents, ids = append(agents, c.Agent), append(ids, c.ID)
		}
		assert.ElementsMatch(t, []string{"", "", "research_1"}, agents)
		assert.ElementsMatch(t, []string{"call_1", "call_2", "call_3"}, ids, "ids are unique in the turn")
		require.Len(t, worker.requests[0].Messages, 1)
		assert.Equal(t, "find the cause", worker.requests[0].Messages[0].Text)
		assert.Contains(t, boss.requests[1].Messages[2].Text, "the index is missing")
	})
}

// inTeam runs one turn with a dispatcher and passes the result to check.
func inTeam(t *testing.T, d *Dispatcher, check func(*testing.T, *session.Session, session.Turn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		c := NewChat(store, d, 0)
		e := send(t, c, "", "why?")
		synctest.Wait()
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		turn, err := s.Turn(e.Thread, e.Turn)
		require.NoError(t, err)
		check(t, s, turn)
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

func TestAFailingSubAgentFailsItsCall(t *testing.T) {
	boss := oneStep("", Call{Name: "research", Arguments: rawJSON(`{"task":"x"}`)})
	inTeam(t, team(t, boss, &stepwise{}), func(t *testing.T, _ *session.Session, turn session.Turn) {
		assert.Equal(t, session.Completed, turn.State)
		c, _ := turn.Call("call_1")
		assert.Equal(t, session.Errored, c.Outcome)
		assert.Contains(t, c.Error.String(), "research_1 did not finish")
		require.Len(t, turn.Handoffs, 2)
		assert.Contains(t, turn.Handoffs[1].Text.String(), "It did not finish")
	})
}

func TestDelegationDepthIsBounded(t *testing.T) {
	worker := &Dispatcher{}
	deeper := Delegate{Name: "research", Description: "d", Agent: worker}
	*worker = *newDispatcher(t, providerFunc(nested), deeper)
	inTeam(t, worker, func(t *testing.T, _ *session.Session, turn session.Turn) {
		deepest := ""
		for c := range turn.Calls() {
			if strings.Count(c.Agent, "/") > strings.Count(deepest, "/") {
				deepest = c.Agent
			}
		}
		assert.Equal(t, "research_1/research_2/research_3", deepest)
		assert.Equal(t, session.Completed, turn.State)
	})
}

func TestASubAgentNeedsARecorderForAgents(t *testing.T) {
	rec := runTurn(t, team(t, oneStep("", Call{Name: "research", Arguments: rawJSON(`{"task":"x"}`)}), &stepwise{}))
	assert.Contains(t, of[session.ToolReturned](rec)[0].Error.String(), "cannot be recorded here")
}

// Masking cannot make a private key safe, so the whole text is withheld.
func TestAHandoffThatBlocksIsWithheld(t *testing.T) {
	boss := oneStep("", Call{Name: "research", Arguments: rawJSON(`{"task":"x"}`)})
	sub := &stepwise{responses: []Response{{Text: "here is " + privateKey()}}}
	inTeam(t, team(t, boss, sub), func(t *testing.T, _ *session.Session, turn session.Turn) {
		require.Len(t, turn.Handoffs, 2)
		assert.True(t, turn.Handoffs[1].Text.Empty())
		require.Len(t, turn.Handoffs[1].Findings, 1)
		assert.Equal(t, safety.Withheld, turn.Handoffs[1].Findings[0].Effect)
	})
}

// The hand-off of a task says who gets it. Names come from files of others, so they are cleaned and cut.
func TestAHandoffSaysWhoGetsTheTask(t *testing.T) {
	boss := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "research", Arguments: rawJSON(`{"task":"find the cause"}`)}}}, {Text: "Done."},
	}}
	d := newDispatcher(t, &stepwise{responses: []Response{{Text: "the index is missing"}}})
	d.Model, d.Effort = "small-1", "high"
	for title, want := range map[string]string{
		"": "research (small-1, effort high)", "scout": "scout (small-1, effort high)",
		"a\u202eb" + strings.Repeat("long ", 99): "",
	} {
		boss.requests, d.Provider.(*stepwise).requests = nil, nil
		lead := newDispatcher(t, boss, Delegate{Name: "research", Title: title, Agent: d})
		inTeam(t, lead, func(t *testing.T, _ *session.Session, turn session.Turn) {
			require.Len(t, turn.Handoffs, 2)
			words := turn.Handoffs[0].Who.Words("research_1")
			if want != "" {
				assert.Equal(t, want, words)
			}
			assert.NotContains(t, words, "\u202e")
			assert.Less(t, len(words), 300)
			assert.Zero(t, turn.Handoffs[1].Who, "an answer goes back to who is known")
		})
	}
}

func TestATaskThatCannotBeReadIsRefused(t *testing.T) {
	_, err := Delegate{}.Run(t.Context(), rawJSON(`{"task":7}`))
	assert.ErrorContains(t, err, "cannot unmarshal number")
}
