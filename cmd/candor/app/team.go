package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"candor/agent"
	"candor/agent/tool/mcp"
	"candor/safety"
)

// startTimeout bounds how long MCP servers may take to start where their tools are awaited. The
// agent goes on without those that did not.
const startTimeout = 30 * time.Second

// NewAgent builds the agent that the settings describe, with its sub-agents and its
// tools. The tools are replaced whenever those of an MCP server change; a turn that runs
// at that moment sees the new ones from its next step on. The caller calls closeAgent
// when no turn runs any more; it stops the MCP servers and closes the workspace. After
// an error nothing is left to close.
func NewAgent(s Settings, layer *safety.Layer, log *slog.Logger) (lead *agent.Dispatcher, closeAgent func(),
	err error) {
	t, kit, err := newTeam(s, layer, log)
	if err != nil {
		return nil, nil, err
	}
	return t.lead, kit.close, nil
}

// newTeam is NewAgent for a caller who needs the tools as well. The caller closes the toolkit.
func newTeam(s Settings, layer *safety.Layer, log *slog.Logger) (*team, *toolkit, error) {
	m, err := newModel(s.Model, log)
	if err != nil {
		return nil, nil, err
	}
	confidence, err := s.Model.Confidence.confidence()
	if err != nil {
		return nil, nil, err
	}
	charge, err := s.Model.costs()
	if err != nil {
		return nil, nil, err
	}
	if s.Model.Delegate {
		m = m.withDelegate()
	}
	s.Tools.private = s.privateFiles()
	if err := s.Tools.checkMCP(); err != nil {
		return nil, nil, err
	}
	config, err := s.Tools.mcpConfig()
	if err != nil {
		return nil, nil, err
	}
	flags, err := parseRules(s.Tools, slices.Sorted(maps.Keys(config.Servers)))
	if err != nil {
		return nil, nil, err
	}
	t := &team{rules: newRules(flags, log)}
	if t.lead, err = t.add(m, layer, log); err != nil {
		return nil, nil, err
	}
	for _, m := range t.members {
		m.Stream = !s.WholeTexts
		m.Confidence, m.Price = confidence, charge
	}
	kit, err := t.equip(s.Tools, config, layer, log)
	return t, kit, err
}

// equip makes the tools and gives them to the agents, now and whenever they change.
func (t *team) equip(s ToolSettings, config mcp.Config, layer *safety.Layer, log *slog.Logger) (*toolkit, error) {
	var ready atomic.Pointer[toolkit]
	kit, err := newToolkit(s, config, layer, log, func() {
		if k := ready.Load(); k != nil {
			if err := t.refresh(k); err != nil {
				log.Warn("tools not replaced", "error", err)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if s.AwaitMCP && kit.servers != nil {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		kit.servers.Await(ctx)
		cancel()
	}
	ready.Store(kit)
	if err = t.checkRules(kit); err == nil {
		err = t.refresh(kit)
	}
	if err != nil {
		kit.close()
		return nil, err
	}
	return kit, nil
}

// team is the agent that users talk to, and the agents it hands tasks to, in the order
// in which they were made: an agent follows those that it can hand tasks to. All share
// one toolkit and one set of rules.
type team struct {
	lead    *agent.Dispatcher
	members []member
	rules   *rules

	refreshing sync.Mutex // held while tools are replaced, so that the latest are last
}

// member is an agent and the tools that it alone has.
type member struct {
	*agent.Dispatcher
	own []agent.Tool
}

// add makes an agent of a model, after the agents that it can hand tasks to.
func (t *team) add(m model, layer *safety.Layer, log *slog.Logger) (*agent.Dispatcher, error) {
	own := slices.Clone(m.tools)
	for name, sub := range m.agents {
		d, err := t.add(sub, layer, log)
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", name, err)
		}
		own = append(own, agent.Delegate{
			Name: name, Title: sub.title, Description: "Hands a task to the agent " + name + ".", Agent: d,
		})
	}
	box := &agent.Toolbox{RequireRationale: m.demand}
	d := &agent.Dispatcher{
		Provider: m.provider, Model: m.name, Effort: m.effort, Tools: box, Safety: layer, Log: log,
		Policy: t.policy(m.deny), Approval: t.rules.approval,
	}
	t.members = append(t.members, member{d, own})
	return d, nil
}

// refresh replaces every agent's tools by its own and the shared ones, and tells the rules.
func (t *team) refresh(k *toolkit) error {
	t.refreshing.Lock()
	defer t.refreshing.Unlock()
	shared := k.tools()
	for _, m := range t.members {
		if err := m.Tools.Replace(mergeTools(m.own, shared)...); err != nil {
			return err
		}
	}
	t.rules.update(t.knownTools(k), k.states())
	return nil
}

// policy returns a policy that rejects every call of the named tools, and what the rules deny.
func (t *team) policy(denied []string) agent.Policy {
	return func(ctx context.Context, tool agent.Spec, args []byte) error {
		if slices.Contains(denied, tool.Name) {
			return errNotAllowed
		}
		return t.rules.deny(ctx, tool, args)
	}
}
