package worker

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"candor/agent"
	"candor/session"
)

// past is the fold of a run's events: the conversation as a model is to see it, and
// what is still open. A live turn and a log read back go through the same fold. The
// zero value is a run without events.
//
// A step's own calls are those between the end of the step before and the first
// event that is none: the loop records all calls of a step before it runs any. The
// step is complete when its reasoning has come after all their results; reasoning
// that comes earlier is a sub-agent's.
type past struct {
	messages []agent.Message // of turns that have ended, and of complete steps
	prompts  []string        // all that were given, the first included
	turns    int             // that have ended with an answer
	answer   string          // the last one
	begun    bool            // the prompt of the turn that runs is in messages

	said   Event      // the first of step, which has its narrative
	step   []openCall // the calls of the step that has not ended
	sub    []openCall // those of sub-agents in it
	sealed bool       // no more calls belong to the step
	calls  int        // the highest number of a call
	groups int        // parallel groups of the turn that runs
}

// openCall is a call whose step has not ended.
type openCall struct {
	Decision // pending until the call ends
	id       string
	input    json.RawMessage
	result   string
}

// begin puts the prompt of the turn that is due in front of its steps.
func (p *past) begin() {
	if !p.begun && p.turns < len(p.prompts) {
		p.messages = append(p.messages, agent.Message{Role: agent.RoleUser, Text: p.prompts[p.turns]})
		p.begun = true
	}
}

// add folds in one event.
func (p *past) add(e Event) {
	switch e.Kind {
	case KindToolUse:
		p.use(e)
	case KindToolResult:
		p.sealed = len(p.step) > 0
		p.result(e)
	case KindReasoning:
		p.reasoning(e)
	case KindStatus:
		p.sealed = len(p.step) > 0
	case KindMessage:
		if e.Role == "assistant" {
			p.begin()
			p.messages = append(p.messages, agent.Message{Role: agent.RoleAssistant, Text: e.Content})
			p.answer, p.turns, p.begun, p.groups = e.Content, p.turns+1, false, 0
		}
	}
}

func (p *past) use(e Event) {
	if n, err := strconv.Atoi(strings.TrimPrefix(e.CallID, "call_")); err == nil {
		p.calls = max(p.calls, n)
	}
	c := openCall{id: e.CallID, input: e.Input, Decision: Decision{ToolName: e.ToolName, Outcome: session.Pending, Reason: e.Reason}}
	if p.sealed {
		p.sub = append(p.sub, c)
		return
	}
	if len(p.step) == 0 {
		p.said = e
	}
	p.step = append(p.step, c)
}

func (p *past) result(e Event) {
	text := string(e.Output)
	if e.Error != "" {
		text = fmt.Sprintf("Tool '%s' failed: %s", e.ToolName, e.Error)
	}
	for _, calls := range [][]openCall{p.step, p.sub} {
		for i := range calls {
			if calls[i].id == e.CallID && calls[i].Outcome == session.Pending {
				calls[i].Outcome, calls[i].result = e.Outcome, text
				return
			}
		}
	}
}

func (p *past) reasoning(e Event) {
	for _, d := range e.ToolDecisions {
		if d.Group != nil {
			p.groups = max(p.groups, *d.Group+1)
		}
	}
	for _, c := range p.step {
		if c.Outcome == session.Pending {
			return // a sub-agent's
		}
	}
	if len(p.step) == 0 {
		return
	}
	p.begin()
	// The ids are not those of a turn's own calls, which count from 1 again.
	said := agent.Message{Role: agent.RoleAssistant, Text: e.Narrative}
	var results []agent.Message
	for _, c := range p.step {
		id := "earlier_" + c.id
		said.Calls = append(said.Calls, agent.Call{ID: id, Name: c.ToolName, Arguments: c.input})
		results = append(results, agent.Message{Role: agent.RoleTool, CallID: id, Text: c.result})
	}
	p.messages = append(append(p.messages, said), results...)
	p.step, p.sub, p.sealed = nil, nil, false
}

// stoppedCall is what a person and a model read of a call that its worker did not
// live to see the end of.
const stoppedCall = "The worker stopped before this call ended."

// closing are the events that end a step which a worker left open. They are given
// in an order in which they may break off anywhere and be asked for again.
func (p *past) closing() []Event {
	var events []Event
	var decisions []Decision
	for _, c := range append(p.sub[:len(p.sub):len(p.sub)], p.step...) {
		if c.Outcome == session.Pending {
			events = append(events, ToolResult(c.id, c.ToolName, session.Cancelled, nil, stoppedCall, 0))
		}
	}
	for _, c := range p.step {
		if c.Outcome == session.Pending {
			c.Outcome = session.Cancelled
		}
		decisions = append(decisions, c.Decision)
	}
	if len(decisions) > 0 {
		e := Reasoning(p.said.Narrative, decisions...)
		e.NarrativeBlocked = p.said.NarrativeBlocked
		events = append(events, e)
	}
	return events
}
