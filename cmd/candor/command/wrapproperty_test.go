package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/attach/wrapper"
)

// plainTool is a tool of the loop whose schema has a property.
type plainTool struct{}

// Spec implements agent.Tool.
func (plainTool) Spec() agent.Spec {
	return agent.Spec{Name: "echo", Schema: &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{"text": {Type: "string"}}, Required: []string{"text"},
	}}
}

// Run implements agent.Tool.
func (plainTool) Run(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

// TestTheWrappersPropertyIsThatOfTheLoop holds that a model reads the same of a tool, whoever asks it for reasons.
func TestTheWrappersPropertyIsThatOfTheLoop(t *testing.T) {
	for _, required := range []bool{true, false} {
		box := &agent.Toolbox{RequireRationale: required}
		require.NoError(t, box.Replace(plainTool{}))
		want, err := json.Marshal(box.Specs()[0].Schema)
		require.NoError(t, err)

		c := wrapper.New(wrapper.Options{Session: "s", Required: required})
		c.FromClient([]byte(`{"id":1,"method":"tools/list"}`))
		plain, err := json.Marshal(plainTool{}.Spec().Schema)
		require.NoError(t, err)
		listed := c.FromServer([]byte(`{"id":1,"result":{"tools":[{"name":"echo","inputSchema":` +
			string(plain) + `}]}}`))
		var got struct {
			Result struct {
				Tools []struct{ InputSchema json.RawMessage }
			}
		}
		require.NoError(t, json.NewDecoder(bytes.NewReader(listed.Bytes)).Decode(&got))
		assert.JSONEq(t, string(want), string(got.Result.Tools[0].InputSchema))
	}
}
