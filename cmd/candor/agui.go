package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"candor/agent"
	"candor/safety"
	"candor/session"
	"candor/web/agui"
)

// maxRuns is how many runs a user may have open, however many streams: a run takes a
// whole conversation to begin with.
const maxRuns = 20

// newAGUI serves AG-UI's front ends from the same loop and log.
func newAGUI(s settings, chat *agent.Chat, lead *agent.Dispatcher, store session.Store, layer *safety.Layer, log *slog.Logger) (*agui.Server, error) {
	level := agui.Full
	if s.reasoning != "" {
		var ok bool
		if level, ok = agui.ParseLevel(s.reasoning); !ok {
			return nil, fmt.Errorf("--reasoning: %q is none of full, summary, hidden", s.reasoning)
		}
	}
	loop := frontDoor{chat}
	patience := s.patience
	if patience == 0 {
		patience = agent.DefaultApprovalTimeout
	}
	return agui.New(agui.Options{
		Chat: loop, Answers: loop, Cipher: chat, Store: store, Safety: layer, Log: log,
		Reasoning: level, Model: lead.Model, ApprovalTimeout: patience, Tools: toolsOf(lead),
		RunsPerUser: min(s.streams, maxRuns), Heartbeat: s.heartbeat, WriteTimeout: s.writeWait,
	}), nil
}

// frontDoor is the loop in the words of package agui.
type frontDoor struct{ *agent.Chat }

func (f frontDoor) Allow(tools []agui.InputTool) error {
	return inAGUI(f.Chat.CheckTools(frontEndTools(tools)))
}

func (f frontDoor) Post(ctx context.Context, user, thread string, w agui.Prompt) (session.Event, error) {
	options := agent.TurnOptions{Tools: frontEndTools(w.Tools)}
	for _, s := range w.Context {
		options.Context = append(options.Context, agent.Message{Role: agent.Role(s.Role), Text: s.Text})
	}
	e, err := f.Chat.SendWith(ctx, user, thread, w.Content, options)
	return e, inAGUI(err)
}

func (f frontDoor) Return(user, thread string, turn int, call string, result json.RawMessage, failure string) error {
	return inAGUI(f.Chat.ReturnResult(user, thread, turn, call, result, failure))
}

func frontEndTools(tools []agui.InputTool) []agent.FrontEndTool {
	out := make([]agent.FrontEndTool, len(tools))
	for i, t := range tools {
		out[i] = agent.FrontEndTool(t)
	}
	return out
}

// inAGUI is an error as package agui knows it.
func inAGUI(err error) error {
	if bad, ok := errors.AsType[*agent.ToolError](err); ok {
		return (*agui.ToolError)(bad)
	}
	if errors.Is(err, agent.ErrNoCall) {
		return agui.ErrNoCall
	}
	return err
}

// toolsOf are the agent's own tools, as they are now.
func toolsOf(d *agent.Dispatcher) func() []agui.InputTool {
	return func() []agui.InputTool {
		var out []agui.InputTool
		for _, spec := range d.Tools.Specs() {
			out = append(out, agui.InputTool{Name: spec.Name, Description: spec.Description})
		}
		return out
	}
}
