package view

import "candor/session"

// StepUsage counts the tokens of the model's answer that a step began with, or was. Steps are
// counted from 1 for each agent; Agent is absent for the main one, whose last step is its answer.
type StepUsage struct {
	Agent string `json:"agent,omitempty"`
	Step  int    `json:"step"`

	InputTokens     int `json:"input_tokens,omitempty"`
	OutputTokens    int `json:"output_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
}

// stepUsage lists the steps of t whose tokens are known.
func stepUsage(t session.Turn) []StepUsage {
	var all []StepUsage
	last := 0
	for _, s := range t.Steps {
		if u := s.Usage; u != (session.Usage{}) {
			all = append(all, StepUsage{s.Agent, s.Number, u.Input, u.Output, u.Reasoning})
		}
		// An answering step is listed only if there is reasoning behind it.
		if s.Agent == "" && !s.Answer {
			last = max(last, s.Number)
		}
	}
	if u := t.AnswerUsage; u != (session.Usage{}) {
		all = append(all, StepUsage{"", last + 1, u.Input, u.Output, u.Reasoning})
	}
	return all
}
