package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"candor/agent"
	"candor/safety"
	"candor/session"
	"candor/web/agui"
)

// maxRuns bounds the AG-UI runs that a user may have open, however many streams the
// settings allow: each run begins by reading a whole conversation into memory.
const maxRuns = 20

// newAGUI serves AG-UI front ends from the same loop and the same log as the API.
func newAGUI(
	s Settings, chat *agent.Chat, lead *agent.Dispatcher, store session.Store, layer *safety.Layer, log *slog.Logger,
) (*agui.Server, error) {
	level := agui.Full
	if s.Reasoning != "" {
		var ok bool
		if level, ok = agui.ParseLevel(s.Reasoning); !ok {
			return nil, fmt.Errorf("--reasoning: %q is not full, summary or hidden", s.Reasoning)
		}
	}
	timeout := s.ApprovalTimeout
	if timeout == 0 {
		timeout = agent.DefaultApprovalTimeout
	}
	loop, specs := aguiChat{chat}, lead.Tools.Specs()
	return agui.New(agui.Options{
		Chat: loop, Command: answerFrontEnd, Answers: loop, Cipher: chat, Store: store, Safety: layer, Log: log,
		Reasoning: level, Model: lead.Model, ApprovalTimeout: timeout, Tools: toolsOf(lead),
		// Of the agent's own tools only those that hand tasks on may wait.
		Delegates:   slices.ContainsFunc(specs, func(spec agent.Spec) bool { return spec.MayWait }),
		Memory:      slices.ContainsFunc(specs, func(spec agent.Spec) bool { return spec.Name == "memory_search" }),
		RunsPerUser: min(s.StreamsPerUser, maxRuns), Heartbeat: s.Heartbeat, WriteTimeout: s.WriteTimeout,
	}), nil
}

// aguiChat adapts the agent loop to the interfaces of package agui, so that neither
// package imports the other.
type aguiChat struct{ *agent.Chat }

// Allow reports whether a front end may offer these tools.
func (c aguiChat) Allow(ctx context.Context, tools []agui.InputTool) error {
	return toAGUIError(c.Chat.CheckTools(ctx, frontEndTools(tools)))
}

// Post adds a user's message to a thread, with the front end's tools and the messages
// that precede it.
func (c aguiChat) Post(ctx context.Context, user, thread string, p agui.Prompt) (session.Event, error) {
	options := agent.TurnOptions{Tools: frontEndTools(p.Tools), Message: p.Message}
	for _, s := range p.Context {
		options.Context = append(options.Context, agent.Message{Role: agent.Role(s.Role), Text: s.Text})
	}
	e, err := c.Chat.SendWith(ctx, user, thread, p.Content, options)
	return e, toAGUIError(err)
}

// Return gives the loop the result of a call that the front end ran.
func (c aguiChat) Return(user, thread string, turn int, call string, result json.RawMessage, failure string) error {
	return toAGUIError(c.Chat.ReturnResult(user, thread, turn, call, result, failure))
}

// frontEndTools converts the tools that a front end offers for one run.
func frontEndTools(tools []agui.InputTool) []agent.FrontEndTool {
	out := make([]agent.FrontEndTool, len(tools))
	for i, t := range tools {
		out[i] = agent.FrontEndTool(t)
	}
	return out
}

// toAGUIError translates the loop's errors into those that package agui answers with.
func toAGUIError(err error) error {
	if bad, ok := errors.AsType[*agent.ToolError](err); ok {
		return (*agui.ToolError)(bad)
	}
	if errors.Is(err, agent.ErrNoCall) {
		return agui.ErrNoCall
	}
	return err
}

// toolsOf returns a function that lists the agent's own tools at the time of the call:
// MCP servers may change them.
func toolsOf(d *agent.Dispatcher) func() []agui.InputTool {
	return func() []agui.InputTool {
		var out []agui.InputTool
		for _, spec := range d.Tools.Specs() {
			out = append(out, agui.InputTool{Name: spec.Name, Description: spec.Description})
		}
		return out
	}
}
