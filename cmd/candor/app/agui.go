package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"candor/agent"
	"candor/agent/workflow"
	"candor/safety"
	"candor/session"
	"candor/web/agui"
	"candor/web/openwop"
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

// newOpenWOP serves clients of OpenWOP from the same loop and the same log as the API.
func newOpenWOP(
	s Settings, chat *agent.Chat, lead *agent.Dispatcher, store session.Store, layer *safety.Layer, log *slog.Logger,
) (*openwop.Server, error) {
	catalog, err := workflow.Load(layer, s.OpenWOPFixtures)
	if err != nil {
		return nil, err
	}
	verbosity, ok := map[string]openwop.Verbosity{
		"": openwop.Full, "full": openwop.Full, "summary": openwop.Summary, "hidden": openwop.Off,
	}[s.Reasoning]
	if !ok {
		return nil, fmt.Errorf("--reasoning: %q is not full, summary or hidden", s.Reasoning)
	}
	var workflows []openwop.Definition
	for _, id := range catalog.List() {
		d, _ := catalog.Get(id)
		workflows = append(workflows, openwop.Definition{ID: id, Body: d.JSON().Raw()})
	}
	return openwop.New(openwop.Options{
		Runs: workflowChat{chat, lead, store, layer, catalog}, Store: store, Log: log, Workflows: workflows,
		Verbosity: verbosity, Whole: s.WholeTexts, Orchestrator: s.Model.Confidence.Low == lowOrchestrator,
		OpenPerUser: min(s.StreamsPerUser, maxRuns), Heartbeat: s.Heartbeat, WriteTimeout: s.WriteTimeout,
	}), nil
}

// workflowChat adapts the agent loop and the workflows to the interface of package openwop, so that
// neither package imports the other.
type workflowChat struct {
	*agent.Chat
	lead    *agent.Dispatcher
	store   session.Store
	layer   *safety.Layer
	catalog *workflow.Catalog
}

// Start begins a run as the next turn of its thread.
func (c workflowChat) Start(ctx context.Context, user string, of openwop.Start) (session.Event, error) {
	own, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Event{}, err
	}
	d, ok := c.catalog.Get(of.Workflow)
	if !ok {
		return session.Event{}, fmt.Errorf("there is no workflow %q", of.Workflow)
	}
	layer := c.layer.Remember(own.Seen())
	inputs, options := cleanedOrNull(layer, of.Inputs), cleanedOrNull(layer, of.Options)
	return c.SendWith(ctx, user, of.Thread, of.Prompt, agent.TurnOptions{
		Workflow: session.Workflow{ID: of.Workflow, Inputs: inputs, Options: options, Spoken: of.Spoken,
			Request: of.Request},
		Threshold: of.Threshold, Runner: d.Runner(c.lead, inputs),
	})
}

// cleanedOrNull returns a client's JSON without its secrets, null for nothing.
func cleanedOrNull(layer *safety.Layer, raw json.RawMessage) safety.JSON {
	if raw == nil {
		return safety.JSON{}
	}
	out, _ := layer.CleanJSON(raw)
	return out
}
