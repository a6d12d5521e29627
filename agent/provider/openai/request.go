package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"candor/agent"
)

// chatParams is the request in Chat's terms.
func (p *Provider) chatParams(req agent.Request, usage bool) (sdk.ChatCompletionNewParams, error) {
	out := sdk.ChatCompletionNewParams{
		Model:           p.options.Model,
		ReasoningEffort: shared.ReasoningEffort(p.options.Effort),
	}
	if usage {
		out.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	for _, m := range oneSystem(req.Messages) {
		out.Messages = append(out.Messages, p.chatMessage(m))
	}
	for _, s := range req.Tools {
		schema, err := parameters(s)
		if err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: s.Name, Description: param.NewOpt(s.Description), Parameters: schema,
		}))
	}
	return out, nil
}

func (p *Provider) chatMessage(m agent.Message) sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case agent.RoleSystem:
		return sdk.SystemMessage(m.Text)
	case agent.RoleTool:
		return sdk.ToolMessage(m.Text, m.CallID)
	case agent.RoleAssistant:
		return sdk.ChatCompletionMessageParamUnion{OfAssistant: p.assistant(m)}
	}
	return sdk.UserMessage(m.Text)
}

func (p *Provider) assistant(m agent.Message) *sdk.ChatCompletionAssistantMessageParam {
	out := &sdk.ChatCompletionAssistantMessageParam{}
	if m.Text != "" || len(m.Calls) == 0 {
		out.Content.OfString = param.NewOpt(m.Text)
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: c.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: callable(c.Name), Arguments: object(c.Arguments),
				},
			},
		})
	}
	if extra := p.reasoningOf(m); len(extra) > 0 {
		out.SetExtraFields(extra)
	}
	return out
}

// oneSystem puts the system messages that come first into one, and gives those
// that come later to the user: many chat templates take one, at the start.
func oneSystem(messages []agent.Message) []agent.Message {
	var system []string
	rest := messages
	for len(rest) > 0 && rest[0].Role == agent.RoleSystem {
		system, rest = append(system, rest[0].Text), rest[1:]
	}
	var out []agent.Message
	if len(system) > 0 {
		out = append(out, agent.Message{Role: agent.RoleSystem, Text: strings.Join(system, "\n\n")})
	}
	for _, m := range rest {
		if m.Role == agent.RoleSystem {
			m.Role = agent.RoleUser
		}
		out = append(out, m)
	}
	return out
}

// parameters is a tool's schema. The SDK sorts a map's keys, so only the outermost
// object is one; the properties keep their order, the rationale first.
func parameters(s agent.Spec) (map[string]any, error) {
	raw, err := json.Marshal(s.Schema)
	if err != nil {
		return nil, fmt.Errorf("the schema of tool %q: %w", s.Name, err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("the schema of tool %q: %w", s.Name, err)
	}
	out := make(map[string]any, len(members))
	for k, v := range members {
		out[k] = v
	}
	return out, nil
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// callable is a name as providers let it be. A model may have called a tool by
// one that they then refuse to read.
func callable(name string) string {
	name = notInNames.ReplaceAllString(name, "_")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// object is a call's arguments, or an empty object where the model wrote none:
// servers that parse them refuse the whole conversation otherwise. What was wrong
// with them stands in the tool's answer.
func object(arguments json.RawMessage) string {
	var v map[string]any
	if json.Unmarshal(arguments, &v) != nil || v == nil {
		return "{}"
	}
	return string(arguments)
}
