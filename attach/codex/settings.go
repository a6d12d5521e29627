package codex

import (
	"time"

	"candor/attach"
	"candor/attach/settings"
)

// WritingTools are the tools of the program that change something, and those of all MCP servers, as a matcher has them.
var WritingTools = []string{"Bash", "apply_patch", "mcp__.*"}

// remindingEvents are those whose reply may add to what the model reads: the beginnings of a turn and a sub-agent.
var remindingEvents = []string{"UserPromptSubmit", "SubagentStart"}

// Remind returns the reply to a hook, which encodes as JSON, and by which the model is asked for its reasons.
var Remind = attach.Reminder(remindingEvents...)

// Commands returns the hooks of the file hooks.json. candor is the path of the program that they run. An approved call
// may leave the sandbox, if it asked for that.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "codex", Candor: candor, Unit: time.Second,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
			"SubagentStop", "Stop"},
		Before: "PreToolUse", After: "PostToolUse", AllTools: "*",
		Answered: []string{permissionRequestEvent}, Reminds: remindingEvents,
	}
}
