package codex

import (
	"time"

	"candor/attach"
	"candor/attach/settings"
)

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"Bash", "apply_patch", "mcp__.*"}

// remindingEvents are those whose reply may add to what the model reads: the beginnings of a turn and a sub-agent.
var remindingEvents = []string{"UserPromptSubmit", "SubagentStart"}

// Remind returns the reply to a hook, which encodes as JSON and asks the model for its reasons.
var Remind = attach.Reminder(remindingEvents...)

// Commands returns the hooks of the file hooks.json, which run the program at the path candor. If a call asked to leave
// the sandbox and a person approved it, it may.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "codex", Candor: candor, Unit: time.Second,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
			"SubagentStop", "Stop"},
		Before: "PreToolUse", OfTools: []string{"PreToolUse", "PostToolUse"}, AllTools: "*",
		Answered: []string{permissionRequestEvent}, Reminds: remindingEvents,
	}
}
