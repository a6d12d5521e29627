package app

import (
	"fmt"
	"log/slog"
	"os"
	"slices"

	"candor/agent"
	"candor/agent/tool"
	"candor/agent/tool/mcp"
	"candor/safety"
)

// toolkit is what every agent may call: built-in tools and those of MCP servers. File
// tools reach the workspace through an os.Root, which no path and no link leads out of.
type toolkit struct {
	root    *os.Root
	builtin []agent.Tool
	servers *mcp.Servers // nil without a configuration
}

// optionalTools are the built-in tools that --enable turns on.
var optionalTools = []string{"shell", "http_get"}

// newToolkit opens the workspace and starts the MCP servers, which join as they answer. It
// calls changed when their tools change, possibly before it returns. The caller closes the
// toolkit.
func newToolkit(
	s ToolSettings, config mcp.Config, layer *safety.Layer, log *slog.Logger, changed func(),
) (*toolkit, error) {
	root, err := os.OpenRoot(s.Workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	k := &toolkit{root: root, builtin: tool.Builtin(root, layer, s.private...)}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Enable))) {
		switch name {
		case "shell":
			k.builtin = append(k.builtin, tool.Shell(s.Workspace))
		case "http_get":
			k.builtin = append(k.builtin, tool.HTTPGet(tool.HTTPGetOptions{UserAgent: "candor"}))
		default:
			root.Close()
			return nil, fmt.Errorf("--enable: there is no tool %q to enable; use shell or http_get", name)
		}
	}
	if len(config.Servers) > 0 {
		k.servers = mcp.Connect(config, mcp.Options{
			Log: log, Reserved: namesOf(k.builtin), CallTimeout: s.MCPTimeout,
			OnChange: func([]agent.Tool) { changed() },
			Clean: func(text string) string {
				cleaned, _ := layer.Mask(text)
				return cleaned.String()
			},
		})
	}
	return k, nil
}

// mcpConfig reads the configuration of MCP servers. It is empty if there is none.
func (s ToolSettings) mcpConfig() (mcp.Config, error) {
	if s.MCPConfig == "" {
		return mcp.Config{}, nil
	}
	return loadMCP(s.MCPConfig)
}

// loadMCP reads a configuration file of MCP servers.
func loadMCP(file string) (mcp.Config, error) {
	f, err := os.Open(file)
	if err != nil {
		return mcp.Config{}, fmt.Errorf("--mcp: %w", err)
	}
	defer f.Close()
	config, err := mcp.Load(f, os.Getenv)
	if err != nil {
		return mcp.Config{}, fmt.Errorf("--mcp %s: %w", file, err)
	}
	return config, nil
}

// namesOf returns the names of tools, in their order.
func namesOf(tools []agent.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Spec().Name)
	}
	return names
}

// tools returns all tools that are available now.
func (k *toolkit) tools() []agent.Tool {
	if k.servers == nil {
		return slices.Clone(k.builtin)
	}
	return slices.Concat(k.builtin, k.servers.Tools())
}

// states returns how the MCP servers are.
func (k *toolkit) states() []mcp.State {
	if k.servers == nil {
		return nil
	}
	return k.servers.States()
}

// close stops the MCP servers and closes the workspace. No tool may run any more.
func (k *toolkit) close() {
	if k.servers != nil {
		k.servers.Close()
	}
	k.root.Close()
}

// mergeTools joins a model's own tools and the shared ones. If two tools have the same
// name the model's own wins, since its definition is the one that the model knows.
func mergeTools(own, shared []agent.Tool) []agent.Tool {
	taken := namesOf(own)
	return slices.Concat(own, slices.DeleteFunc(slices.Clone(shared), func(t agent.Tool) bool {
		return slices.Contains(taken, t.Spec().Name)
	}))
}
