package collect_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/mew/collect"
)

// texts returns the narratives of a turn's steps by the agent of each.
func texts(turn session.Turn) map[string][]string {
	all := map[string][]string{}
	for _, s := range turn.Steps {
		all[s.Agent] = append(all[s.Agent], s.Narrative.String())
	}
	return all
}

func TestAnAnswerThatNamesNoCallEndsNone(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r"`)
	s.must("a", "mcp/request", `,"id":"c","context":"r","payload":{"method":"tools/call","params":{"name":"t"}}`)
	s.must("db", "mcp/response", `,"context":"r","payload":{"result":"lost"}`)
	s.must("ann", "mcp/reject", `,"payload":{"reason":"policy"}`)
	s.must("a", "mcp/withdraw", `,"correlation_id":["nothing"]`)
	turn := s.turns("a")[0]
	assert.Equal(t, session.Pending, turn.Steps[0].Calls[0].Outcome)
	require.Len(t, turn.Notes, 1, "it is kept as a note")
	assert.Equal(t, "db", turn.Notes[0].From.String())
}

func TestPathsAndObjectsMakeTheSameTree(t *testing.T) {
	for _, tt := range []struct{ name, inner, deeper string }{
		{"paths", `"outer/inner"`, `"outer/inner/deeper"`},
		{"objects", `{"id":"inner","parent":"outer"}`, `{"id":"deeper","parent":"inner"}`},
		{"an object below a path", `"outer/inner"`, `{"id":"deeper","parent":"inner"}`},
		{"ids alone, once they are known", `{"id":"inner","parent":"outer"}`, `"outer/inner/deeper"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpace(t, collect.Limits{})
			s.must("a", "reasoning/start", `,"id":"outer","payload":{"message":"one"}`)
			s.must("a", "reasoning/thought", `,"context":`+tt.inner+`,"payload":{"message":"two"}`)
			s.must("a", "reasoning/thought", `,"context":`+tt.deeper+`,"payload":{"message":"three"}`)
			s.must("a", "reasoning/thought", `,"context":"deeper","payload":{"message":"four"}`)
			require.Len(t, s.turns("a"), 1)
			assert.Equal(t, map[string][]string{
				"": {"one"}, "sub-1": {"two"}, "sub-2": {"three", "four"},
			}, texts(s.turns("a")[0]))
		})
	}
}

func TestAReasoningNeedsNoTextAndNoConclusion(t *testing.T) {
	s := newSpace(t, collect.Limits{Idle: time.Minute})
	s.must("a", "reasoning/start", `,"id":"r"`)
	s.must("a", "reasoning/thought", `,"context":"r","payload":{}`)
	assert.Empty(t, s.turns("a")[0].Steps)
	s.Expire(s.now.Add(time.Minute))
	assert.Equal(t, session.Completed, s.turns("a")[0].State)
}

func TestAReasoningMayBeginByItself(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("ann", "chat", `,"id":"q","payload":{"text":"good morning"}`)
	s.must("a", "reasoning/start", `,"id":"r","payload":{"message":"the hourly look"}`)
	assert.Equal(t, session.Asked{}, s.turns("a")[0].Asked, "not asked by whoever spoke before")
}

func TestAgentsThatReasonInParallelDoNotMix(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	for _, who := range []string{"a", "b"} {
		s.must(who, "reasoning/start", `,"id":"r-`+who+`","payload":{"message":"start"}`)
	}
	for _, thought := range []string{"one", "two", "three"} {
		for _, who := range []string{"a", "b"} {
			s.must(who, "reasoning/thought", `,"context":"r-`+who+`","payload":{"message":"`+thought+" of "+who+`"}`)
		}
	}
	for _, who := range []string{"a", "b"} {
		assert.Equal(t, map[string][]string{
			"": {"start", "one of " + who, "two of " + who, "three of " + who},
		}, texts(s.turns(who)[0]))
	}
}

func TestOnlyItsOwnersThoughtsBelongToAReasoning(t *testing.T) {
	s := newSpace(t, collect.Limits{})
	s.must("a", "reasoning/start", `,"id":"r","payload":{"message":"mine"}`)
	s.must("b", "reasoning/thought", `,"context":"r","payload":{"message":"not yours"}`)
	s.must("b", "chat", `,"context":"r","to":["a","c"],"payload":{"text":"may I?"}`)
	s.must("b", "reasoning/conclusion", `,"context":"r","payload":{"message":"done, I say"}`)
	turn := s.turns("a")[0]
	assert.Equal(t, session.Processing, turn.State)
	assert.Equal(t, map[string][]string{"": {"mine"}}, texts(turn))
	var kinds []session.NoteKind
	for _, n := range turn.Notes {
		assert.Equal(t, "b", n.From.String(), "its author stays its author")
		kinds = append(kinds, n.Kind)
	}
	assert.Equal(t, "a, c", turn.Notes[1].To.String())
	assert.Equal(t, []session.NoteKind{session.NoteThought, session.NoteChat, session.NoteConclusion}, kinds)
	assert.Empty(t, s.turns("b"))
}

// TestAStopInTheLatestThoughtIsTheTurnsStop has what agents of candor mew say of a model that stopped. A thought after
// it shows that the agent went on.
func TestAStopInTheLatestThoughtIsTheTurnsStop(t *testing.T) {
	cut := `,"context":"m-1","payload":{"message":"Why it stopped: cut off.","stop":"length"}`
	for name, tt := range map[string]struct {
		after []string
		want  session.Stop
	}{
		"concluded at once":  {nil, session.StopLength},
		"thought about more": {[]string{`,"context":"m-1","payload":{"message":"I go on."}`}, ""},
		"a call after it": {[]string{`,"context":"m-1","payload":{"message":"It adds.","action":"tool",` +
			`"actionInput":{"tool":"add"}}`}, ""},
		"a usual end": {[]string{`,"context":"m-1","payload":{"message":"Done.","stop":"end_turn"}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpace(t, collect.Limits{})
			s.must("agent", "reasoning/start", `,"payload":{"message":"I look."}`)
			s.must("agent", "reasoning/thought", cut)
			for _, more := range tt.after {
				s.must("agent", "reasoning/thought", more)
			}
			s.must("agent", "reasoning/conclusion", `,"context":"m-1","payload":{"message":"It is so."}`)
			turn := s.turns("agent")[0]
			assert.Equal(t, tt.want, turn.Stop)
			assert.Equal(t, session.StopLength, turn.Steps[1].Stop, "of the step that was cut off")
		})
	}
}
