package claude

import (
	"encoding/json"
	"strings"

	"candor/attach/settings"
)

// TokenVariable is the environment variable from which Claude Code takes the token of its hooks. The settings name it
// and do not have the token.
const TokenVariable = "CANDOR_TOKEN"

// hookPath ends the address of our hooks; by it they are told from those of others.
const hookPath = "/api/hooks/claude"

// hookTime is how long the program waits for an answer, in seconds. Then it goes on without.
const hookTime = 5

// Settings are the hooks that post to a server, in the file settings.json. Those of tools have a matcher.
var Settings = settings.Hooks{
	Events: []string{"UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"PostToolBatch", "PermissionDenied", "SubagentStart", "SubagentStop", "Stop", "StopFailure"},
	Entry: entry, Ours: reportsTo,
}

// reportsTo returns the server of an entry that we added, which has one hook, or "". An entry with hooks of others
// beside ours was changed by a person, and is theirs.
func reportsTo(raw json.RawMessage) string {
	var e struct {
		Hooks []struct {
			Type string `json:"type"`
			URL  string `json:"url"`
		} `json:"hooks"`
	}
	if json.Unmarshal(raw, &e) != nil || len(e.Hooks) != 1 || e.Hooks[0].Type != "http" {
		return ""
	}
	server, ours := strings.CutSuffix(e.Hooks[0].URL, hookPath)
	if !ours {
		return ""
	}
	return server
}

// entry returns the entry of an event.
func entry(event, server string) any {
	// The program sends no variable of its environment that the hook does not list.
	type hook struct {
		Type    string            `json:"type"`
		URL     string            `json:"url"`
		Timeout int               `json:"timeout"`
		Headers map[string]string `json:"headers"`
		Allowed []string          `json:"allowedEnvVars"`
	}
	e := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{Hooks: []hook{{"http", server + hookPath, hookTime,
		map[string]string{"Authorization": "Bearer $" + TokenVariable}, []string{TokenVariable}}}}
	if strings.Contains(event, "ToolUse") || event == "PermissionDenied" {
		e.Matcher = "*"
	}
	return e
}
