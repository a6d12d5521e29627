package mcp

import (
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"candor/agent"
)

// maxRelayedSchemas bounds what the schemas of one relayed list cost together once they are
// compiled, in bytes.
const maxRelayedSchemas = 4 << 20

// RelayedTools reads the result of tools/list that somebody relays, such as a participant of a
// space, instead of a server that we are connected to. It returns the tools as models may see
// them, under names of the form owner__tool that are unique in the list, in the list's order. The
// same limits hold as for a server's: a tool with an invalid definition is left out, and so is
// what is beyond them. clean makes text of others fit to be shown.
func RelayedTools(owner string, list json.RawMessage, clean func(string) string) ([]agent.Spec, error) {
	var page sdk.ListToolsResult
	if len(list) > maxListBytes || json.Unmarshal(cmpRaw(mendResult(list), string(list)), &page) != nil {
		return nil, errors.New("the list of tools cannot be read")
	}
	l := listing{
		catalog: catalog{server: owner, clean: clean, limit: maxRelayedSchemas}, seen: map[string]bool{},
	}
	l.add(page.Tools)
	server := shown(owner, clean)
	taken := map[string]bool{}
	specs := make([]agent.Spec, 0, len(l.tools))
	for _, d := range l.tools {
		name := origin{server, d.label}.name(prefixed)
		if taken[name] {
			name = origin{server, d.label}.name(hashed)
		}
		if taken[name] {
			continue
		}
		taken[name] = true
		specs = append(specs, agent.Spec{
			Name: name, Description: d.description, Schema: d.schema, ReadOnly: d.readOnly,
			Origin: agent.Origin{Server: owner, Tool: d.name, Names: []string{name}, Definition: d.digest},
		})
	}
	return specs, nil
}

// RelayedResult reads the result of tools/call that somebody relays, with the bounds of a
// server's. It fails with the tool's own words if the tool says that it failed. A result that is
// not of the shape that MCP prescribes is returned as it is.
func RelayedResult(answer json.RawMessage) (json.RawMessage, error) {
	var in sdk.CallToolResult
	if fixed := mendResult(answer); fixed != nil {
		answer = fixed
	}
	known := json.Unmarshal(answer, &in) == nil
	if known && (len(in.Content) > 0 || in.StructuredContent != nil || in.IsError) {
		return convert(&in, maxResult)
	}
	if len(answer) > maxResult || !json.Valid(answer) {
		return nil, errors.New("the result cannot be read, or is too long")
	}
	return answer, nil
}
