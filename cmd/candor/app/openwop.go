package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"candor/agent"
	"candor/agent/workflow"
	"candor/safety"
	"candor/session"
	"candor/web/openwop"
)

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
