package opencode

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"
)

// The text of the plugin, and what it has more where calls wait for a person.
var (
	//go:embed plugin.js
	pluginText string
	//go:embed approve.js
	approveText string
)

// The lines of the plugin by which it is known, the second of them up to the server's address.
const (
	pluginBegins = "// Candor's plugin for OpenCode."
	pluginServer = "\nconst server = "
)

// pluginWaits begins the line of the plugin that says which calls wait.
const pluginWaits = "\nconst asked = new RegExp("

// asking changes the plugin's text to one by which calls wait. Without it nothing in the file can stop a call.
var asking = strings.NewReplacer(
	"and changes nothing of it.\n", "and lets calls wait there for a person.\n",
	"return {} // without a token", "return unasked(client) // without a token",
	"\n  return {\n", "\n  return {\n"+
		"    \"tool.execute.before\": asking({ client, exchange, messages, sessionOf, told: () => queue }),\n",
)

// readingTools are the tools of the program that read, search or plan. All others may change something: its own, those
// of MCP servers, which have names like any other, and a person's own.
var readingTools = []string{"codesearch", "glob", "grep", "invalid", "list", "list_mcp_resource_templates",
	"list_mcp_resources", "lsp", "plan_exit", "question", "read", "read_mcp_resource", "skill", "task", "todoread",
	"todowrite", "webfetch", "websearch"}

// errPlugin is the error for a file that is not the plugin.
var errPlugin = errors.New("this file is not Candor's plugin, so it was not changed: rename it first")

// Plugin is the file in OpenCode's plugin folder that makes the program report while it works. The methods take the
// file's content, which is empty if there is no file, and fail for a file that is not the plugin.
type Plugin struct {
	asks string // a pattern of the tools whose calls wait for a person; "" lets none wait
}

// Approving returns the plugin that lets calls wait for a person: calls of the given tools, which may be patterns, or
// without any, of all tools that may change something.
func Approving(tools []string) Plugin {
	if len(tools) == 0 {
		return Plugin{"^(?!(?:" + strings.Join(readingTools, "|") + ")$)"}
	}
	return Plugin{"^(?:" + strings.Join(tools, "|") + ")$"}
}

// Attach returns the plugin's file for the server at an address. It replaces a file for another server.
func (p Plugin) Attach(file []byte, server string) ([]byte, error) {
	if _, err := p.AttachedTo(file); err != nil {
		return nil, err
	}
	address, err := json.Marshal(strings.TrimSuffix(server, "/"))
	if err != nil {
		return nil, err
	}
	text := pluginText
	if p.asks != "" {
		pattern, err := json.Marshal(p.asks)
		if err != nil {
			return nil, err
		}
		text = asking.Replace(text) + strings.Replace(approveText, `"ASKED"`, string(pattern), 1)
	}
	return []byte(strings.Replace(text, `"SERVER"`, string(address), 1)), nil
}

// Detach returns the content without the plugin: nil, which means no file. An empty file is not the plugin's and stays.
func (Plugin) Detach(file []byte) ([]byte, error) {
	if len(file) == 0 {
		return file, nil
	}
	_, err := (Plugin{}).AttachedTo(file)
	return nil, err
}

// AttachedTo returns the address to which the plugin reports, or "" if there is no file.
func (Plugin) AttachedTo(file []byte) (server string, err error) {
	if len(file) == 0 {
		return "", nil
	}
	_, after, ok := strings.Cut(string(file), pluginServer)
	line, _, _ := strings.Cut(after, "\n")
	if !ok || !strings.HasPrefix(string(file), pluginBegins) || json.Unmarshal([]byte(line), &server) != nil {
		return "", errPlugin
	}
	return server, nil
}

// Waits reports whether the plugin in a file lets calls wait for a person.
func (Plugin) Waits(file []byte) bool { return bytes.Contains(file, []byte(pluginWaits)) }
