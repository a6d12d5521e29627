package client

// Sealed is how much reasoning of a step only the provider of its model can read. What it is, nobody
// else knows.
type Sealed struct {
	Kind   string `json:"kind"`   // encrypted, or signature: the reasoning was left out and signed
	Bytes  int    `json:"bytes"`  // 0 if nobody counted them
	Tokens int    `json:"tokens"` // spent on reasoning in the step, readable or not; 0 if nobody counted them
}

// SealedStep is the sealed reasoning of a step.
type SealedStep struct {
	Agent  string `json:"agent"` // a sub-agent; empty for the one the user speaks to
	Step   int    `json:"step"`
	Answer bool   `json:"answer"` // the step answered
	Sealed
}

// SealedOf returns the sealed reasoning of an agent's step, nil if there was none.
func (t Turn) SealedOf(agent string, step int) *Sealed {
	for _, s := range t.Sealed {
		if s.Agent == agent && s.Step == step {
			return &s.Sealed
		}
	}
	return nil
}
