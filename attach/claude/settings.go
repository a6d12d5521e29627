package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/attach/settings"
)

// hookPath ends the address of our hooks; by it they are told from those of others.
const hookPath = "/api/hooks/claude"

// hookTime is how long the program waits for an answer, in seconds. Then it goes on without.
const hookTime = 5

// Settings describes the hooks in settings.json that post to a server. Hooks of tools have a matcher.
var Settings = settings.Hooks{
	Events: []string{"UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"PostToolBatch", "PermissionDenied", "SubagentStart", "SubagentStop", "Stop", "StopFailure"},
	Entry: entry, Ours: reportsTo, Mark: hookPath, Waits: hookPath + askPath, Reminds: hookPath + remindPath,
}

// askPath ends the address of the hook that waits for a person, behind hookPath.
const askPath = "/ask"

// askTime is how long the program waits for a person, in seconds: longer than the server, which answers in any case.
const askTime = 600

// WritingTools are the program's tools that change something, and all tools of MCP servers, as patterns of a matcher.
var WritingTools = []string{"Bash", "Edit", "MultiEdit", "NotebookEdit", "Write", "mcp__.*"}

// Approving returns Settings with a further hook that lets calls of the given tools wait for a person. The names of the
// tools may be patterns of the program's matchers. The reporting hook stays separate, so that a server that does not
// answer delays nothing else.
func Approving(tools []string) settings.Hooks {
	h := Settings
	h.Further = func(event, server string) []any {
		if event != "PreToolUse" {
			return nil
		}
		asks := posting(server+hookPath+askPath, askTime)
		asks.Matcher = strings.Join(tools, "|")
		return []any{asks}
	}
	return h
}

// remindPath ends the address of the hooks whose answer asks the model for reasons, behind hookPath.
const remindPath = "/reasons"

// Reminding returns hooks that report as h does, and whose answers ask the model for the reason of each call.
func Reminding(h settings.Hooks) settings.Hooks {
	h.Entry = func(event, server string) any {
		if slices.Contains(remindingEvents, event) {
			return posting(server+hookPath+remindPath, hookTime)
		}
		return entry(event, server)
	}
	return h
}

// reportsTo returns the server of an entry that we added, which has one hook, or "". An entry with hooks of others
// beside ours was changed by a person, and is theirs.
func reportsTo(raw json.RawMessage) string {
	var e hooked
	if json.Unmarshal(raw, &e) != nil || len(e.Hooks) != 1 || e.Hooks[0].Type != "http" {
		return ""
	}
	address := strings.TrimSuffix(strings.TrimSuffix(e.Hooks[0].URL, askPath), remindPath)
	server, ours := strings.CutSuffix(address, hookPath)
	if !ours {
		return ""
	}
	return server
}

// hooked is an entry of an event.
type hooked struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

// hook is a hook that posts. The program sends no variable of its environment that the hook does not list.
type hook struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Timeout int               `json:"timeout"`
	Headers map[string]string `json:"headers"`
	Allowed []string          `json:"allowedEnvVars"`
}

// entry returns the entry of an event.
func entry(event, server string) any {
	e := posting(server+hookPath, hookTime)
	if strings.Contains(event, "ToolUse") || event == "PermissionDenied" {
		e.Matcher = "*"
	}
	return e
}

// posting returns an entry that posts to an address and waits so many seconds for the answer.
func posting(address string, seconds int) hooked {
	token := map[string]string{"Authorization": "Bearer $" + settings.TokenVariable}
	return hooked{Hooks: []hook{{"http", address, seconds, token, []string{settings.TokenVariable}}}}
}
