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
// that ask the model for reasons before them; by them they are told from those of others.
const (
	hookArguments   = " hook gemini --server "
	remindArguments = " hook gemini --ask-reasons --server "
)

// remindingEvent is the beginning of a turn, where the reply may add to what the model reads.
const remindingEvent = "BeforeAgent"

// Remind returns the reply to a hook, which encodes as JSON, and by which the model is asked for its reasons.
var Remind = attach.Reminder(remindingEvent)

// Reminding returns the hooks of Settings, by whose replies the model is asked for the reason of each call.
func Reminding(candor string) settings.Hooks {
	h := Settings(candor)
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

// entry returns the entry of an event. A matcher is a pattern for names of tools, and those of other events have none.
func entry(command, event, server string) any {
	type hook struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	e := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{Hooks: []hook{{"candor", "command", command + quoted(server), hookTime}}}
	if strings.HasSuffix(event, "Tool") {
		e.Matcher = ".*"
	}
	return e
}

// quoted returns a word as a shell reads it, whatever is in it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
