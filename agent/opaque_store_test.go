package agent

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// opaqueItems returns one item.
func opaqueItems(provider, data string) []Opaque {
	return []Opaque{{Provider: provider, Kind: "signature", Data: []byte(data)}}
}

func TestOpaqueReasoningIsDroppedWhenTheProviderChanges(t *testing.T) {
	var s opaqueStore
	s.put("ann", "t", 1, "call_1", opaqueItems("a", "one"))
	s.put("ann", "u", 1, "call_1", opaqueItems("a", "other thread"))
	s.put("ann", "t", 2, "call_1", opaqueItems("b", "two"))
	assert.Nil(t, s.get("t", 1, "call_1"))
	assert.Equal(t, opaqueItems("b", "two"), s.get("t", 2, "call_1"))
	assert.NotNil(t, s.get("u", 1, "call_1"))
}

func TestTheOpaqueReasoningOfAUserIsBounded(t *testing.T) {
	var s opaqueStore
	big := []Opaque{{Provider: "a", Data: make([]byte, maxUserOpaque/4)}}
	s.put("bob", "his", 1, "call_1", opaqueItems("a", "his"))
	for i := range 6 {
		s.put("ann", fmt.Sprint(i), 1, "call_1", big)
	}
	assert.LessOrEqual(t, s.users["ann"], maxUserOpaque)
	assert.Nil(t, s.get("0", 1, "call_1"), "the least recently written thread goes first")
	assert.NotNil(t, s.get("5", 1, "call_1"))
	s.put("ann", "5", 1, "call_1", big)
	assert.NotNil(t, s.get("4", 1, "call_1"), "items that replace others count once")
	s.put("ann", "all", 1, "call_1", []Opaque{{Provider: "a", Data: make([]byte, maxUserOpaque)}})
	assert.Zero(t, s.users["ann"])
	assert.NotNil(t, s.get("his", 1, "call_1"), "another user's are not touched")
}

func TestTheOpaqueReasoningOfManyUsersDisplacesThatOfWhoHoldsTheMost(t *testing.T) {
	var s opaqueStore
	s.put("bob", "his", 1, "call_1", opaqueItems("a", "his"))
	big := []Opaque{{Provider: "a", Data: make([]byte, maxUserOpaque/2)}}
	for user := range 2 * maxOpaque / maxUserOpaque {
		for thread := range 2 {
			s.put(fmt.Sprint(user), fmt.Sprint(user, thread), 1, "call_1", big[:1])
		}
	}
	assert.LessOrEqual(t, s.bytes, maxOpaque)
	assert.Greater(t, s.bytes, maxOpaque/2)
	assert.NotNil(t, s.get("his", 1, "call_1"), "who holds little keeps it, though it is the oldest")
}

func TestOpaqueReasoningIsNeverPrinted(t *testing.T) {
	o := opaqueItems("a", "do-not-print-me")[0]
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "o", o)
	all := fmt.Sprintf("%v %+v %#v %+v", o, []Opaque{o}, o, Response{Opaque: []Opaque{o}}) + logged.String()
	assert.NotContains(t, all, "do-not-print-me")
	assert.NotContains(t, all, "100 111 45", "not as bytes either")
	assert.Contains(t, all, "[opaque, 15 bytes]")
}

func TestTheReasoningBehindAnAnswerGoesBackWithIt(t *testing.T) {
	items := opaqueItems("a", "\x00why I answered")
	p := &stepwise{responses: []Response{
		{Text: "one", Opaque: items}, {Text: "two"}, {Calls: []Call{{Name: "a"}}, Opaque: opaqueItems("a", "call")},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, _ *session.Session) {
		thread := send(t, c, "", "hi").Thread
		synctest.Wait()
		send(t, c, thread, "again")
		synctest.Wait()
		send(t, c, thread, "fail")
		synctest.Wait()
		send(t, c, thread, "after the failure")
		synctest.Wait()
		again := p.requests[1].Messages
		require.Len(t, again, 3)
		assert.Equal(t, Message{Role: RoleAssistant, Text: "one", Opaque: items}, again[1])
		last := p.requests[4].Messages
		assert.Equal(t, items, last[1].Opaque)
		assert.Nil(t, last[3].Opaque, "the second answer had none")
		assert.Contains(t, last[len(last)-2].Text, "This turn failed")
		assert.Nil(t, last[len(last)-2].Opaque, "a note about a failure is not the model's answer")

		text := c.EncryptedReasoning("ann", thread, 1, "")
		require.NotEmpty(t, text)
		assert.ErrorIs(t, c.RestoreReasoning("ann", thread, 1, "call_1", text), ErrEncryptedReasoning)
		c.opaque = opaqueStore{} // as if they were evicted
		require.NoError(t, c.RestoreReasoning("ann", thread, 1, "", text))
		assert.Equal(t, items, c.opaque.get(thread, 1, ""))
	}, echo("a"))
}

