package session

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// fact is an event body with the agent it is about.
type fact struct {
	agent string
	body  Body
}

// waitingAfter folds facts into a running turn and returns the ids of the calls that
// the turn waits for.
func waitingAfter(facts []fact) (ids []string) {
	t := Turn{}.Apply(Event{Seq: 1, Ref: Ref{Thread: "t", Turn: 1}, Body: TurnStarted{}})
	for i, f := range facts {
		t = t.Apply(Event{Seq: uint64(i) + 2, Ref: Ref{Thread: "t", Turn: 1, Agent: f.agent}, Body: f.body})
	}
	for _, c := range t.Waiting() {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestATurnWaitsOnlyWhenNoAgentCanProceed(t *testing.T) {
	called := func(id string) fact { return fact{"", ToolCalled{Step: 1, Call: id}} }
	frontEnd := func(id string) fact { return fact{"", ToolCalled{Step: 1, Call: id, FrontEnd: true}} }
	asked := func(id string) fact { return fact{"", ApprovalAsked{Request: "r" + id, Call: id}} }
	answered := func(id string) fact {
		return fact{"", ApprovalAnswered{Request: "r" + id, Call: id, Answer: Approve}}
	}
	denied := func(id string) fact { return fact{"", ApprovalAnswered{Request: "r" + id, Call: id, Answer: Deny}} }
	returned := func(id string) fact { return fact{"", ToolReturned{Call: id, Outcome: Success}} }
	delegated := fact{"", Handoff{Call: "a", To: "sub"}}
	waits, ended := fact{"", StepWaits{Step: 1}}, fact{"", StepEnded{Step: 1}}
	sub := func(f fact) fact { return fact{"sub", f.body} }
	subWaits := []fact{sub(called("b")), sub(asked("b")), sub(waits)}
	type facts = []fact
	for _, tt := range []struct {
		name  string
		facts facts
		want  []string
	}{
		{"a turn without calls does not wait", nil, nil},
		{"a running call can proceed", facts{called("a")}, nil},
		{"an open request does not hold up the calls beside it", facts{called("a"), asked("a"), called("b")}, nil},
		{"an open request with nothing beside it is waited for", facts{called("a"), asked("a"), waits}, []string{"a"}},
		{"an approved call can proceed", facts{called("a"), asked("a"), waits, answered("a")}, nil},
		{"a front end's call is waited for", facts{frontEnd("a"), waits}, []string{"a"}},
		{"a front end's call that returned is not waited for", facts{frontEnd("a"), waits, returned("a")}, nil},
		{"a front end's call is still waited for once it is approved",
			facts{frontEnd("a"), asked("a"), waits, answered("a")}, []string{"a"}},
		{"a front end's call that was denied is not waited for",
			facts{frontEnd("a"), asked("a"), waits, denied("a")}, nil},
		{"one approved call of two can proceed",
			facts{called("a"), asked("a"), called("b"), asked("b"), waits, answered("a")}, nil},
		{"the other of two calls is waited for once the first has ended",
			facts{called("a"), asked("a"), frontEnd("b"), waits, answered("a"), returned("a")}, []string{"b"}},
		{"an ended step is not waited for", facts{frontEnd("a"), waits, ended}, nil},
		{"an ended turn does not wait", facts{frontEnd("a"), waits, {"", TurnInterrupted{}}}, nil},
		{"a sub-agent can proceed", facts{called("a"), waits, delegated}, nil},
		{"a sub-agent's request is waited for",
			slices.Concat(facts{called("a"), waits, delegated}, subWaits), []string{"b"}},
		{"a lead agent's running call can proceed while its sub-agent waits",
			slices.Concat(facts{called("a"), called("c"), delegated}, subWaits), nil},
		{"an open request is not waited for before its step has made all its calls",
			facts{called("a"), asked("a")}, nil},
		{"one of two sub-agents can proceed",
			slices.Concat(facts{called("a"), called("c"), waits, delegated, {"", Handoff{Call: "c", To: "busy"}}},
				subWaits), nil},
		{"the other of two sub-agents can proceed",
			slices.Concat(facts{called("a"), called("c"), waits, {"", Handoff{Call: "c", To: "busy"}}, delegated},
				subWaits), nil},
		{"a finished sub-agent is not waited for",
			slices.Concat(
				facts{called("a"), waits, delegated}, subWaits,
				facts{sub(answered("b")), sub(returned("b")), sub(ended)},
			), nil},
		{"a lead agent and its sub-agent may wait both",
			slices.Concat(facts{called("a"), frontEnd("c"), waits, delegated}, subWaits), []string{"b", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, waitingAfter(tt.facts)) })
	}
}

func TestWatchForgetsTurnsThatEnded(t *testing.T) {
	open, ref := openTurns{}, Ref{Thread: "t", Turn: 1}
	open.fold(Event{Seq: 1, Ref: ref, Body: TurnStarted{}})
	assert.Len(t, open, 1)
	open.fold(Event{Seq: 2, Ref: ref, Body: TurnCompleted{}})
	assert.Empty(t, open, "a stream may last for days")
}
