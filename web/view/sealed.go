package view

import "candor/session"

// SealedReasoning says that there was reasoning in a step that only the provider of its model can read:
// its kind and how much it was, and never what. Steps are counted from 1 for each agent; Agent is absent
// for the main one.
type SealedReasoning struct {
	Agent  string `json:"agent,omitempty"`
	Step   int    `json:"step"`
	Answer bool   `json:"answer,omitempty"` // the step answered
	sealed
}

// sealed has the size of sealed reasoning. Kind is encrypted, or signature where the provider left the reasoning
// out and signed it. Tokens are those that the model spent on reasoning in the step. What nobody counted is absent.
type sealed struct {
	Kind   session.SealKind `json:"kind"`
	Bytes  int              `json:"bytes,omitempty"`
	Tokens int              `json:"tokens,omitempty"`
}

// sealedReasoning lists the steps of t with sealed reasoning.
func sealedReasoning(t session.Turn) []SealedReasoning {
	var all []SealedReasoning
	for _, s := range t.Steps {
		if s.Sealed.Known() {
			all = append(all, SealedReasoning{s.Agent, s.Number, s.Answer, sealed(s.Sealed)})
		}
	}
	return all
}

// sealedFrame tells of the sealed reasoning of a step, before its calls and after its narrative, if there
// is one.
type sealedFrame struct {
	frameHead
	Step   int  `json:"step"`
	Answer bool `json:"answer,omitempty"`
	sealed
}

// narrated gives the thought beside a narrative, the narrative, and then what was sealed.
func narrated(b session.Narrated, head func(string) frameHead) (frames []Frame) {
	if !b.Thought.Empty() {
		frames = append(frames, Frame{"thinking", thinkingFrame{
			frameHead: head("thinking"), Message: b.Thought, Step: b.Step, Source: session.FromSummary, Beside: true,
		}})
	}
	if !b.Text.Empty() {
		frames = append(frames, Frame{"thinking", thinkingFrame{
			frameHead: head("thinking"), Message: b.Text, Step: b.Step, Source: b.Source, Answer: b.Answer,
		}})
	}
	if b.Sealed.Known() {
		const name = "sealed_reasoning"
		frames = append(frames, Frame{name, sealedFrame{head(name), b.Step, b.Answer, sealed(b.Sealed)}})
	}
	return frames
}
