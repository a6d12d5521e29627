package view

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func TestAnObservedTurnTellsWhoAskedAndWhatWasNoted(t *testing.T) {
	started := session.TurnStarted{Input: safety.Literal("Is it safe?"), Asked: session.Asked{
		By: safety.Literal("planner"), Thread: "t-1", Turn: 2, Call: "call_3",
		Reason: safety.Literal("a second opinion"), Source: session.FromModel,
	}}
	turn := session.Turn{}.Apply(session.Event{Seq: 1, Ref: session.Ref{Thread: "t-2", Turn: 1}, Body: started})
	turn = turn.Apply(session.Event{Seq: 2, Body: session.Noted{
		From: safety.Literal("ann"), To: safety.Literal("planner"), Kind: session.NoteChat,
		Text: safety.Literal("hurry"),
	}})
	turn = turn.Apply(session.Event{Seq: 3, Body: session.TurnCompleted{Conclusion: safety.Literal("no")}})
	turn = turn.Apply(session.Event{Seq: 4, Body: session.Narrated{Step: 1, Text: safety.Literal("after all")}})

	info := Turn(turn)
	assert.Equal(t, &AskedInfo{
		By: safety.Literal("planner"), ThreadID: "t-1", TurnNumber: 2, CallID: "call_3",
		Reason: orNull(safety.Literal("a second opinion")), ReasonSource: session.FromModel,
	}, info.Asked)
	assert.Equal(t, "no", info.Conclusion.String())
	assert.Nil(t, info.Response)
	require.Len(t, info.Notes, 1)
	assert.False(t, info.Notes[0].Late)
	assert.Equal(t, "planner", info.Notes[0].To.String())
	assert.Equal(t, []int{1}, info.LateSteps)
	assert.Nil(t, Turn(session.Turn{}).Asked, "another turn has none of it")
}

func TestAnObservedTurnStreamsItsStartItsNotesAndItsEnd(t *testing.T) {
	turn := session.Turn{State: session.Completed, Notes: []session.NoteAt{{Noted: session.Noted{Late: true}}}}
	asked := session.Asked{By: safety.Literal("ann")}
	conclusion, answer := safety.Literal("no"), safety.Literal("Do not.")
	for _, tt := range []struct {
		name string
		body session.Body
		want []string // name and data of each frame
	}{
		{"a start", session.TurnStarted{Input: safety.Literal("why?"), Asked: asked},
			[]string{`thinking {"message":"Thinking…","user_input":"why?","asked":{"by":"ann"}}`}},
		{"a start of our own agent", session.TurnStarted{Input: safety.Literal("why?")},
			[]string{`thinking {"message":"Thinking…","user_input":"why?"}`}},
		{"a note", session.Noted{From: safety.Literal("ann"), Kind: session.NoteThought, Text: safety.Literal("hm")},
			[]string{`note {"from":"ann","kind":"thought","text":"hm","late":true}`}},
		{"an end with a conclusion and an answer", session.TurnCompleted{Response: answer, Conclusion: conclusion},
			[]string{`conclusion {"text":"no"}`, `response {"content":"Do not."}`}},
		{"an end with a conclusion", session.TurnCompleted{Conclusion: conclusion},
			[]string{`conclusion {"text":"no"}`, `status {"message":"Completed","state":"completed"}`}},
		{"an end with nothing", session.TurnCompleted{},
			[]string{`status {"message":"Completed","state":"completed"}`}},
		{"an answer after the end", session.Answered{Response: answer},
			[]string{`response {"content":"Do not."}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Frames(turn, session.Event{Body: tt.body}) {
				got = append(got, f.Name+" "+withoutHead(t, f.Data))
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// withoutHead encodes a frame's data without the members that every frame has.
func withoutHead(t *testing.T, data any) string {
	t.Helper()
	encoded, err := json.Marshal(data)
	require.NoError(t, err)
	var head struct{ Type, Thread, Session, At json.RawMessage }
	require.NoError(t, json.Unmarshal(encoded, &head))
	prefix := `{"type":` + string(head.Type) + `,"thread_id":"","session_id":"","at":` + string(head.At) + `,`
	require.Equal(t, prefix, string(encoded[:len(prefix)]))
	return "{" + string(encoded[len(prefix):])
}

func TestAThreadTellsWhomItObserves(t *testing.T) {
	of := session.Origin{Protocol: "mew", Space: safety.Literal("lab"), Participant: safety.Literal("scout")}
	assert.Equal(t, &OriginInfo{"mew", of.Space, of.Participant}, Thread(session.Thread{Origin: of}).Origin)
	assert.Nil(t, Thread(session.Thread{}).Origin)
}

func TestASearchFindsWhoAskedAndWhatWasNoted(t *testing.T) {
	scout := Document{Turn: &session.Turn{
		Thread: "t-2", Number: 1, Conclusion: said("a dead end"),
		Asked: session.Asked{By: said("planner"), Reason: said("for a second opinion")},
		Notes: []session.NoteAt{{Noted: session.Noted{From: said("bob"), Text: said("hurry up")}}},
		Steps: []session.Step{{Number: 1, Calls: []session.Call{
			{ID: "call_1", Tool: said("run"), To: said("tester"), Rationale: session.Fallback()},
		}}},
	}, Origin: session.Origin{Protocol: "mew", Space: said("lab"), Participant: said("scout")}}
	other := aTurn("t", 1, time.Now())
	for q, want := range map[string]string{
		"planner": " asked_by", "second": " asked_reason", "dead": " conclusion", "hurry": " note", "bob": " note",
		"tester": "call_1 to",
	} {
		assert.Equal(t, []string{want}, fields(find(q, nil, scout)), "%q", q)
	}
	all := find("", nil, scout, other)
	assert.Equal(t, []FacetItem{{"scout", 2}}, all.Facets["participant"], "the turn and its call")
	of := find("run", map[string][]string{"participant": {"scout"}}, scout, other)
	require.Len(t, of.Hits, 1)
	assert.Equal(t, "scout", of.Hits[0].Participant)
}
