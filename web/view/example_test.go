package view_test

import (
	"fmt"
	"slices"

	"candor/safety"
	"candor/session"
	"candor/web/view"
)

// A stream shows each event of the log as frames. The turn is the one that the event
// led to: a frame may need more than the event says.
func ExampleFrames() {
	var turn session.Turn
	for i, b := range []session.Body{
		session.TurnStarted{Message: "m", Input: safety.Literal("why is login slow?")},
		session.ToolCalled{Step: 1, Call: "call_1", Tool: safety.Literal("table_size"), Rationale: session.Rationale{
			Text: safety.Literal("a large table would explain the slow scan"), Source: session.FromModel,
		}},
		session.ToolReturned{Call: "call_1", Outcome: session.Success},
	} {
		e := session.Event{Seq: uint64(i + 1), Session: "s", Ref: session.Ref{Thread: "t", Turn: 1}, Body: b}
		turn = turn.Apply(e)
		for _, f := range view.Frames(turn, e) {
			fmt.Println(f.Name)
		}
	}
	fmt.Println(view.Turn(turn).Reasoning.ToolDecisions[0].Rationale)
	// Output:
	// thinking
	// tool_started
	// tool_completed
	// a large table would explain the slow scan
}

// A query finds calls by what they did and why.
func ExampleQuery_Run() {
	turn := session.Turn{Thread: "t", Number: 1, Steps: []session.Step{{Number: 1, Calls: []session.Call{{
		ID: "call_1", Tool: safety.Literal("table_size"), Outcome: session.Success, Rationale: session.Rationale{
			Text: safety.Literal("a large table would explain the slow scan"), Source: session.FromModel,
		},
	}}}}}
	q := view.Query{Words: view.SplitQuery(`"slow scan" large`), Limit: 10}
	for _, hit := range q.Run(slices.Values([]view.Document{{Turn: &turn}})).Hits {
		fmt.Println(hit.CallID, hit.Field)
		for _, part := range hit.Snippet {
			fmt.Printf("%q %v\n", part.Text, part.Match)
		}
	}
	// Output:
	// call_1 rationale
	// "a " false
	// "large" true
	// " table would explain the " false
	// "slow scan" true
}
