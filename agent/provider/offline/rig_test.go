package offline_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/offline"
	"candor/agent/tool"
	"candor/safety"
)

// builtin returns the built-in tools as the dispatcher offers them to a model.
func builtin(t testing.TB) []agent.Spec {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return offered(t, tool.Builtin(root, safety.NewLayer())...)
}

func offered(t testing.TB, tools ...agent.Tool) []agent.Spec {
	t.Helper()
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace(tools...))
	return box.Specs()
}

// conversation plays the user and the dispatcher to the model.
type conversation struct {
	t        testing.TB
	tools    []agent.Spec
	messages []agent.Message
}

func (c *conversation) say(text string) agent.Response {
	c.messages = append(c.messages, agent.Message{Role: agent.RoleUser, Text: text})
	return c.respond()
}

func (c *conversation) respond() agent.Response {
	c.t.Helper()
	got, err := offline.New().Respond(c.t.Context(), agent.Request{Messages: c.messages, Tools: c.tools})
	require.NoError(c.t, err)
	c.messages = append(c.messages, agent.Message{Role: agent.RoleAssistant, Text: got.Text, Calls: got.Calls})
	return got
}

// results answers the last calls, in order.
func (c *conversation) results(texts ...string) agent.Response {
	c.t.Helper()
	calls := c.messages[len(c.messages)-1].Calls
	require.Len(c.t, texts, len(calls))
	for i, text := range texts {
		c.messages = append(c.messages, agent.Message{Role: agent.RoleTool, CallID: calls[i].ID, Text: text})
	}
	return c.respond()
}

// called renders calls as "name{arguments}" without the reasons, and returns the
// reasons beside them. It fails where a reason is missing or is not the first
// argument.
func called(t testing.TB, calls []agent.Call) (lines, reasons []string) {
	t.Helper()
	lines = []string{}
	for _, c := range calls {
		var args map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(c.Arguments, &args), "%s", c.Arguments)
		reason := c.Reasoning
		if raw, ok := args["rationale"]; ok {
			require.True(t, strings.HasPrefix(string(c.Arguments), `{"rationale":`), "%s", c.Arguments)
			require.NoError(t, json.Unmarshal(raw, &reason))
			delete(args, "rationale")
		}
		require.NotEmpty(t, reason, "%s has no reason", c.Name)
		rest, err := json.Marshal(args)
		require.NoError(t, err)
		lines, reasons = append(lines, c.Name+string(rest)), append(reasons, reason)
	}
	return lines, reasons
}

// steps returns the calls of each step, joined by " + ", until the model answers.
// Every call returns an empty object.
func steps(t testing.TB, tools []agent.Spec, message string) []string {
	t.Helper()
	c := &conversation{t: t, tools: tools}
	out := []string{}
	got := c.say(message)
	for len(got.Calls) > 0 {
		require.Less(t, len(out), 20, "the model does not come to an end")
		assert.NotEmpty(t, got.Text, "a step has no narrative")
		lines, _ := called(t, got.Calls)
		out = append(out, strings.Join(lines, " + "))
		got = c.results(slices.Repeat([]string{"{}"}, len(got.Calls))...)
	}
	assert.NotEmpty(t, got.Text)
	return out
}

// spec returns the description of a tool that asks for no reason.
func spec(t testing.TB, name, description, properties string, required ...string) agent.Spec {
	t.Helper()
	s := &jsonschema.Schema{Type: "object", Required: required}
	require.NoError(t, json.Unmarshal([]byte(properties), &s.Properties))
	return agent.Spec{Name: name, Description: description, Schema: s}
}
