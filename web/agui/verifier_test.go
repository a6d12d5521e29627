package agui

import (
	"errors"
	"fmt"
)

// errSequence is wrapped by every error of a verifier.
var errSequence = errors.New("the events are out of order")

// verifier checks the order of one stream's events by the rules that the client of
// AG-UI 1.0 enforces, and one that only the specification states: a run ends under the
// ids that it began with. The zero value is ready to use.
type verifier struct {
	running  bool
	began    bool // a run or an error was seen
	failed   bool // the last lifecycle event was an error
	run      Run
	open     map[string]bool // "kind id"
	finished map[string]bool // sub-agents
}

// The kinds of things that can be open. Each kind has ids of its own.
const (
	openText      = "text message"
	openCall      = "tool call"
	openReasoning = "reasoning message"
	openSpan      = "reasoning span"
	openStep      = "step"
	openSubagent  = "sub-agent"
)

// The kind that each type of event opens, that it needs to be open, and whether it
// closes it.
var (
	opens = map[Type]string{
		TextStart: openText, ToolStart: openCall, ReasoningStart: openReasoning, SpanStart: openSpan,
		StepStarted: openStep, SubagentStarted: openSubagent,
	}
	needs = map[Type]string{
		TextContent: openText, ToolArgs: openCall, ReasoningContent: openReasoning,
		TextEnd: openText, ToolEnd: openCall, ReasoningEnd: openReasoning, SpanEnd: openSpan,
		StepFinished: openStep, SubagentFinished: openSubagent, SubagentError: openSubagent,
	}
	closes = map[Type]bool{
		TextEnd: true, ToolEnd: true, ReasoningEnd: true, SpanEnd: true, StepFinished: true,
		SubagentFinished: true, SubagentError: true,
	}
)

// check takes the next event.
func (v *verifier) check(e Event) error {
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
		if kind == openSubagent {
			v.finished[key] = true
		}
	}
	return nil
}

// done returns an error unless the stream may end here, after a terminal event.
func (v *verifier) done() error {
	if v.running || !v.began {
		return wrong("the stream ends without the end of a run")
	}
	return nil
}

func (v *verifier) lifecycle(e Event, t Type) error {
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

func (v *verifier) finish(r Run) error {
	for key := range v.open {
		return wrong("%s with a %s open", RunFinished, key)
	}
	if r.ThreadID != v.run.ThreadID || r.RunID != v.run.RunID {
		return wrong("%s has other ids than %s", RunFinished, RunStarted)
	}
	v.running = false
	return nil
}

func (v *verifier) opened(kind string, e Event) error {
	key := keyOf(kind, e)
	if v.open[key] {
		return wrong("a second start of a %s", key)
	}
	if kind == openSubagent && v.finished[key] {
		return wrong("a %s starts again in the same run", key)
	}
	other := map[string]string{openText: openReasoning, openReasoning: openText}[kind]
	if other != "" && v.open[keyOf(other, e)] {
		return wrong("a %s and a %s share an id", key, other)
	}
	v.open[key] = true
	return nil
}

// keyOf identifies what an event is about. Steps of different sub-agents differ.
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
	return fmt.Errorf("%w: %s", errSequence, fmt.Sprintf(format, a...))
}
