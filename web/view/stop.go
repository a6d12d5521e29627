package view

import (
	"candor/safety"
	"candor/session"
)

// StopInfo says why a model stopped where it was neither done nor called tools: in a word, and in plain words. It is
// absent otherwise.
type StopInfo struct {
	Stop  session.Stop `json:"stop,omitempty"`
	Words string       `json:"stop_words,omitempty"`
}

func stopInfo(s session.Stop) StopInfo { return StopInfo{s, s.Words()} }

// StepStop says why the model stopped in a step. Steps are counted from 1 for each agent; Agent is absent for
// the main one.
type StepStop struct {
	Agent  string `json:"agent,omitempty"`
	Step   int    `json:"step"`
	Answer bool   `json:"answer,omitempty"` // the step answered
	StopInfo
}

// stepStops lists the steps of t in which the model stopped before it was done.
func stepStops(t session.Turn) (all []StepStop) {
	for _, s := range t.Steps {
		if s.Stop != "" {
			all = append(all, StepStop{s.Agent, s.Number, s.Answer, stopInfo(s.Stop)})
		}
	}
	return all
}

// ThoughtInfo is a thought beside a narrative of the model's own: what its provider summed up of its reasoning in the
// same answer. It is absent if there was none.
type ThoughtInfo struct {
	Thought        *safety.Text   `json:"thought,omitempty"`
	ThoughtSource  session.Source `json:"thought_source,omitempty"` // summary
	ThoughtBlocked bool           `json:"thought_blocked,omitempty"`
}

// thoughtInfo returns the thought of a step.
func thoughtInfo(s session.Step) ThoughtInfo { return thought(s.Thought, s.ThoughtBlocked) }

func thought(text safety.Text, blocked bool) ThoughtInfo {
	return ThoughtInfo{
		Thought: orNull(text), ThoughtSource: sourceOf(text, session.FromSummary), ThoughtBlocked: blocked,
	}
}
