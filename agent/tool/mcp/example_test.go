package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"candor/agent/tool/mcp"
)

// A configuration has the shape that other MCP clients use. Variables are expanded, and
// printing the result reveals no credential.
func ExampleLoad() {
	file := strings.NewReader(`{"mcpServers": {
		"files":  {"command": "npx", "args": ["-y", "${PACKAGE:-some-server}"]},
		"search": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
		"old":    {"command": "old-server", "disabled": true}
	}}`)
	getenv := func(name string) string { return map[string]string{"TOKEN": "hush"}[name] }
	config, err := mcp.Load(file, getenv)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(config)
	for _, name := range slices.Sorted(maps.Keys(config.Servers)) {
		fmt.Println(name, "over", config.Servers[name])
	}
	fmt.Println(config.Servers["files"].Args)
	// Output:
	// files, search
	// files over stdio
	// search over http
	// [-y some-server]
}

// A server that cannot be started does not make Connect fail; it is tried again until Close.
func ExampleConnect() {
	config := mcp.Config{Servers: map[string]mcp.Endpoint{
		"files": {Command: "a-command-that-does-not-exist"},
	}}
	servers := mcp.Connect(config, mcp.Options{Log: slog.New(slog.DiscardHandler)})
	defer servers.Close()
	servers.Await(context.Background())
	fmt.Println(len(servers.Tools()), "tools")
	// Output:
	// 0 tools
}
