package view

import (
	"slices"

	"candor/safety"
	"candor/session"
)

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

// Redaction counts what a rule masked or withheld.
type Redaction struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Notice counts what a rule saw and left readable: as it was, or neutralised by a visible
// escape. For the rule invisible-text these are invisible characters, which were removed.
type Notice struct {
	Rule     string          `json:"rule"`
	Count    int             `json:"count"`
	Severity safety.Severity `json:"severity"`
}

// redactions lists what was masked or withheld, one entry a rule in the order of findings,
// which are sorted by rule. It is nil if there is none.
func redactions(findings []safety.Finding) []Redaction {
	var list []Redaction
	for _, f := range findings {
		switch last := len(list) - 1; {
		case !f.Effect.Hides():
		case last >= 0 && list[last].Rule == f.Rule:
			list[last].Count += f.Count
		default:
			list = append(list, Redaction{f.Rule, f.Count})
		}
	}
	return list
}

// notices lists what was seen and left, one entry a rule in the order of findings. It is nil
// if there is none.
func notices(findings []safety.Finding) []Notice {
	var list []Notice
	for _, f := range findings {
		switch last := len(list) - 1; {
		case f.Effect.Hides():
		case last >= 0 && list[last].Rule == f.Rule:
			list[last].Count += f.Count
		default:
			list = append(list, Notice{f.Rule, f.Count, f.Severity})
		}
	}
	return list
}

// redacted reports whether anything was masked or withheld.
func redacted(findings []safety.Finding) bool {
	return slices.ContainsFunc(findings, func(f safety.Finding) bool { return f.Effect.Hides() })
}
