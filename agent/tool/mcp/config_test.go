package mcp

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// env is the environment of the tests.
func env(name string) string {
	return map[string]string{"TOKEN": "hush-hush", "HOME": "/home/ann", "BREAK": "a\nb"}[name]
}

func TestLoadExpandsVariablesAndSkipsDisabledServers(t *testing.T) {
	c, err := Load(strings.NewReader(`{
		"theme": "dark",
		"mcpServers": {
			"files": {"command": "npx", "args": ["-y", "${PACKAGE:-some-server}", "$HOME"],
				"env": {"ROOT": "${HOME}/docs"}, "cwd": "${HOME}", "alwaysAllow": []},
			"search": {"type": "http", "url": "https://example.com/mcp?${EMPTY:-}key=${TOKEN}",
				"headers": {"Authorization": "Bearer ${TOKEN}"}},
			"slow": {"command": "x", "callTimeout": "10m", "timeout": 60},
			"off": {"command": "${NOT_SET}", "disabled": true}
		}}`), env)
	require.NoError(t, err)
	assert.Equal(t, map[string]Endpoint{
		"files": {
			Command: "npx", Args: []string{"-y", "some-server", "$HOME"}, Dir: "/home/ann",
			Env: map[string]string{"ROOT": "/home/ann/docs"}, Headers: map[string]string{},
		},
		"search": {
			URL: "https://example.com/mcp?key=hush-hush", Env: map[string]string{},
			Headers: map[string]string{"Authorization": "Bearer hush-hush"},
		},
		"slow": {
			Command: "x", Env: map[string]string{}, Headers: map[string]string{}, CallTimeout: 10 * time.Minute,
		},
	}, c.Servers)
	var log logged
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c, "endpoint", c.Servers["search"])
	for _, written := range []string{
		fmt.Sprint(c), fmt.Sprintf("%v %s", c, c.Servers["search"]), fmt.Sprintf("%+v", c), log.String(),
	} {
		assert.NotContains(t, written, "hush", "printing a configuration reveals no credential")
	}
	assert.Equal(t, "stdio", c.Servers["files"].String())
	assert.Equal(t, "http", c.Servers["search"].String())
	assert.Equal(t, "files, search, slow", c.String())
}

func TestLoadNamesTheServerAndTheMistake(t *testing.T) {
	const invalid = "the MCP configuration is no valid JSON: "
	for given, want := range map[string]string{
		``:                                  invalid + `it ends too early`,
		`{"mcpServers":{"a":{"command":"x"`: invalid + `it ends too early`,
		`{"mcpServers":{,}}`:                invalid + `syntax error at byte 16`,
		`{}`:                                `the MCP configuration has no "mcpServers"`,
		`{"mcpServers":[]}`:                 invalid + `"mcpServers" has to be of another type than array`,
	} {
		_, err := Load(strings.NewReader(given), env)
		assert.EqualError(t, err, want, given)
	}
	for _, tt := range []struct{ given, want string }{
		{`{}`, `it needs a "command" or a "url"`},
		{`{"comand":""}`, `it needs a "command" or a "url"`},
		{`{"command":"x","url":"http://y"}`, `it has both a "command" and a "url"; take one`},
		{`{"command":["x"]}`, `"command" has to be of another type than array`},
		{`{"command":"x","env":{"K":1}}`, `"env" has to be of another type than number`},
		{`{"command":"x","env":{"A=B":"c"}}`, `"A=B" cannot be a variable's name`},
		{`{"command":"x","env":{"K":"${NO_SUCH}"}}`, `the variable NO_SUCH it asks for is not set`},
		{`{"type":"sse","url":"http://y"}`,
			`type "sse" is the retired transport; use the server's streamable HTTP URL`},
		{`{"command":"x","callTimeout":"30"}`, `its "callTimeout" is not a time such as "30s" or "2m"`},
		{`{"command":"x","callTimeout":"-1s"}`, `its "callTimeout" is not a time such as "30s" or "2m"`},
		{`{"command":"x","callTimeout":30}`, `"callTimeout" has to be of another type than number`},
		{`{"type":"smtp","url":"http://y"}`, `"type" is neither "stdio" nor "http"`},
		{`{"type":"stdio","url":"http://y"}`, `of type "stdio", it needs a "command"`},
		{`{"type":"http","command":"x"}`, `of type "http", it needs a "url"`},
		{`{"url":"ftp://y"}`, `its "url" is not an http or https URL`},
		{`{"url":"/mcp"}`, `its "url" is not an http or https URL`},
		{`{"url":"http://u:${TOKEN}@y"}`, `its "url" has credentials in it; put them into "headers"`},
		{`{"url":"http://y","headers":{"X Y":"z"}}`, `"X Y" cannot be a header's name`},
		{`{"url":"http://y","headers":{"X":"${BREAK}"}}`,
			`the value of header "X" has characters that are not allowed`},
		{`{"url":"http://${TOKEN}:x","headers":{"X":"z"}}`, `its "url" is not an http or https URL`},
		{`{"command":"x","args":["${TOKEN}","${GONE}","${}"]}`, `the variable GONE it asks for is not set`},
	} {
		_, err := Load(strings.NewReader(`{"mcpServers":{"a":`+tt.given+`}}`), env)
		assert.EqualError(t, err, `MCP server "a": `+tt.want, tt.given)
	}
}

// FuzzLoad checks that no error reveals a value, and that what is loaded is valid.
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
