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
// that ask the model for reasons before them; by them they are told from those of others.
const (
	hookArguments   = " hook codex --server "
	remindArguments = " hook codex --ask-reasons --server "
)

// remindingEvents are those whose reply may add to what the model reads: the beginnings of a turn and a sub-agent.
var remindingEvents = []string{"UserPromptSubmit", "SubagentStart"}

// Remind returns the reply to a hook, which encodes as JSON, and by which the model is asked for its reasons.
var Remind = attach.Reminder(remindingEvents...)

// Reminding returns the hooks of Settings, by whose replies the model is asked for the reason of each call.
func Reminding(candor string) settings.Hooks {
	h := Settings(candor)
	h.Entry = func(event, server string) any {
		if slices.Contains(remindingEvents, event) {
			return entry(quoted(candor)+remindArguments, event, server)
		}
		return entry(quoted(candor)+hookArguments, event, server)
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
	command := strings.Replace(e.Hooks[0].Command, remindArguments, hookArguments, 1)
	_, server, ours := strings.Cut(command, hookArguments)
	if !ours {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(server, "'"), `'\''`, "'")
}

// entry returns the entry of an event. Its command is run by a shell, in the folder in which the agent works, so that
// the program is named by its whole path.
func entry(command, event, server string) any {
	// The events of tools need a matcher; the others have none.
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	e := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{Hooks: []hook{{"command", command + quoted(server), hookTime}}}
	if strings.Contains(event, "ToolUse") {
		e.Matcher = "*"
	}
	return e
}

// quoted returns a word as a shell reads it, whatever is in it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
