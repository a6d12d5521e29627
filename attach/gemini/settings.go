package gemini

import (
	"time"

	"candor/attach"
	"candor/attach/settings"
)

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"run_shell_command", "replace", "write_file", "mcp_.*"}

// remindingEvent is the beginning of a turn, where the reply may add to what the model reads.
const remindingEvent = "BeforeAgent"

// Remind returns the reply to a hook, which encodes as JSON and asks the model for its reasons.
var Remind = attach.Reminder(remindingEvent)

// Commands returns the hooks of the file settings.json, which run the program at the path candor.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "gemini", Candor: candor, Unit: time.Millisecond, Named: true,
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"},
		Before: "BeforeTool", OfTools: []string{"BeforeTool", "AfterTool"}, AllTools: ".*",
		Reminds: []string{remindingEvent},
	}
}
