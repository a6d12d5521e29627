package session

import "candor/safety"

// What is charged for an event besides its texts: its places in the log and in its job, its
// body, the fold of it, and the worker's ids. Measured against the heap by
// TestTheChargeIsTrueToTheHeap.
const (
	eventCost    = 1 << 10
	decisionCost = 512
	findingCost  = 96
	entryCost    = 96 // of an entry of a Dropped event, with the id in it
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
func costOf(b Body) int {
	switch b := b.(type) {
	case JobOpened, JobPrompted, JobMessage, JobToolUse, JobToolResult, JobReasoned, JobReported, JobEnded,
		JobRestarted:
		return eventCost + jobBodyCost(b)
	case ThreadOpened:
		return eventCost + textCost(b.Origin.Space, b.Origin.Participant)
	case TurnQueued:
		return eventCost + textCost(b.Input) + findingsCost(b.Findings)
	case TurnStarted:
		return eventCost + textCost(b.Input, b.Asked.By, b.Asked.Reason) + findingsCost(b.Findings)
	case Answered:
		return eventCost + textCost(b.Response) + findingsCost(b.Findings)
	case Noted:
		return eventCost + textCost(b.From, b.Text) + findingsCost(b.Findings)
	case Narrated:
		return eventCost + textCost(b.Text) + findingsCost(b.Findings)
	case ToolCalled:
		return eventCost + textCost(b.Tool, b.To, b.Rationale.Text) + valueCost(b.Params) + findingsCost(b.Findings)
	case ToolReturned:
		return eventCost + textCost(b.Error) + valueCost(b.Result) + findingsCost(b.Findings)
	case ApprovalAsked:
		return eventCost + textCost(b.Description) + valueCost(b.Shown)
	case Handoff:
		return eventCost + textCost(b.Text) + len(b.From) + len(b.To) + findingsCost(b.Findings)
	case TurnCompleted:
		return eventCost + textCost(b.Response, b.Conclusion) + findingsCost(b.Findings)
	case TurnFailed:
		return eventCost + textCost(b.Error) + findingsCost(b.Findings)
	case Dropped:
		return eventCost + entryCost*(len(b.Threads)+len(b.Jobs))
	}
	return eventCost
}

// jobBodyCost returns what the texts of a job's event are charged.
func jobBodyCost(b Body) int {
	switch b := b.(type) {
	case JobOpened:
		return jobCost + textCost(b.Title, b.Prompt) + valueCost(b.Metadata) + findingsCost(b.Findings)
	case JobRestarted:
		return jobBodyCost(b.Opened)
	case JobPrompted:
		return textCost(b.Text) + findingsCost(b.Findings)
	case JobMessage:
		return textCost(b.Text) + findingsCost(b.Findings)
	case JobToolUse:
		return textCost(b.Agent, b.Tool, b.Rationale.Text, b.Narrative) + valueCost(b.Input) + findingsCost(b.Findings)
	case JobToolResult:
		return textCost(b.Agent, b.Tool, b.Error) + valueCost(b.Output) + findingsCost(b.Findings)
	case JobReasoned:
		n := textCost(b.Agent, b.Narrative) + findingsCost(b.Findings)
		for _, d := range b.Decisions {
			n += decisionCost + textCost(d.Tool, d.Rationale.Text) + findingsCost(d.Findings)
		}
		return n
	case JobReported:
		return textCost(b.State, b.Message) + findingsCost(b.Findings)
	case JobEnded:
		return textCost(b.Message) + findingsCost(b.Findings)
	}
	return 0
}

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
