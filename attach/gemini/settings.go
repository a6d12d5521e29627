package gemini

import (
	"time"

	"candor/attach"
	"candor/attach/settings"
)

// WritingTools are the tools of the program that change something, and those of all MCP servers, as a matcher has them.
var WritingTools = []string{"run_shell_command", "replace", "write_file", "mcp_.*"}

// remindingEvent is the beginning of a turn, where the reply may add to what the model reads.
const remindingEvent = "BeforeAgent"

// Remind returns the reply to a hook, which encodes as JSON, and by which the model is asked for its reasons.
var Remind = attach.Reminder(remindingEvent)

// Commands returns the hooks of the file settings.json. candor is the path of the program that they run.
func Commands(candor string) settings.Commands {
	return settings.Commands{
		Program: "gemini", Candor: candor, Unit: time.Millisecond, Named: true,
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"},
		Before: "BeforeTool", After: "AfterTool", AllTools: ".*", Reminds: []string{remindingEvent},
	}
}
