package view

import "candor/session"

// Confident has the members of a call whose agent said how sure of it it was, and those of a
// call that is a decision. Other calls have none of them.
type Confident struct {
	Confidence *ConfidenceInfo `json:"confidence,omitempty"`
	Decides    bool            `json:"decides,omitempty"`  // the call is a decision, and touches nothing
	Decision   string          `json:"decision,omitempty"` // what it decides, at most maxPreview characters
}

// ConfidenceInfo is how sure an agent said it was, between 0 and 1. Below the threshold a person
// decides; Suppressed says that the operator lets such calls run.
type ConfidenceInfo struct {
	Stated     float64 `json:"stated"`
	Threshold  float64 `json:"threshold"`
	Suppressed bool    `json:"suppressed,omitempty"`
}

// WorkflowInfo says that a turn is the run of a workflow.
type WorkflowInfo struct {
	ID       string   `json:"id"`
	ReplayOf *TurnRef `json:"replay_of,omitempty"` // the turn that it repeats
}

// TurnRef is the address of a turn.
type TurnRef struct {
	ThreadID   string `json:"thread_id"`
	TurnNumber int    `json:"turn_number"`
}

func confident(c session.Call) Confident {
	out := Confident{Decides: c.Decides, Decision: truncate(c.Decision(), maxPreview)}
	if s := c.Confidence; s != nil {
		out.Confidence = &ConfidenceInfo{s.Stated, s.Threshold, s.Suppressed}
	}
	return out
}

// workflowInfo returns nil for a turn that is not a run.
func workflowInfo(w session.Workflow) *WorkflowInfo {
	if !w.Set() {
		return nil
	}
	info := &WorkflowInfo{ID: w.ID}
	if r := w.ReplayOf; r != (session.Ref{}) {
		info.ReplayOf = &TurnRef{r.Thread, r.Turn}
	}
	return info
}
