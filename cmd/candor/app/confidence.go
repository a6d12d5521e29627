package app

import (
	"cmp"
	"fmt"
	"slices"

	"candor/agent"
	"candor/agent/tool"
)

// confidence returns what the settings mean for an agent. It fails if there is no such threshold
// or no such way to go on.
func (s ConfidenceSettings) confidence() (agent.Confidence, error) {
	if t := s.Threshold; t != nil && !(*t >= 0 && *t <= 1) {
		return agent.Confidence{}, fmt.Errorf("--confidence-threshold: %v is not a number from 0 to 1", *t)
	}
	ways := []string{lowAsk, lowContinue, lowOrchestrator}
	way := cmp.Or(s.Low, lowAsk)
	if !slices.Contains(ways, way) {
		return agent.Confidence{}, fmt.Errorf("--low-confidence: %q is not ask, continue or orchestrator", s.Low)
	}
	return agent.Confidence{
		Offer: s.Ask, Threshold: s.Threshold, Continue: way == lowContinue, Decide: tool.Decide(),
	}, nil
}
