package gemini

import (
	"encoding/json"
	"strings"

	"candor/attach"
	"candor/attach/settings"
)

// hookTime is how long the program waits for a hook, in milliseconds. The command itself gives up before.
const hookTime = 10_000

// hookArguments stand in the command of our hooks between the program that it runs and the server, those of hooks
// that wait for a person or ask the model for reasons before them; by them they are told from those of others.
const (
	hookArguments   = " hook gemini --server "
	remindArguments = " hook gemini --ask-reasons --server "
	askArguments    = " hook gemini --approve --server "
)

// askTime is how long the program waits for a person, in milliseconds. The command itself gives up before, and the
// server before that.
const askTime = 600_000

// WritingTools are the tools of the program that change something, and those of all MCP servers, as a matcher has them.
var WritingTools = []string{"run_shell_command", "replace", "write_file", "mcp_.*"}

// Approving returns the hooks of Settings with a further one, by which calls of tools wait for a person. The names of
// the tools may be patterns. The hook that reports calls stays beside it, so that a server that does not answer holds
// up nothing else.
func Approving(candor string, tools []string) settings.Hooks {
	h := Settings(candor)
	h.Further = func(event, server string) []any {
		if event != "BeforeTool" {
			return nil
		}
		asks := entry(quoted(candor)+askArguments, event, server)
		asks.Matcher = "^(" + strings.Join(tools, "|") + ")$"
		asks.Hooks[0].Name, asks.Hooks[0].Timeout = "candor-approve", askTime
		return []any{asks}
	}
	return h
}

// remindingEvent is the beginning of a turn, where the reply may add to what the model reads.
const remindingEvent = "BeforeAgent"

// Remind returns the reply to a hook, which encodes as JSON, and by which the model is asked for its reasons.
var Remind = attach.Reminder(remindingEvent)

// Reminding returns hooks that report as those given do, and by whose replies the model is asked for the reason of each
// call.
func Reminding(candor string, h settings.Hooks) settings.Hooks {
	h.Entry = func(event, server string) any {
		if event == remindingEvent {
			return entry(quoted(candor)+remindArguments, event, server)
		}
		return entry(quoted(candor)+hookArguments, event, server)
	}
	return h
}

// Settings returns the hooks that report to a server, in the file settings.json. Gemini CLI runs commands as hooks:
// candor is the path of the program that passes them on. The settings do not have the token.
func Settings(candor string) settings.Hooks {
	return settings.Hooks{
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"},
		Entry:  func(event, server string) any { return entry(quoted(candor)+hookArguments, event, server) },
		Ours:   reportsTo,
	}
}

// reporting gives commands of hooks that ask for something the arguments of those that report.
var reporting = strings.NewReplacer(remindArguments, hookArguments, askArguments, hookArguments)

// reportsTo returns the server of an entry that we added, which has one hook, or "".
func reportsTo(raw json.RawMessage) string {
	var e struct {
		Hooks []struct {
			Type    string `json:"type"`
			Command string `json:"command"`
		} `json:"hooks"`
	}
	if json.Unmarshal(raw, &e) != nil || len(e.Hooks) != 1 || e.Hooks[0].Type != "command" {
		return ""
	}
	_, server, ours := strings.Cut(reporting.Replace(e.Hooks[0].Command), hookArguments)
	if !ours {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(server, "'"), `'\''`, "'")
}

// hooked is an entry of an event.
type hooked struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

// hook is a hook that runs a command.
type hook struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// entry returns the entry of an event. A matcher is a pattern for names of tools, and those of other events have none.
func entry(command, event, server string) hooked {
	e := hooked{Hooks: []hook{{"candor", "command", command + quoted(server), hookTime}}}
	if strings.HasSuffix(event, "Tool") {
		e.Matcher = ".*"
	}
	return e
}

// quoted returns a word as a shell reads it, whatever is in it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
