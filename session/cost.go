package session

import "candor/safety"

// What is charged for an event besides its texts: its places in the log and in its job, its
// body, the fold of it, and the worker's ids. Measured against the heap by
// TestTheChargeIsTrueToTheHeap.
const (
	eventCost    = 1 << 10
	decisionCost = 512
	findingCost  = 96
	droppedCost  = 96 // of an entry of a Dropped event, with the id in it
)

// The ends of turns and jobs are charged when they begin, so that what is over can always be
// recorded, also in a session that is full.
const (
	turnPromise = 4 * eventCost
	jobPromise  = 4 * eventCost
	jobCost     = 2 * eventCost // the job itself, and its run in the server's registry
	threadCost  = 3 * eventCost // the event that opens it, the thread and its title
)

// costOf returns what an event with this body is charged, in bytes.
func costOf(b Body) int { return eventCost + b.cost() }

func (b ThreadOpened) cost() int { return textCost(b.Origin.Space, b.Origin.Participant) }
func (b TurnQueued) cost() int {
	return textCost(b.Input) + b.Workflow.cost() + findingsCost(b.Findings)
}
func (b TurnStarted) cost() int {
	return textCost(b.Input, b.Asked.By, b.Asked.Reason) + b.Workflow.cost() + findingsCost(b.Findings)
}
func (b Answered) cost() int { return textCost(b.Response, b.Conclusion) + findingsCost(b.Findings) }
func (b Noted) cost() int    { return textCost(b.From, b.To, b.Text) + findingsCost(b.Findings) }
func (b Narrated) cost() int { return textCost(b.Text, b.Thought) + findingsCost(b.Findings) }
func (b ToolCalled) cost() int {
	return textCost(b.Tool, b.To, b.Before, b.Rationale.Text) + valueCost(b.Params) + findingsCost(b.Findings)
}
func (b ToolReturned) cost() int {
	return textCost(b.Error) + valueCost(b.Result) + findingsCost(b.Findings)
}
func (StepWaits) cost() int       { return 0 }
func (StepEnded) cost() int       { return 0 }
func (b ApprovalAsked) cost() int { return textCost(b.Description) + valueCost(b.Shown) }
func (b ApprovalAnswered) cost() int {
	return valueCost(b.Value) + valueCost(b.Edited) + textCost(b.EditedBy) + findingsCost(b.Findings)
}
func (b DecisionRated) cost() int {
	return textCost(b.Note) + findingsCost(b.Findings)
}
func (b Spoken) cost() int    { return textCost(b.Text) }
func (NodeStarted) cost() int { return 0 }
func (b NodeEnded) cost() int {
	return textCost(b.Error) + valueCost(b.Outputs) + findingsCost(b.Findings)
}
func (w Workflow) cost() int { return valueCost(w.Inputs) + valueCost(w.Options) }
func (b Handoff) cost() int {
	who := textCost(b.Who.Name, b.Who.Model, b.Who.Effort)
	return textCost(b.Text) + len(b.From) + len(b.To) + who + findingsCost(b.Findings)
}
func (b TurnCompleted) cost() int {
	return textCost(b.Response, b.Conclusion) + findingsCost(b.Findings)
}
func (b TurnFailed) cost() int    { return textCost(b.Error) + findingsCost(b.Findings) }
func (TurnInterrupted) cost() int { return 0 }
func (Erased) cost() int          { return 0 }
func (b Dropped) cost() int       { return droppedCost * (len(b.Threads) + len(b.Jobs)) }

func (b JobOpened) cost() int {
	return jobCost + textCost(b.Title, b.Prompt) + valueCost(b.Metadata) + findingsCost(b.Findings)
}
func (b JobPrompted) cost() int { return textCost(b.Text) + findingsCost(b.Findings) }
func (b JobMessage) cost() int  { return textCost(b.Text) + findingsCost(b.Findings) }
func (b JobToolUse) cost() int {
	return textCost(b.Agent, b.Tool, b.Rationale.Text, b.Narrative, b.Thought, b.Before) + valueCost(b.Input) +
		findingsCost(b.Findings)
}
func (b JobToolResult) cost() int {
	return textCost(b.Agent, b.Tool, b.Error) + valueCost(b.Output) + findingsCost(b.Findings)
}
func (b JobReasoned) cost() int {
	n := textCost(b.Agent, b.Narrative, b.Thought) + findingsCost(b.Findings)
	for _, d := range b.Decisions {
		n += decisionCost + textCost(d.Tool, d.Rationale.Text) + findingsCost(d.Findings)
	}
	return n
}
func (b JobReported) cost() int  { return textCost(b.State, b.Message) + findingsCost(b.Findings) }
func (b JobEnded) cost() int     { return textCost(b.Message) + findingsCost(b.Findings) }
func (JobCancelled) cost() int   { return 0 }
func (b JobRestarted) cost() int { return b.Opened.cost() }

// textCost returns what texts are charged: their bytes, and what the allocator rounds up.
func textCost(all ...safety.Text) (n int) {
	for _, t := range all {
		n += len(t.String()) * 9 / 8
	}
	return n
}

// valueCost returns what a JSON value is charged.
func valueCost(v safety.JSON) int { return cap(v.Raw()) * 9 / 8 }

func findingsCost(list []safety.Finding) int { return findingCost * len(list) }
