package client

// Confident has what an agent said about a call beside its reason: how sure it was, and, if the
// call is a decision, what it decides.
type Confident struct {
	Confidence *Confidence `json:"confidence"` // nil if the agent did not say
	Decides    bool        `json:"decides"`    // the call is a decision, and touches nothing
	Decided    string      `json:"decision"`   // cut; empty unless the call is a decision
}

// Confidence is how sure an agent said it was of a call, and the threshold below which a person
// is asked. Both are between 0 and 1. Suppressed says that the operator lets such calls run.
type Confidence struct {
	Stated     float64 `json:"stated"`
	Threshold  float64 `json:"threshold"`
	Suppressed bool    `json:"suppressed"`
}

// Low reports whether the agent was less sure than the threshold asks for.
func (c Confidence) Low() bool { return c.Stated < c.Threshold }

// Workflow says that a turn is the run of a workflow.
type Workflow struct {
	ID       string   `json:"id"`
	ReplayOf *TurnRef `json:"replay_of"` // the turn that it repeats; nil if it repeats none
}

// TurnRef is the address of a turn.
type TurnRef struct {
	ThreadID   string `json:"thread_id"`
	TurnNumber int    `json:"turn_number"`
}
