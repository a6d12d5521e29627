package app

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

// startTimeout bounds how long MCP servers may take to start. The agent goes on
// without those that did not.
const startTimeout = 30 * time.Second

// NewAgent builds the agent that the settings describe, with its sub-agents and its
// tools. The tools are replaced whenever those of an MCP server change; a turn that runs
// at that moment sees the new ones from its next step on. The caller calls closeAgent
// when no turn runs any more; it stops the MCP servers and closes the workspace. After
// an error nothing is left to close.
func NewAgent(s Settings, layer *safety.Layer, log *slog.Logger) (lead *agent.Dispatcher, closeAgent func(),
	err error) {
	m, err := newModel(s.Model, log)
	if err != nil {
		return nil, nil, err
	}
	if s.Model.Delegate {
		m = m.withDelegate()
	}
	s.Tools.private = s.privateFiles()
	t := &team{}
	if lead, err = t.add(m, s.Tools, layer, log); err != nil {
		return nil, nil, err
	}
	for _, m := range t.members {
		m.Stream = !s.WholeTexts
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var ready atomic.Pointer[toolkit]
	kit, err := newToolkit(ctx, s.Tools, layer, log, func() {
		if k := ready.Load(); k != nil {
			if err := t.reequip(s.Tools, k.tools()); err != nil {
				log.Warn("tools not replaced", "error", err)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	ready.Store(kit)
	err = t.checkToolNames(s.Tools, kit, log)
	if err == nil {
		err = t.reequip(s.Tools, kit.tools())
	}
	if err != nil {
		kit.close()
		return nil, nil, err
	}
	return lead, kit.close, nil
}

// team is the agent that users talk to, and the agents it hands tasks to, in the order
// in which they were made: an agent follows those that it can hand tasks to. All share
// one toolkit, one policy for --deny and one set of approvals.
type team struct{ members []member }

// member is an agent and the tools that it alone has.
type member struct {
	*agent.Dispatcher
	own []agent.Tool
}

// add makes an agent of a model, after the agents that it can hand tasks to.
func (t *team) add(m model, s ToolSettings, layer *safety.Layer, log *slog.Logger) (*agent.Dispatcher, error) {
	approval, err := parseApprovals(s.Approve)
	if err != nil {
		return nil, err
	}
	own := slices.Clone(m.tools)
	for name, sub := range m.agents {
		d, err := t.add(sub, s, layer, log)
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", name, err)
		}
		own = append(own, agent.Delegate{Name: name, Description: "Hands a task to the agent " + name + ".", Agent: d})
	}
	box := &agent.Toolbox{RequireRationale: m.demand}
	d := &agent.Dispatcher{
		Provider: m.provider, Model: m.name, Tools: box, Safety: layer, Log: log,
		Policy: denyTools(slices.Concat(m.deny, s.Deny)), Approval: approvalOf(approval),
	}
	t.members = append(t.members, member{d, own})
	return d, nil
}

// reequip is equip for tools that MCP servers brought. It leaves every agent the tools
// it has if the flags would not hold for the new ones.
func (t *team) reequip(s ToolSettings, shared []agent.Tool) error {
	if err := checkRenamed(s, shared); err != nil {
		return err
	}
	return t.equip(shared)
}

// equip replaces every agent's tools by its own and the shared ones.
func (t *team) equip(shared []agent.Tool) error {
	for _, m := range t.members {
		if err := m.Tools.Replace(mergeTools(m.own, shared)...); err != nil {
			return err
		}
	}
	return nil
}

// parseApprovals reads flags of the form TOOL=MODE. The last flag of a tool wins. Whether
// there is such a tool is checked once the tools are known.
func parseApprovals(flags []string) (map[string]agent.Approval, error) {
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

// approvalOf returns the approval mode of a tool, which the flags may override.
func approvalOf(modes map[string]agent.Approval) func(agent.Spec) agent.Approval {
	return func(tool agent.Spec) agent.Approval {
		if mode, ok := modes[tool.Name]; ok {
			return mode
		}
		return tool.Approval
	}
}

// denyTools returns a policy that rejects every call of the named tools, or nil if none
// is named. The model is told that the call was rejected and may go on without it.
func denyTools(names []string) agent.Policy {
	if len(names) == 0 {
		return nil
	}
	return func(_ context.Context, tool agent.Spec, _ []byte) error {
		if slices.Contains(names, tool.Name) {
			return errors.New("rejected by policy: this tool is not allowed here")
		}
		return nil
	}
}
