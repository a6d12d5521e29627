package worker

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"candor/agent"
	"candor/session"
)

// history is the fold of a run's events: the conversation for the model, and the step
// that has not ended. A live turn and a log that is read back are folded by the same
// code. The zero value is a run without events.
//
// A step's own calls are those between the end of the step before and the first event
// of another kind, because the agent loop records all calls of a step before it runs
// any of them. Calls after that belong to sub-agents. A step is complete with the
// first reasoning event after all its results; an earlier one belongs to a sub-agent.
type history struct {
	messages []agent.Message // of ended turns and complete steps
	prompts  []string        // all prompts of the run, the first included
	turns    int             // turns that ended with an answer
	answer   string          // of the latest of them
	prompted bool            // messages contain the prompt of the running turn

	first    Event      // first call of step, which carries the narrative
	step     []openCall // calls of the step that has not ended
	subCalls []openCall // calls that sub-agents made in it
	sealed   bool       // no more calls can join step
	calls    int        // highest number of a call
	groups   int        // parallel groups of the running turn
}

// openCall is a call of a step that has not ended.
type openCall struct {
	Decision // pending until the call has ended
	agent    string
	input    json.RawMessage
	result   string
}

// addPrompt adds the prompt of the running turn to the conversation, once.
func (h *history) addPrompt() {
	if !h.prompted && h.turns < len(h.prompts) {
		h.messages = append(h.messages, agent.Message{Role: agent.RoleUser, Text: h.prompts[h.turns]})
		h.prompted = true
	}
}

// add folds in one event.
func (h *history) add(e Event) {
	switch e.Kind {
	case KindToolUse:
		h.addCall(e)
	case KindToolResult:
		h.sealed = len(h.step) > 0
		h.addResult(e)
	case KindReasoning:
		h.addReasoning(e)
	case KindStatus:
		h.sealed = len(h.step) > 0
	case KindMessage:
		if e.Role == "assistant" {
			h.addAnswer(e.Content)
		}
	}
}

// addAnswer ends the running turn.
func (h *history) addAnswer(text string) {
	h.addPrompt()
	h.messages = append(h.messages, agent.Message{Role: agent.RoleAssistant, Text: text})
	h.answer, h.turns, h.prompted, h.groups = text, h.turns+1, false, 0
}

// addCall adds a call to the step, or to its sub-agents' calls once it is sealed.
func (h *history) addCall(e Event) {
	if n, err := strconv.Atoi(strings.TrimPrefix(e.CallID, "call_")); err == nil {
		h.calls = max(h.calls, n)
	}
	c := openCall{
		Decision: Decision{ToolName: e.ToolName, CallID: e.CallID, Outcome: session.Pending, Reason: e.Reason},
		agent:    e.Agent, input: e.Input,
	}
	if h.sealed {
		h.subCalls = append(h.subCalls, c)
		return
	}
	if len(h.step) == 0 {
		h.first = e
	}
	h.step = append(h.step, c)
}

// addResult ends a pending call. The text is what the agent loop tells the model.
func (h *history) addResult(e Event) {
	text := string(e.Output)
	if e.Error != "" {
		text = fmt.Sprintf("Tool '%s' failed: %s", e.ToolName, e.Error)
	}
	for _, calls := range [][]openCall{h.step, h.subCalls} {
		for i := range calls {
			if calls[i].CallID == e.CallID && calls[i].Outcome == session.Pending {
				calls[i].Outcome, calls[i].result = e.Outcome, text
				return
			}
		}
	}
}

// addReasoning completes the step if all its calls have ended, and adds its calls and
// results to the conversation.
func (h *history) addReasoning(e Event) {
	if e.Answer {
		return // the answer follows
	}
	for _, d := range e.ToolDecisions {
		if d.Group != nil {
			h.groups = max(h.groups, *d.Group+1)
		}
	}
	for _, c := range h.step {
		if c.Outcome == session.Pending {
			return // the reasoning of a sub-agent's step
		}
	}
	if len(h.step) == 0 {
		return
	}
	h.addPrompt()
	// The prefix keeps these ids apart from those of the running turn, which count from
	// 1 again.
	asked := agent.Message{Role: agent.RoleAssistant, Text: e.Narrative}
	var results []agent.Message
	for _, c := range h.step {
		id := "earlier_" + c.CallID
		asked.Calls = append(asked.Calls, agent.Call{ID: id, Name: c.ToolName, Arguments: c.input})
		results = append(results, agent.Message{Role: agent.RoleTool, CallID: id, Text: c.result})
	}
	h.messages = append(append(h.messages, asked), results...)
	h.step, h.subCalls, h.sealed = nil, nil, false
}

// stoppedCall is the error of a call whose worker was killed before it ended. People
// and models read it.
const stoppedCall = "The worker stopped before this call ended."

// unknownTime is the duration of a call that nobody timed.
const unknownTime = -1

// closingEvents returns the events that end an open step: its pending calls are
// cancelled, sub-agents' first, and its reasoning is posted as far as the log has it.
// Their order allows the worker to be killed after any of them: the next one computes
// and posts those that are still missing.
func (h *history) closingEvents() []Event {
	var events []Event
	var decisions []Decision
	for _, c := range append(h.subCalls[:len(h.subCalls):len(h.subCalls)], h.step...) {
		if c.Outcome == session.Pending {
			e := ToolResult(c.CallID, c.ToolName, session.Cancelled, nil, stoppedCall, unknownTime)
			e.Agent = c.agent
			events = append(events, e)
		}
	}
	for _, c := range h.step {
		if c.Outcome == session.Pending {
			c.Outcome = session.Cancelled
		}
		decisions = append(decisions, c.Decision)
	}
	if len(decisions) > 0 {
		e := Reasoning(h.first.Narrative, decisions...)
		e.Agent, e.NarrativeSource = h.first.Agent, h.first.NarrativeSource
		e.NarrativeBlocked, e.Thought = h.first.NarrativeBlocked, h.first.Thought
		events = append(events, e)
	}
	return events
}
