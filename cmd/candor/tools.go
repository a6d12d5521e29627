package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"candor/agent"
	"candor/agent/tool"
	"candor/agent/tool/mcp"
	"candor/safety"
)

// toolSettings say what a model may call.
type toolSettings struct {
	workspace string
	deny      []string
	approve   []string
	enable    []string // built-in tools that are off otherwise
	mcpConfig string
}

// toolkit is what there is to call: built-in tools and those of MCP servers. Close
// it when done.
type toolkit struct {
	root    *os.Root
	builtin []agent.Tool
	servers *mcp.Servers // nil without a configuration
}

// newToolkit opens the workspace and starts the MCP servers. changed is told when
// their tools are others; it may be called before newToolkit returns.
func newToolkit(ctx context.Context, s toolSettings, layer *safety.Layer, log *slog.Logger, changed func()) (*toolkit, error) {
	root, err := os.OpenRoot(s.workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	k := &toolkit{root: root, builtin: tool.Builtin(root, layer)}
	for _, name := range s.enable {
		switch name {
		case "shell":
			k.builtin = append(k.builtin, tool.Shell(s.workspace))
		case "http_get":
			k.builtin = append(k.builtin, tool.HTTPGet(tool.HTTPGetOptions{UserAgent: "candor"}))
		default:
			root.Close()
			return nil, fmt.Errorf("--enable: there is no tool %q to enable; take shell or http_get", name)
		}
	}
	if s.mcpConfig != "" {
		if k.servers, err = connectMCP(ctx, s.mcpConfig, k.names(), log, changed); err != nil {
			root.Close()
			return nil, err
		}
	}
	return k, nil
}

func connectMCP(ctx context.Context, file string, taken []string, log *slog.Logger, changed func()) (*mcp.Servers, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	config, err := mcp.Load(f, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("--mcp %s: %w", file, err)
	}
	return mcp.Connect(ctx, config, mcp.Options{
		Log: log, Reserved: taken, OnChange: func([]agent.Tool) { changed() },
	})
}

func (k *toolkit) names() []string {
	var names []string
	for _, t := range k.builtin {
		names = append(names, t.Spec().Name)
	}
	return names
}

// tools are all there are now.
func (k *toolkit) tools() []agent.Tool {
	if k.servers == nil {
		return slices.Clone(k.builtin)
	}
	return slices.Concat(k.builtin, k.servers.Tools())
}

func (k *toolkit) close() {
	if k.servers != nil {
		k.servers.Close()
	}
	k.root.Close()
}

// withoutTwins joins the model's own tools and ours; of two with one name, the
// model's is the one it means.
func withoutTwins(own, ours []agent.Tool) []agent.Tool {
	twin := func(b agent.Tool) bool {
		return slices.ContainsFunc(own, func(o agent.Tool) bool { return o.Spec().Name == b.Spec().Name })
	}
	return slices.Concat(own, slices.DeleteFunc(slices.Clone(ours), twin))
}
