package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"candor/agent"
	"candor/safety"
)

// team is the agent that users speak to, and those it hands tasks to.
type team struct {
	lead    *agent.Dispatcher
	members []member
}

// member is an agent and the tools it has besides those that all share.
type member struct {
	*agent.Dispatcher
	own []agent.Tool
}

// startTime bounds how long MCP servers may take to come up before we go on
// without those that did not.
const startTime = 30 * time.Second

// newTeam makes the agents that the settings describe and gives them their tools,
// again whenever those of an MCP server change. The toolkit is the caller's to close.
func newTeam(s settings, layer *safety.Layer, log *slog.Logger) (*team, *toolkit, error) {
	m, err := newModel(s.modelSettings, log)
	if err != nil {
		return nil, nil, err
	}
	if s.delegate {
		m = m.withDelegate()
	}
	t := &team{}
	if t.lead, err = t.hire(m, s, layer, log); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	var ready atomic.Pointer[toolkit]
	kit, err := newToolkit(ctx, s.toolSettings, layer, log, func() {
		if k := ready.Load(); k != nil {
			if err := t.equip(k.tools()); err != nil {
				log.Warn("tools not replaced", "error", err)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	ready.Store(kit)
	if err := t.equip(kit.tools()); err != nil {
		kit.close()
		return nil, nil, err
	}
	return t, kit, nil
}

// hire makes an agent, and first those that it can hand tasks to.
func (t *team) hire(m model, s settings, layer *safety.Layer, log *slog.Logger) (*agent.Dispatcher, error) {
	approval, err := approvals(s.approve)
	if err != nil {
		return nil, err
	}
	own := slices.Clone(m.tools)
	for name, sub := range m.agents {
		d, err := t.hire(sub, s, layer, log)
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", name, err)
		}
		own = append(own, agent.Delegate{Name: name, Description: "Hands a task to the agent " + name + ".", Agent: d})
	}
	box := &agent.Toolbox{RequireRationale: m.demand}
	d := &agent.Dispatcher{
		Provider: m.provider, Model: m.name, Tools: box, Safety: layer, Log: log,
		Policy: denyTools(slices.Concat(m.deny, s.deny)), Approval: approval,
	}
	t.members = append(t.members, member{d, own})
	return d, nil
}

// equip gives every agent its own tools and these.
func (t *team) equip(tools []agent.Tool) error {
	for _, m := range t.members {
		if err := m.Tools.Replace(withoutTwins(m.own, tools)...); err != nil {
			return err
		}
	}
	return nil
}

// approvals reads TOOL=MODE.
func approvals(flags []string) (map[string]agent.Approval, error) {
	modes := make(map[string]agent.Approval, len(flags))
	for _, f := range flags {
		name, mode, ok := strings.Cut(f, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--approve: want TOOL=MODE, such as file_read=ask")
		}
		a, err := agent.ParseApproval(mode)
		if err != nil {
			return nil, fmt.Errorf("--approve %s: %w", name, err)
		}
		modes[name] = a
	}
	return modes, nil
}

// denyTools is the policy that rejects calls of the tools named.
func denyTools(names []string) agent.Policy {
	if len(names) == 0 {
		return nil
	}
	return func(_ context.Context, tool string, _ []byte) error {
		if slices.Contains(names, tool) {
			return errors.New("rejected by policy: this tool is not allowed here")
		}
		return nil
	}
}
