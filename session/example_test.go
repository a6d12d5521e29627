package session_test

import (
	"context"
	"fmt"
	"time"

	"candor/safety"
	"candor/session"
)

// A reader receives the events that the log already has and then each new one. It
// resumes with the number of the last event it saw.
func ExampleLog_Follow() {
	var log session.Log
	turn := session.Ref{Thread: "t", Turn: 1}
	log.Append(turn, session.TurnStarted{Input: safety.Literal("what time is it?")})
	log.Append(turn, session.Narrated{Step: 1, Text: safety.Literal("I ask the clock.")})

	seen := uint64(0)
	for e := range log.Follow(context.Background(), seen) {
		fmt.Printf("%d %T\n", e.Seq, e.Body)
		seen = e.Seq
		break // the connection drops
	}
	log.Append(turn, session.TurnCompleted{Response: safety.Literal("It is noon.")})
	for e := range log.Follow(context.Background(), seen) {
		fmt.Printf("%d %T\n", e.Seq, e.Body)
		if e.Seq == log.Head() {
			break
		}
	}
	// Output:
	// 1 session.TurnStarted
	// 2 session.Narrated
	// 3 session.TurnCompleted
}

// A turn is folded from its events. Earlier snapshots keep what they showed.
func ExampleTurn_Apply() {
	ref := session.Ref{Thread: "t", Turn: 1}
	why := session.Rationale{Text: safety.Literal("The user wants the current time."), Source: session.FromModel}
	events := []session.Event{
		{Seq: 1, Ref: ref, Body: session.TurnStarted{Input: safety.Literal("what time is it?")}},
		{Seq: 2, Ref: ref, Body: session.ToolCalled{
			Step: 1, Call: "call_1", Tool: safety.Literal("time"), Rationale: why,
		}},
		{Seq: 3, Ref: ref, Body: session.ToolReturned{Call: "call_1", Outcome: session.Success}},
	}
	var turn session.Turn
	var snapshots []session.Turn
	for _, e := range events {
		turn = turn.Apply(e)
		snapshots = append(snapshots, turn)
	}
	for _, snapshot := range snapshots {
		fmt.Println("after event", snapshot.LastSeq)
		for c := range snapshot.Calls() {
			fmt.Printf("  %s (%s): %s\n", c.Tool, c.Outcome, c.Rationale.Text)
		}
	}
	// Output:
	// after event 1
	// after event 2
	//   time (pending): The user wants the current time.
	// after event 3
	//   time (success): The user wants the current time.
}

// A store keeps one session per user until it is evicted.
func ExampleStore() {
	ctx := context.Background()
	var store session.Store = session.NewMemory(nil)
	defer store.Close()

	s, _ := store.Open(ctx, "ann")
	opened, _ := s.OpenThread()
	accepted, _ := s.Accept(opened.Thread, safety.Literal("what time is it?"), nil)
	_, _ = s.Append(accepted.Ref, session.TurnCompleted{Response: safety.Literal("It is noon.")})

	again, _ := store.Open(ctx, "ann")
	history, _ := again.History(opened.Thread, session.Page{Limit: 10})
	for _, t := range history.Turns {
		fmt.Printf("turn %d, %s: %s\n", t.Number, t.State, t.Response)
	}
	evicted, _ := store.Evict(ctx, time.Now().Add(time.Minute))
	fmt.Println("evicted:", evicted)
	// Output:
	// turn 1, completed: It is noon.
	// evicted: 1
}

// Watch yields each event with the turn right after it, which is all that a live view
// needs.
func ExampleSession_Watch() {
	store := session.NewMemory(nil)
	s, _ := store.Open(context.Background(), "ann")
	opened, _ := s.OpenThread()
	accepted, _ := s.Accept(opened.Thread, safety.Literal("what time is it?"), nil)
	_, _ = s.Append(accepted.Ref, session.Narrated{Step: 1, Text: safety.Literal("I ask the clock.")})
	_, _ = s.Append(accepted.Ref, session.TurnCompleted{Response: safety.Literal("It is noon.")})
	store.Close() // the reader receives what is left and stops

	for update, err := range s.Watch(context.Background(), 1) {
		if err != nil {
			fmt.Println(err)
			return
		}
		text, _ := update.Turn.Narrative()
		fmt.Printf("%T: %s, %q\n", update.Event.Body, update.Turn.State, text)
	}
	// Output:
	// session.TurnStarted: processing, ""
	// session.Narrated: processing, "I ask the clock."
	// session.TurnCompleted: completed, "I ask the clock."
}
