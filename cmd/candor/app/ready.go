package app

import (
	"errors"
	"slices"

	"candor/session/journal"
	"candor/web"
)

// The reasons for which requests should go to another server for now.
const (
	starting     = "mcp_servers_starting" // one of the MCP servers has neither answered nor failed yet
	shuttingDown = "shutting_down"
	storeRefuses = "store_refuses"
	diskFull     = "disk_full" // only reading and deleting
)

// notReady returns why requests should go elsewhere; nothing if they should come here.
func (a *App) notReady() (reasons []string) {
	if a.stopping.Load() {
		reasons = append(reasons, shuttingDown)
	}
	switch err := a.store.Ready(); {
	case errors.Is(err, journal.ErrDiskFull):
		reasons = append(reasons, diskFull)
	case err != nil:
		reasons = append(reasons, storeRefuses)
	}
	if slices.ContainsFunc(a.mcpServers(), func(s web.MCPServer) bool { return s.State == mcpStarting }) {
		reasons = append(reasons, starting)
	}
	return reasons
}
