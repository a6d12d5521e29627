package client

// Stopped says why a model stopped where it was neither done nor called tools: in a word, such as length or refusal,
// and in plain words. Both are empty otherwise.
type Stopped struct {
	Stop  string `json:"stop"`
	Words string `json:"stop_words"`
}

// StepStop says why the model stopped in a step.
type StepStop struct {
	Agent  string `json:"agent"` // a sub-agent; empty for the one the user speaks to
	Step   int    `json:"step"`
	Answer bool   `json:"answer"` // the step answered
	Stopped
}

// StopOf returns why the model stopped in an agent's step.
func (t Turn) StopOf(agent string, step int) Stopped {
	for _, s := range t.StepStops {
		if s.Agent == agent && s.Step == step {
			return s.Stopped
		}
	}
	return Stopped{}
}
