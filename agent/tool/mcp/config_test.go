package mcp

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func env(name string) string {
	return map[string]string{"TOKEN": "hush-hush", "HOME": "/home/ann", "BREAK": "a\nb"}[name]
}

func TestAConfigurationIsRead(t *testing.T) {
	c, err := Load(strings.NewReader(`{
		"theme": "dark",
		"mcpServers": {
			"files": {"command": "npx", "args": ["-y", "${PACKAGE:-some-server}", "$HOME"], "env": {"ROOT": "${HOME}/docs"},
				"cwd": "${HOME}", "alwaysAllow": []},
			"search": {"type": "http", "url": "https://example.com/mcp?${EMPTY:-}", "headers": {"Authorization": "Bearer ${TOKEN}"}},
			"off": {"command": "${NOT_SET}", "disabled": true}
		}}`), env)
	require.NoError(t, err)
	assert.Equal(t, map[string]Endpoint{
		"files": {
			Command: "npx", Args: []string{"-y", "some-server", "$HOME"}, Dir: "/home/ann",
			Env: map[string]string{"ROOT": "/home/ann/docs"}, Headers: map[string]string{},
		},
		"search": {
			URL: "https://example.com/mcp?", Env: map[string]string{},
			Headers: map[string]string{"Authorization": "Bearer hush-hush"},
		},
	}, c.Servers)
	var log logged
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c, "endpoint", c.Servers["search"])
	for _, written := range []string{fmt.Sprint(c), fmt.Sprintf("%v %s", c, c.Servers["search"]), fmt.Sprintf("%+v", c), log.String()} {
		assert.NotContains(t, written, "hush", "a credential must not get into a log by the way")
	}
	assert.Equal(t, "files, search", c.String())
}

func TestMistakesInAConfigurationAreNamed(t *testing.T) {
	for given, want := range map[string]string{
		``:                                   `the MCP configuration is no valid JSON: it ends too early`,
		`{"mcpServers":{"a":{"command":"x"`:  `the MCP configuration is no valid JSON: it ends too early`,
		`{"mcpServers":{,}}`:                 `the MCP configuration is no valid JSON: syntax error at byte 16`,
		`{}`:                                 `the MCP configuration has no "mcpServers"`,
		`{"mcpServers":[]}`:                  `the MCP configuration is no valid JSON: "mcpServers" has to be of another type than array`,
		`{"mcpServers":{"a":{}}}`:            `MCP server "a": it needs a "command" or a "url"`,
		`{"mcpServers":{"a":{"comand":""}}}`: `MCP server "a": it needs a "command" or a "url"`,
		`{"mcpServers":{"a":{"command":"x","url":"http://y"}}}`:                    `MCP server "a": it has both a "command" and a "url"; take one`,
		`{"mcpServers":{"a":{"command":["x"]}}}`:                                   `MCP server "a": "command" has to be of another type than array`,
		`{"mcpServers":{"a":{"command":"x","env":{"K":1}}}}`:                       `MCP server "a": "env" has to be of another type than number`,
		`{"mcpServers":{"a":{"command":"x","env":{"A=B":"c"}}}}`:                   `MCP server "a": "A=B" cannot be a variable's name`,
		`{"mcpServers":{"a":{"command":"x","env":{"K":"${NO_SUCH}"}}}}`:            `MCP server "a": the variable NO_SUCH it asks for is not set`,
		`{"mcpServers":{"a":{"type":"sse","url":"http://y"}}}`:                     `MCP server "a": type "sse" is the retired transport; use the server's streamable HTTP URL`,
		`{"mcpServers":{"a":{"type":"smtp","url":"http://y"}}}`:                    `MCP server "a": "type" is neither "stdio" nor "http"`,
		`{"mcpServers":{"a":{"type":"stdio","url":"http://y"}}}`:                   `MCP server "a": of type "stdio", it needs a "command"`,
		`{"mcpServers":{"a":{"type":"http","command":"x"}}}`:                       `MCP server "a": of type "http", it needs a "url"`,
		`{"mcpServers":{"a":{"url":"ftp://y"}}}`:                                   `MCP server "a": its "url" is not an http or https URL`,
		`{"mcpServers":{"a":{"url":"/mcp"}}}`:                                      `MCP server "a": its "url" is not an http or https URL`,
		`{"mcpServers":{"a":{"url":"http://u:${TOKEN}@y"}}}`:                       `MCP server "a": its "url" has credentials in it; put them into "headers"`,
		`{"mcpServers":{"a":{"url":"http://y","headers":{"X Y":"z"}}}}`:            `MCP server "a": "X Y" cannot be a header's name`,
		`{"mcpServers":{"a":{"url":"http://y","headers":{"X":"${BREAK}"}}}}`:       `MCP server "a": the value of header "X" has characters that are not allowed`,
		`{"mcpServers":{"a":{"url":"http://${TOKEN}:x","headers":{"X":"z"}}}}`:     `MCP server "a": its "url" is not an http or https URL`,
		`{"mcpServers":{"a":{"command":"x","args":["${TOKEN}","${GONE}","${}"]}}}`: `MCP server "a": the variable GONE it asks for is not set`,
	} {
		_, err := Load(strings.NewReader(given), env)
		assert.EqualError(t, err, want, given)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x","args":["${TOKEN}"]}}}`)
	f.Add(`{"mcpServers":{"a":{"url":"https://${TOKEN}/","headers":{"A":"${B:-${TOKEN}}"}}}}`)
	f.Fuzz(func(t *testing.T, file string) {
		c, err := Load(strings.NewReader(file), env)
		if err != nil {
			assert.NotContains(t, err.Error(), "hush-hush")
			return
		}
		for _, e := range c.Servers {
			assert.NoError(t, e.check())
		}
	})
}
