package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// waitingAfter folds bodies into a running turn and gives the ids of what it waits for.
func waitingAfter(facts ...func() (string, Body)) (ids []string) {
	t := Turn{}.Apply(Event{Seq: 1, Ref: Ref{Thread: "t", Turn: 1}, Body: TurnStarted{}})
	for i, f := range facts {
		agent, b := f()
		t = t.Apply(Event{Seq: uint64(i) + 2, Ref: Ref{Thread: "t", Turn: 1, Agent: agent}, Body: b})
	}
	for _, c := range t.Waiting() {
		ids = append(ids, c.ID)
	}
	return ids
}

func by(agent string, b Body) func() (string, Body) { return func() (string, Body) { return agent, b } }

func TestATurnWaitsOnlyWhenNothingInItMoves(t *testing.T) {
	lead := func(b Body) func() (string, Body) { return by("", b) }
	called := func(id string) Body { return ToolCalled{Step: 1, Call: id} }
	shown := func(id string) Body { return ToolCalled{Step: 1, Call: id, FrontEnd: true} }
	asked := func(id string) Body { return ApprovalAsked{Request: "r" + id, Call: id} }
	answered := func(id string) Body { return ApprovalAnswered{Request: "r" + id, Call: id, Answer: Approve} }
	returned := func(id string) Body { return ToolReturned{Call: id, Outcome: Success} }
	handed, waits, ended := Handoff{Call: "a", To: "sub"}, StepWaits{Step: 1}, StepEnded{Step: 1}
	type facts = []func() (string, Body)
	for _, tt := range []struct {
		name  string
		facts facts
		want  []string
	}{
		{"nothing happened yet", nil, nil},
		{"a call runs", facts{lead(called("a"))}, nil},
		{"a question is open and the rest still runs", facts{lead(called("a")), lead(asked("a")), lead(called("b"))}, nil},
		{"a question is open and nothing else", facts{lead(called("a")), lead(asked("a")), lead(waits)}, []string{"a"}},
		{"it was answered", facts{lead(called("a")), lead(asked("a")), lead(waits), lead(answered("a"))}, nil},
		{"a front end has a call", facts{lead(shown("a")), lead(waits)}, []string{"a"}},
		{"a front end has answered", facts{lead(shown("a")), lead(waits), lead(returned("a"))}, nil},
		{"a front end gets a call once it is approved", facts{lead(shown("a")), lead(asked("a")), lead(waits), lead(answered("a"))}, []string{"a"}},
		{"one of two is answered and runs", facts{lead(called("a")), lead(asked("a")), lead(called("b")), lead(asked("b")), lead(waits), lead(answered("a"))}, nil},
		{"one of two has ended", facts{lead(called("a")), lead(asked("a")), lead(shown("b")), lead(waits), lead(answered("a")), lead(returned("a"))}, []string{"b"}},
		{"the step is over", facts{lead(shown("a")), lead(waits), lead(ended)}, nil},
		{"the turn is over", facts{lead(shown("a")), lead(waits), lead(TurnInterrupted{})}, nil},
		{"another agent works", facts{lead(called("a")), lead(waits), lead(handed)}, nil},
		{"another agent waits", facts{lead(called("a")), lead(waits), lead(handed), by("sub", called("b")), by("sub", asked("b")), by("sub", waits)}, []string{"b"}},
		{"another agent waits and the first one's call runs", facts{
			lead(called("a")), lead(called("c")), lead(handed), by("sub", called("b")), by("sub", asked("b")), by("sub", waits)}, nil},
		{"another agent is done", facts{lead(called("a")), lead(waits), lead(handed), by("sub", called("b")), by("sub", asked("b")), by("sub", waits),
			by("sub", answered("b")), by("sub", returned("b")), by("sub", ended)}, nil},
		{"both wait", facts{lead(called("a")), lead(shown("c")), lead(waits), lead(handed), by("sub", called("b")), by("sub", asked("b")), by("sub", waits)}, []string{"b", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, waitingAfter(tt.facts...)) })
	}
}

func TestANameStandsForOneThreadOfASession(t *testing.T) {
	m := NewMemory(nil)
	ann, _ := m.Open(t.Context(), "ann")
	bob, _ := m.Open(t.Context(), "bob")
	id, err := ann.OpenNamed("theirs")
	assert.NoError(t, err)
	again, err := ann.OpenNamed("theirs")
	assert.NoError(t, err)
	assert.Equal(t, id, again)
	assert.Equal(t, id, ann.NamedID("theirs"))
	assert.Len(t, ann.Threads(), 1)
	assert.NotEqual(t, id, bob.NamedID("theirs"))
	assert.NotEqual(t, id, ann.NamedID("other"))
}
