package session

import "candor/safety"

// FindingsOf returns what safety found in an event's texts, or nil. The start of a turn that
// waited repeats the findings of its [TurnQueued].
func FindingsOf(b Body) []safety.Finding {
	switch b := b.(type) {
	case TurnQueued:
		return b.Findings
	case TurnStarted:
		return b.Findings
	case Narrated:
		return b.Findings
	case ToolCalled:
		return b.Findings
	case ToolReturned:
		return b.Findings
	case ApprovalAnswered:
		return b.Findings
	case Handoff:
		return b.Findings
	case TurnCompleted:
		return b.Findings
	case TurnFailed:
		return b.Findings
	case Answered:
		return b.Findings
	case Noted:
		return b.Findings
	case NodeEnded:
		return b.Findings
	case DecisionRated:
		return b.Findings
	case Sighted:
		return b.findings()
	}
	return jobFindings(b)
}