func TestASubAgentsReasoningDoesNotReplaceItsCallers(t *testing.T) {
	items := opaqueItems("the lead's provider", "x")
	boss := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "research", Arguments: rawJSON(`{"task":"look"}`)}}, Opaque: items}, {Text: "done"},
		{Text: "again"},
	}}
	worker := &stepwise{responses: []Response{{Text: "looked", Opaque: opaqueItems("another provider", "y")}}}
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		c := NewChat(store, team(t, boss, worker), 0)
		thread := send(t, c, "", "hi").Thread
		synctest.Wait()
		send(t, c, thread, "again")
		synctest.Wait()
		require.Len(t, boss.requests, 3)
		assert.Equal(t, items, boss.requests[2].Messages[1].Opaque)
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

func TestReasoningDoesNotGoBackWithANoteAboutAStoppedTurn(t *testing.T) {
	all := func(string, int, string) []Opaque { return opaqueItems("a", "x") }
	for state, goesBack := range map[session.State]bool{
		session.Completed: true, session.Failed: false, session.Interrupted: false,
	} {
		turn := session.Turn{Number: 1, State: state, Response: safety.Literal("Done.")}
		messages := Conversation([]session.Turn{turn}, all)
		require.Len(t, messages, 2)
		assert.Equal(t, goesBack, messages[1].Opaque != nil, state)
	}
}

// A summary in the place of the text would move the items that stood next to the calls.
func TestAProvidersSummaryIsNotShownToTheModelAsItsWords(t *testing.T) {
	step := session.Step{Number: 1, Narrative: safety.Literal("It weighs."), Calls: []session.Call{{ID: "call_1"}}}
	turn := session.Turn{Number: 1, State: session.Completed, Steps: []session.Step{step}}
	turn.Steps[0].NarrativeSource = session.FromSummary
	assert.Empty(t, Conversation([]session.Turn{turn}, nil)[1].Text)
	turn.Steps[0].NarrativeSource = session.FromModel
	assert.Equal(t, "It weighs.", Conversation([]session.Turn{turn}, nil)[1].Text)
}

// The provider gets its items back within the turn and in later turns, and the log
// contains none of them.
func TestOpaqueReasoningGoesBackByteForByte(t *testing.T) {
	items := opaqueItems("a", "\x00\xff ghp_looks_like_a_token")
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}, {Name: "a"}}, Opaque: items}, {Text: "one"}, {Text: "two"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "hi").Thread
		synctest.Wait()
		send(t, c, thread, "again")
		synctest.Wait()
		require.Len(t, p.requests, 3)
		assert.Equal(t, items, p.requests[1].Messages[1].Opaque)
		assert.Equal(t, items, p.requests[2].Messages[1].Opaque)
		h, err := s.History(thread, session.Page{})
		require.NoError(t, err)
		assert.NotContains(t, fmt.Sprintf("%+v", h), "looks_like_a_token")
	}, echo("a"))
}

// keeping is a Recorder that notes the calls that were recorded before their reasoning was kept.
type keeping struct {
	events
	early []session.ToolCalled
}

func (k *keeping) Keep(string, []Opaque) {
	k.early = append(k.early, of[session.ToolCalled](&k.events)...)
}

// Whoever reads that a call was made may ask for its reasoning at once.
func TestReasoningIsKeptBeforeItsCallIsRecorded(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}}, Opaque: opaqueItems("p", "one")}, {Text: "done"},
	}}
	rec := &keeping{}
	require.NoError(t, newDispatcher(t, p, echo("a")).Run(t.Context(), rec, nil))
	assert.Empty(t, rec.early)
	assert.Len(t, of[session.ToolCalled](&rec.events), 1)
}

func TestTheStepsOfSubAgentsAreNoPartOfTheConversation(t *testing.T) {
	step := func(agent string, said safety.Text) session.Step {
		call := session.Call{ID: "call_1", Agent: agent, Tool: safety.Literal("look")}
		return session.Step{Number: 1, Agent: agent, Narrative: said, Calls: []session.Call{call}}
	}
	turn := session.Turn{State: session.Completed, Steps: []session.Step{
		step("", safety.Literal("I look.")), step("helper_1", safety.Literal("I help.")),
	}}
	messages := Conversation([]session.Turn{turn}, nil)
	require.Len(t, messages, 3, "the message, the step and its result")
	assert.Equal(t, "I look.", messages[1].Text)
}
