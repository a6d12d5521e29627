package opencode

import (
	_ "embed"
	"encoding/json"
	"errors"
	"strings"
)

//go:embed plugin.js
var pluginText string

// The lines of the plugin by which it is known, the second of them up to the server's address.
const (
	pluginBegins = "// Candor's plugin for OpenCode."
	pluginServer = "\nconst server = "
)

// errPlugin is the error for a file that is not the plugin.
var errPlugin = errors.New("this file is not Candor's plugin, so that it is left alone: give it another name first")

// Plugin is the file in the program's folder of plugins that makes it report while it works. A file is the plugin, or
// there is none; one of somebody else is an error.
type Plugin struct{}

// Attach returns the plugin for the server at an address, in the place of one for another server.
func (Plugin) Attach(file []byte, server string) ([]byte, error) {
	if _, err := (Plugin{}).AttachedTo(file); err != nil {
		return nil, err
	}
	address, err := json.Marshal(strings.TrimSuffix(server, "/"))
	if err != nil {
		return nil, err
	}
	return []byte(strings.Replace(pluginText, `"SERVER"`, string(address), 1)), nil
}

// Detach returns what is left without the plugin: nothing, which is no file.
func (Plugin) Detach(file []byte) ([]byte, error) {
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
