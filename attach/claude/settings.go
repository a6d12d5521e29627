package claude

import (
	"time"

	"candor/attach/settings"
)

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"Bash", "Edit", "MultiEdit", "NotebookEdit", "Write", "mcp__.*"}

// Commands returns the hooks of settings.json, which run the program at the path candor. The program could post hooks
// by itself, and would give the token to whoever listens at the server's address: Posted tells such hooks.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "claude", Candor: candor, Unit: time.Second,
		Events: []string{"UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"PostToolBatch", "PermissionDenied", "SubagentStart", "SubagentStop", "Stop", "StopFailure"},
		Before:   "PreToolUse",
		OfTools:  []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"},
		AllTools: "*", Reminds: remindingEvents, Posted: "/api/hooks/claude", Switch: "showThinkingSummaries",
	}
}
