package agui

import (
	"errors"
	"fmt"
)

// ErrSequence is what a [Verifier] finds wrong.
var ErrSequence = errors.New("the events are out of order")

// Verifier checks the order of events as the client of AG-UI 1.0 does, and what the
// specification demands besides: that a run ends under the ids it began with. Its
// zero value is ready; it is one stream's.
type Verifier struct {
	running  bool
	began    bool // a run was, or an error
	failed   bool // the last thing was an error
	run      Run
	open     map[string]bool // "kind id"
	finished map[string]bool // sub-agents
}

// What can be open, each with ids of its own.
const (
	text      = "text message"
	call      = "tool call"
	reasoning = "reasoning message"
	span      = "reasoning span"
	step      = "step"
	subagent  = "sub-agent"
)

// opens and closes say what an event does to what is open.
var (
	opens = map[Type]string{
		TextStart: text, ToolStart: call, ReasoningStart: reasoning, SpanStart: span, StepStarted: step, SubagentStarted: subagent,
	}
	needs = map[Type]string{
		TextContent: text, ToolArgs: call, ReasoningContent: reasoning,
		TextEnd: text, ToolEnd: call, ReasoningEnd: reasoning, SpanEnd: span, StepFinished: step,
		SubagentFinished: subagent, SubagentError: subagent,
	}
	closes = map[Type]bool{
		TextEnd: true, ToolEnd: true, ReasoningEnd: true, SpanEnd: true, StepFinished: true,
		SubagentFinished: true, SubagentError: true,
	}
)

// Check takes the next event. An error wraps ErrSequence.
func (v *Verifier) Check(e Event) error {
	h := e.head()
	if err := v.lifecycle(e, h.Type); err != nil {
		return err
	}
	if kind, ok := opens[h.Type]; ok {
		return v.opened(kind, e)
	}
	kind, ok := needs[h.Type]
	if !ok {
		return nil
	}
	key := keyOf(kind, e)
	if !v.open[key] {
		return wrong("%s for a %s that is not open: %q", h.Type, kind, key)
	}
	if closes[h.Type] {
		delete(v.open, key)
		if kind == subagent {
			v.finished[key] = true
		}
	}
	return nil
}

// Done says whether the stream may end here: after a terminal event.
func (v *Verifier) Done() error {
	if v.running || !v.began {
		return wrong("the stream ends without the end of a run")
	}
	return nil
}

func (v *Verifier) lifecycle(e Event, t Type) error {
	switch {
	case t == RunStarted:
		if v.running {
			return wrong("%s while a run is active", t)
		}
		v.running, v.began, v.failed, v.run = true, true, false, *e.(*Run)
		v.open, v.finished = map[string]bool{}, map[string]bool{}
		return nil
	case t == RunError:
		if v.failed {
			return wrong("%s after %s", t, RunError)
		}
		v.running, v.began, v.failed = false, true, true
		return nil
	case !v.began:
		return wrong("the first event is %s", t)
	case !v.running:
		return wrong("%s after the end of a run", t)
	case t == RunFinished:
		return v.finish(*e.(*Run))
	}
	return nil
}

func (v *Verifier) finish(r Run) error {
	for key := range v.open {
		return wrong("%s with a %s open", RunFinished, key)
	}
	if r.ThreadID != v.run.ThreadID || r.RunID != v.run.RunID {
		return wrong("%s has other ids than %s", RunFinished, RunStarted)
	}
	v.running = false
	return nil
}

func (v *Verifier) opened(kind string, e Event) error {
	key := keyOf(kind, e)
	if v.open[key] {
		return wrong("a second start of a %s", key)
	}
	if kind == subagent && v.finished[key] {
		return wrong("a %s starts again in the same run", key)
	}
	other := map[string]string{text: reasoning, reasoning: text}[kind]
	if other != "" && v.open[keyOf(other, e)] {
		return wrong("a %s and a %s share an id", key, other)
	}
	v.open[key] = true
	return nil
}

// keyOf names what an event is about. Steps are told apart by owner, too.
func keyOf(kind string, e Event) string {
	switch e := e.(type) {
	case *Start:
		return kind + " " + e.MessageID
	case *Content:
		return kind + " " + e.MessageID
	case *Mark:
		return kind + " " + e.MessageID
	case *Call:
		return kind + " " + e.ToolCallID
	case *Args:
		return kind + " " + e.ToolCallID
	case *Step:
		return kind + " " + e.Subagent + " " + e.StepName
	}
	return kind + " " + e.head().Subagent
}

func wrong(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrSequence, fmt.Sprintf(format, a...))
}
