package codex

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/attach"
	"candor/attach/settings"
)

// TokenVariable is the environment variable from which the command of our hooks takes its token. The settings do not
// have it.
const TokenVariable = "CANDOR_TOKEN"

// hookTime is how long the program waits for a hook, in seconds. The command itself gives up before.
const hookTime = 10

// hookArguments stand in the command of our hooks between the program that it runs and the server, those of hooks
// that wait for a person or ask the model for reasons before them; by them they are told from those of others.
const (
	hookArguments   = " hook codex --server "
	remindArguments = " hook codex --ask-reasons --server "
	askArguments    = " hook codex --approve --server "
)

// askTime is how long the program waits for a person, in seconds. The command itself gives up before, and the server
// before that.
const askTime = 600

// WritingTools are the tools of the program that change something, and those of all MCP servers, as a matcher has them.
var WritingTools = []string{"Bash", "apply_patch", "mcp__.*"}

// Approving returns the hooks of Settings with a further one, by which calls of tools wait for a person, and one that
// lets approved ones leave the sandbox if they asked for it. The names of the tools may be patterns. The hook that
// reports calls stays beside it, so that a server that does not answer holds up nothing else.
func Approving(candor string, tools []string) settings.Hooks {
	h := Settings(candor)
	h.Events = append(slices.Clone(h.Events), leaveEvent)
	asking := func(event, server string) hooked {
		e := entry(quoted(candor)+askArguments, event, server)
		e.Matcher = "^(" + strings.Join(tools, "|") + ")$"
		return e
	}
	h.Entry = func(event, server string) any {
		// It gives the answer of before, and does not wait.
		if event == leaveEvent {
			return asking(event, server)
		}
		return entry(quoted(candor)+hookArguments, event, server)
	}
	h.Further = func(event, server string) []any {
		if event != "PreToolUse" {
			return nil
		}
		asks := asking(event, server)
		asks.Hooks[0].Timeout = askTime
		return []any{asks}
	}
	return h
}

// remindingEvents are those whose reply may add to what the model reads: the beginnings of a turn and a sub-agent.
var remindingEvents = []string{"UserPromptSubmit", "SubagentStart"}

// Remind returns the reply to a hook, which encodes as JSON, and by which the model is asked for its reasons.
var Remind = attach.Reminder(remindingEvents...)

// Reminding returns hooks that report as those given do, and by whose replies the model is asked for the reason of each
// call.
func Reminding(candor string, h settings.Hooks) settings.Hooks {
	reports := h.Entry
	h.Entry = func(event, server string) any {
		if slices.Contains(remindingEvents, event) {
			return entry(quoted(candor)+remindArguments, event, server)
		}
		return reports(event, server)
	}
	return h
}

// Settings returns the hooks that report to a server, in the file hooks.json. Codex runs commands as hooks: candor is
// the path of the program that passes them on.
func Settings(candor string) settings.Hooks {
	return settings.Hooks{
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
			"SubagentStop", "Stop"},
		Entry: func(event, server string) any { return entry(quoted(candor)+hookArguments, event, server) },
		Ours:  reportsTo,
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
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// entry returns the entry of an event. Its command is run by a shell, in the folder in which the agent works, so that
// the program is named by its whole path.
func entry(command, event, server string) hooked {
	// The events of tools need a matcher; the others have none.
	e := hooked{Hooks: []hook{{"command", command + quoted(server), hookTime}}}
	if strings.Contains(event, "ToolUse") {
		e.Matcher = "*"
	}
	return e
}

// quoted returns a word as a shell reads it, whatever is in it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
