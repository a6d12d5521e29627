package openwop_test

import (
	"fmt"
)

// agentTypes are types of events that the versions spell differently.
type agentTypes struct{ call, result, delta string }

// agentTypesOf has them by version.
var agentTypesOf = map[int]agentTypes{
	1: {"agent.toolCalled", "agent.toolReturned", "agent.reasoning.delta"},
	2: {"agent.tool-called", "agent.tool-returned", "agent.reasoning-delta"},
}

// payloadOf returns a member of an event's payload.
func payloadOf(e m, name string) any {
	v, _ := valueAt(e, "/payload/"+name)
	return v
}

// checkTools returns what is wrong with the results of calls: each names its call, and follows it.
func checkTools(events []m, v int) error {
	calls := map[any]m{}
	for _, e := range events {
		if id := payloadOf(e, "callId"); typeOf(e) == agentTypesOf[v].call && calls[id] == nil {
			calls[id] = e
		}
	}
	for _, e := range events {
		if typeOf(e) != agentTypesOf[v].result {
			continue
		}
		call, ok := calls[payloadOf(e, "callId")]
		status := payloadOf(e, "status")
		if !ok && (status == "forbidden" || status == "rate_limited") {
			continue
		}
		called, _ := number(call["sequence"])
		returned, _ := number(e["sequence"])
		err := firstBroken(e,
			rule{!ok, "a result without its call", payloadOf(e, "callId")},
			rule{called > returned, "a result before its call", called},
			rule{!same(e["causationId"], call["eventId"]), "another cause than the call", call["eventId"]})
		if err != nil {
			return err
		}
	}
	return nil
}

// deltasCheck is what the one block of reasoning of a run has to be.
type deltasCheck struct {
	Count             *int
	ConcatEqualsClose bool
}

// check returns what is wrong with the block.
func (x deltasCheck) check(events []m, v int) error {
	var closings []m
	agents := map[any]bool{}
	text, n, gaps, late := "", 0, false, false
	for _, e := range events {
		switch typeOf(e) {
		case agentTypesOf[v].delta:
			sequence, ok := number(payloadOf(e, "sequence"))
			gaps = gaps || !ok || int(sequence) != n
			late = late || len(closings) > 0
			n++
			text += fmt.Sprint(payloadOf(e, "delta"))
			agents[payloadOf(e, "agentId")] = true
		case "agent.reasoned":
			closings = append(closings, e)
			agents[payloadOf(e, "agentId")] = true
		}
	}
	if len(closings) != 1 {
		return fmt.Errorf("%d events agent.reasoned, wanted 1", len(closings))
	}
	closed := payloadOf(closings[0], "reasoning")
	return firstBroken(events,
		rule{differs(x.Count, n), "another number of deltas", or(x.Count, 0)},
		rule{gaps, "the deltas' sequences do not run 0, 1, …", n},
		rule{len(agents) != 1, "more than one agent in the block", 1},
		rule{x.ConcatEqualsClose && closed != text, "the end is not the deltas joined", text},
		rule{late, "a delta after the end", false})
}
