package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// TokenVariable is the environment variable from which Claude Code takes the token of its hooks. The settings name it
// and do not have the token.
const TokenVariable = "CANDOR_TOKEN"

// hookPath ends the address of our hooks; by it they are told from those of others.
const hookPath = "/api/hooks/claude"

// hookTime is how long the program waits for an answer, in seconds. Then it goes on without.
const hookTime = 5

// attachedEvents are the hooks that are set; those of tools have a matcher.
var attachedEvents = []string{"UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
	"PostToolBatch", "PermissionDenied", "SubagentStart", "SubagentStop", "Stop", "StopFailure"}

// errSettings is the error for settings that cannot be changed without losing something.
var errSettings = errors.New("the settings are no JSON object whose hooks are lists by event: mend the file first")

// Attach returns Claude Code's settings with hooks that post to the server at an address, in the place of such hooks
// for another server. All else stays as it is, in its order. Empty settings are those of a file that does not exist.
func Attach(settings []byte, server string) ([]byte, error) {
	all, hooks, err := withoutOurs(settings)
	if err != nil {
		return nil, err
	}
	// Each event has a list of entries, and ours stands behind those of others: hooks of an event run side by side, so
	// that nobody waits for ours longer than for the slowest.
	for _, event := range attachedEvents {
		var list []json.RawMessage
		if old := hooks.value(event); old != nil && json.Unmarshal(old, &list) != nil {
			return nil, errSettings
		}
		list = append(list, ourHook(event, strings.TrimSuffix(server, "/")+hookPath))
		hooks.set(event, encoded(list))
	}
	all.set("hooks", hooks.object())
	return indented(all), nil
}

// Detach returns the settings without what Attach added.
func Detach(settings []byte) ([]byte, error) {
	all, hooks, err := withoutOurs(settings)
	if err != nil {
		return nil, err
	}
	all.set("hooks", hooks.object())
	// Where there were no hooks before, there is no trace of them afterwards.
	if len(hooks) == 0 {
		all = slices.DeleteFunc(all, func(m member) bool { return m.name == "hooks" })
	}
	return indented(all), nil
}

// AttachedTo returns the address to which hooks of the settings post, or "" if none of them is ours.
func AttachedTo(settings []byte) (server string, err error) {
	_, hooks, err := hooksOf(settings)
	if err != nil {
		return "", err
	}
	for _, m := range hooks {
		var list []group
		_ = json.Unmarshal(m.value, &list) // a list of another shape has none of ours
		for _, g := range list {
			if address := g.ours(); address != "" {
				return strings.TrimSuffix(address, hookPath), nil
			}
		}
	}
	return "", nil
}

// group is an entry of an event, as far as it is looked at.
// An entry with hooks of others beside ours was changed by a person, and is theirs.
type group struct {
	Hooks []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"hooks"`
}

// ours returns the address of a group that Attach added, which has one hook, or "".
func (g group) ours() string {
	if len(g.Hooks) == 1 && g.Hooks[0].Type == "http" && strings.HasSuffix(g.Hooks[0].URL, hookPath) {
		return g.Hooks[0].URL
	}
	return ""
}

// ourHook returns the entry of an event.
func ourHook(event, address string) json.RawMessage {
	// The program sends no variable of its environment that the hook does not list.
	type hook struct {
		Type    string            `json:"type"`
		URL     string            `json:"url"`
		Timeout int               `json:"timeout"`
		Headers map[string]string `json:"headers"`
		Allowed []string          `json:"allowedEnvVars"`
	}
	entry := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{Hooks: []hook{{"http", address, hookTime, map[string]string{"Authorization": "Bearer $" + TokenVariable},
		[]string{TokenVariable}}}}
	if strings.Contains(event, "ToolUse") || event == "PermissionDenied" {
		entry.Matcher = "*"
	}
	return encoded(entry)
}

// hooksOf returns the members of the settings, and of their hooks.
func hooksOf(settings []byte) (all, hooks members, err error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		return nil, nil, nil
	}
	if all, err = membersOf(settings); err != nil {
		return nil, nil, err
	}
	if raw := all.value("hooks"); raw != nil {
		hooks, err = membersOf(raw)
	}
	return all, hooks, err
}

// withoutOurs returns the members of the settings, and of their hooks those that Attach did not add.
func withoutOurs(settings []byte) (all, hooks members, err error) {
	all, hooks, err = hooksOf(settings)
	// What is not of the shape that we know is somebody's, and stays.
	var kept members
	for _, m := range hooks {
		var list []json.RawMessage
		if json.Unmarshal(m.value, &list) != nil || list == nil {
			kept = append(kept, m)
			continue
		}
		others := slices.DeleteFunc(slices.Clone(list), func(raw json.RawMessage) bool {
			var g group
			return json.Unmarshal(raw, &g) == nil && g.ours() != ""
		})
		switch {
		case len(others) == len(list):
			kept = append(kept, m)
		case len(others) > 0:
			kept = append(kept, member{m.name, encoded(others)})
		}
	}
	return all, kept, err
}
