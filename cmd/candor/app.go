package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"candor/agent"
	"candor/agent/provider/offline"
	"candor/agent/provider/script"
	"candor/agent/tool"
	"candor/safety"
	"candor/session"
	"candor/web"
)

// app is the program's parts, put together. Close it when done.
type app struct {
	store *session.Memory
	chat  *agent.Chat
	web   *web.Server
	root  *os.Root
}

// newApp wires the parts. newID gives sessions their ids; nil means random ones.
func newApp(s settings, tokens web.Tokens, newID func() uuid.UUID, log *slog.Logger) (*app, error) {
	m, err := newModel(s)
	if err != nil {
		return nil, err
	}
	layer, err := newLayer(s.safety)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	d, err := newDispatcher(m, s, layer, tool.Builtin(root, layer), log)
	if err != nil {
		root.Close()
		return nil, err
	}
	a := &app{store: session.NewMemory(newID), root: root}
	a.chat = agent.NewChat(a.store, d, s.patience)
	a.web = web.New(web.Options{
		Chat: a.chat, Store: a.store, Safety: layer, Tokens: tokens, Log: log,
		Backend: web.Backend{Name: s.provider, Model: m.name}, Coverage: coverageOf(d), Metrics: metrics(d),
		SendsPerMinute: s.sends, StreamsPerUser: s.streams, Origins: s.origins,
		Heartbeat: s.heartbeat, WriteTimeout: s.writeWait,
	})
	return a, nil
}

// newDispatcher gives a model its tools, and those of its tools that are other
// agents a dispatcher of their own.
func newDispatcher(m model, s settings, layer *safety.Layer, builtin []agent.Tool, log *slog.Logger) (*agent.Dispatcher, error) {
	approval, err := approvals(s.approve)
	if err != nil {
		return nil, err
	}
	tools := withoutTwins(m.tools, builtin)
	for name, sub := range m.agents {
		d, err := newDispatcher(sub, s, layer, builtin, log)
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", name, err)
		}
		tools = append(tools, agent.Delegate{Name: name, Description: "Hands a task to the agent " + name + ".", Agent: d})
	}
	box, err := agent.NewToolbox(tools...)
	if err != nil {
		return nil, err
	}
	return &agent.Dispatcher{
		Provider: m.provider, Model: m.name, Tools: box, Safety: layer, Log: log,
		Policy: denyTools(slices.Concat(m.deny, s.deny)), Approval: approval,
	}, nil
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

func coverageOf(d *agent.Dispatcher) func() []web.Coverage {
	return func() []web.Coverage {
		var out []web.Coverage
		for _, c := range d.Coverage() {
			out = append(out, web.Coverage(c))
		}
		return out
	}
}

// withoutTwins joins the model's own tools and ours; of two with one name, the
// model's is the one it means.
func withoutTwins(own, builtin []agent.Tool) []agent.Tool {
	twin := func(b agent.Tool) bool {
		return slices.ContainsFunc(own, func(o agent.Tool) bool { return o.Spec().Name == b.Spec().Name })
	}
	return slices.Concat(own, slices.DeleteFunc(builtin, twin))
}

// close takes no more turns, waits for those that run until ctx ends, and lets
// streams go once they have sent everything.
func (a *app) close(ctx context.Context) {
	a.chat.Close(ctx)
	a.store.Close()
	a.root.Close()
}

// model is a provider with what comes along with it.
type model struct {
	name     string
	provider agent.Provider
	tools    []agent.Tool
	deny     []string
	agents   map[string]model // other agents, by the tool that hands them a task
}

func newModel(s settings) (model, error) {
	switch s.provider {
	case "offline":
		return model{name: "offline", provider: offline.New()}, nil
	case "script":
		if s.script == "" {
			return model{}, errors.New("the script provider needs a file: --script FILE")
		}
		f, err := os.Open(s.script)
		if err != nil {
			return model{}, err
		}
		defer f.Close()
		return scriptModel(f)
	}
	return model{}, fmt.Errorf("there is no provider called %q; take offline or script", s.provider)
}

func scriptModel(r io.Reader) (model, error) {
	sc, err := script.Load(r)
	if err != nil {
		return model{}, fmt.Errorf("script: %w", err)
	}
	return modelOf(sc), nil
}

func modelOf(sc *script.Script) model {
	m := model{name: "script", provider: sc, tools: sc.Tools(), deny: sc.Denied(), agents: map[string]model{}}
	for name, sub := range sc.Agents() {
		m.agents[name] = modelOf(sub)
	}
	return m
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
