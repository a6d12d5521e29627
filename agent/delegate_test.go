package agent

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// team is a dispatcher whose tool "research" hands on to another agent.
func team(t *testing.T, boss, worker Provider) *Dispatcher {
	t.Helper()
	return dispatcher(t, boss, echo("look"), Delegate{Name: "research", Description: "finds things out", Agent: dispatcher(t, worker, echo("look"))})
}

func TestASubAgentWorksInTheSameTurnUnderItsOwnName(t *testing.T) {
	boss := &steps{responses: []Response{
		{Text: "I let somebody look.", Calls: []Call{{Name: "research", Arguments: args(`{"rationale":"two heads","task":"find the cause"}`)}, {Name: "look"}}},
		{Text: "It was the index."},
	}}
	worker := &steps{responses: []Response{
		{Text: "I look first.", Calls: []Call{{Name: "look", Reasoning: "the log may say"}}}, {Text: "<think>hm</think>the index is missing"},
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
		assert.Equal(t, "I let somebody look.", text.String(), "what the other agent said is its own")
		var agents, ids []string
		for c := range turn.Calls() {
			agents, ids = append(agents, c.Agent), append(ids, c.ID)
		}
		assert.ElementsMatch(t, []string{"", "", "research_1"}, agents)
		assert.ElementsMatch(t, []string{"call_1", "call_2", "call_3"}, ids, "ids are the turn's, not the agent's")
		require.Len(t, worker.requests[0].Messages, 1)
		assert.Equal(t, "find the cause", worker.requests[0].Messages[0].Text)
		assert.Contains(t, boss.requests[1].Messages[2].Text, "the index is missing")
	})
}

// inTeam runs one turn with a dispatcher and looks at what came of it.
func inTeam(t *testing.T, d *Dispatcher, look func(*testing.T, *session.Session, session.Turn)) {
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
		look(t, s, turn)
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

func TestASubAgentThatFailsIsItsCallsError(t *testing.T) {
	boss := oneStep("", Call{Name: "research", Arguments: args(`{"task":"x"}`)})
	inTeam(t, team(t, boss, &steps{}), func(t *testing.T, _ *session.Session, turn session.Turn) {
		assert.Equal(t, session.Completed, turn.State)
		c, _ := turn.Call("call_1")
		assert.Equal(t, session.Errored, c.Outcome)
		assert.Contains(t, c.Error.String(), "research_1 did not finish")
		require.Len(t, turn.Handoffs, 2)
		assert.Contains(t, turn.Handoffs[1].Text.String(), "It did not finish")
	})
}

func TestATaskIsHandedOnOnlySoDeep(t *testing.T) {
	worker := &Dispatcher{}
	deeper := Delegate{Name: "research", Description: "d", Agent: worker}
	*worker = *dispatcher(t, providerFunc(nested), deeper)
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

func TestASubAgentNeedsSomebodyWhoRecordsIt(t *testing.T) {
	rec := runTurn(t, team(t, oneStep("", Call{Name: "research", Arguments: args(`{"task":"x"}`)}), &steps{}))
	assert.Contains(t, of[session.ToolReturned](rec)[0].Error.String(), "cannot be recorded here")
}

func TestCoverageCountsWhoseReasonsCallsHave(t *testing.T) {
	d := dispatcher(t, oneStep("", Call{Name: "a", Reasoning: "why"}, Call{Name: "a"}, Call{Name: "nobody", Reasoning: "x"}), echo("a"))
	d.Model = "m"
	runTurn(t, d)
	assert.Equal(t, []Coverage{{"m", "", 1, 1}, {"m", "a", 2, 1}}, d.Coverage())
}

func TestASummaryIsTheNarrativeWhereTheModelSaidNothing(t *testing.T) {
	p := &steps{responses: []Response{
		{Summary: "**Looking**\n\nThe model weighs its options.", Calls: []Call{{Name: "a"}}},
		{Text: "I look.", Summary: "not this", Calls: []Call{{Name: "a"}}}, {Text: "done"},
	}}
	rec := runTurn(t, dispatcher(t, p, echo("a")))
	said := of[session.Narrated](rec)
	require.Len(t, said, 2)
	assert.Equal(t, session.FromSummary, said[0].Source)
	assert.Equal(t, session.FromModel, said[1].Source)
	assert.Equal(t, "I look.", said[1].Text.String())
	assert.Equal(t, session.FromFallback, of[session.ToolCalled](rec)[0].Rationale.Source, "a summary is no call's reason")
}

func TestToolsCanBeReplacedWhileTurnsRun(t *testing.T) {
	p := &steps{responses: []Response{{Calls: []Call{{Name: "a"}}}, {Calls: []Call{{Name: "b"}}}, {Text: "done"}}}
	d := dispatcher(t, p, echo("a"))
	d.Policy = nil
	require.Error(t, d.Tools.Replace(echo("x"), echo("x")))
	assert.Equal(t, []string{"a"}, d.Tools.Names(), "a bad set changes nothing")
	require.NoError(t, d.Tools.Replace(echo("a"), echo("b")))
	rec := runTurn(t, d)
	assert.Equal(t, session.Success, of[session.ToolReturned](rec)[1].Outcome)
}

func TestAnEmptyToolboxOffersNothing(t *testing.T) {
	d := dispatcher(t, oneStep("", Call{Name: "a"}))
	d.Tools = &Toolbox{}
	assert.Empty(t, d.Tools.Names())
	assert.Equal(t, session.Errored, of[session.ToolReturned](runTurn(t, d))[0].Outcome)
}
