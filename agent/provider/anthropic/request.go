package anthropic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"candor/agent"
)

// params is the request in the API's terms.
func (p *Provider) params(req agent.Request, think, display bool) (sdk.MessageNewParams, error) {
	out := sdk.MessageNewParams{Model: p.options.Model, MaxTokens: int64(p.options.MaxTokens)}
	out.OutputConfig.Effort = sdk.OutputConfigEffort(p.options.Effort)
	if think {
		out.Thinking = p.thinking(req.Messages, display)
	}
	rest := req.Messages
	for len(rest) > 0 && rest[0].Role == agent.RoleSystem {
		if !blank(rest[0].Text) {
			out.System = append(out.System, sdk.TextBlockParam{Text: rest[0].Text})
		}
		rest = rest[1:]
	}
	for _, m := range rest {
		out.Messages = p.appendMessage(out.Messages, m)
	}
	for _, s := range req.Tools {
		tool, err := toolParam(s)
		if err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, tool)
	}
	if len(req.Tools) == 0 {
		out.Tools, out.ToolChoice = withdrawn(rest)
	}
	return out, nil
}

func (p *Provider) thinking(messages []agent.Message, display bool) sdk.ThinkingConfigParamUnion {
	switch p.options.Thinking {
	case Auto, Adaptive:
		adaptive := &sdk.ThinkingConfigAdaptiveParam{}
		if display {
			adaptive.Display = sdk.ThinkingConfigAdaptiveDisplaySummarized
		}
		return sdk.ThinkingConfigParamUnion{OfAdaptive: adaptive}
	case Budget:
		if p.lostThinking(messages) {
			break
		}
		enabled := &sdk.ThinkingConfigEnabledParam{BudgetTokens: int64(p.options.Budget)}
		if display {
			enabled.Display = sdk.ThinkingConfigEnabledDisplaySummarized
		}
		return sdk.ThinkingConfigParamUnion{OfEnabled: enabled}
	}
	return sdk.ThinkingConfigParamUnion{}
}

// lostThinking is whether the tool calls of this turn came without thinking of
// this model, as after a change of models. With a budget the API then refuses to
// go on thinking.
func (p *Provider) lostThinking(messages []agent.Message) bool {
	for _, m := range slices.Backward(messages) {
		if m.Role == agent.RoleUser {
			return false
		}
		ours := slices.ContainsFunc(m.Opaque, func(o agent.Opaque) bool { return o.Provider == p.origin })
		if len(m.Calls) > 0 && !ours {
			return true
		}
	}
	return false
}

// appendMessage adds a message. What the user's side says stands in one message,
// as the API wants it of the results of one step; a later system message too,
// since the system speaks only first.
func (p *Provider) appendMessage(out []sdk.MessageParam, m agent.Message) []sdk.MessageParam {
	role, blocks := sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion(nil)
	switch m.Role {
	case agent.RoleTool:
		blocks = append(blocks, toolResult(m))
	case agent.RoleAssistant:
		role, blocks = sdk.MessageParamRoleAssistant, p.assistant(m)
	default:
		blocks = textBlock(m.Text)
	}
	if len(blocks) == 0 {
		return out
	}
	if last := len(out) - 1; last >= 0 && out[last].Role == role {
		out[last].Content = append(out[last].Content, blocks...)
		return out
	}
	return append(out, sdk.MessageParam{Role: role, Content: blocks})
}

func (p *Provider) assistant(m agent.Message) []sdk.ContentBlockParamUnion {
	out := p.thoughtsAt(m, 0)
	out = append(out, textBlock(m.Text)...)
	out = append(out, p.thoughtsAt(m, 1)...)
	for i, c := range m.Calls {
		out = append(out, sdk.NewToolUseBlock(callID(c.ID), object(c.Arguments), callable(c.Name)))
		out = append(out, p.thoughtsAt(m, i+2)...)
	}
	return out
}

func toolResult(m agent.Message) sdk.ContentBlockParamUnion {
	result := &sdk.ToolResultBlockParam{ToolUseID: callID(m.CallID)}
	if !blank(m.Text) {
		result.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: m.Text}}}
	}
	return sdk.ContentBlockParamUnion{OfToolResult: result}
}

// textBlock is none for a blank text, which the API refuses.
func textBlock(text string) []sdk.ContentBlockParamUnion {
	if blank(text) {
		return nil
	}
	return []sdk.ContentBlockParamUnion{sdk.NewTextBlock(text)}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// toolParam keeps the schema's properties in their order, the rationale first: the
// SDK would sort a map.
func toolParam(s agent.Spec) (sdk.ToolUnionParam, error) {
	raw, err := json.Marshal(s.Schema)
	if err != nil {
		return sdk.ToolUnionParam{}, fmt.Errorf("the schema of tool %q: %w", s.Name, err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return sdk.ToolUnionParam{}, fmt.Errorf("the schema of tool %q: %w", s.Name, err)
	}
	schema := sdk.ToolInputSchemaParam{
		Type: "object", Required: s.Schema.Required, ExtraFields: map[string]any{},
	}
	for name, value := range members {
		switch name {
		case "type", "required":
		case "properties":
			schema.Properties = value
		default:
			schema.ExtraFields[name] = value
		}
	}
	tool := &sdk.ToolParam{Name: s.Name, InputSchema: schema}
	if s.Description != "" {
		tool.Description = param.NewOpt(s.Description)
	}
	return sdk.ToolUnionParam{OfTool: tool}, nil
}

// withdrawn names the tools that were called but may not be called any more: the
// API refuses a conversation with calls of tools it is not told about.
func withdrawn(messages []agent.Message) (tools []sdk.ToolUnionParam, choice sdk.ToolChoiceUnionParam) {
	var names []string
	for _, m := range messages {
		for _, c := range m.Calls {
			if name := callable(c.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, choice
	}
	for _, name := range names {
		tools = append(tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name: name, InputSchema: sdk.ToolInputSchemaParam{Type: "object"},
		}})
	}
	return tools, sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// callable is a name as the API lets it be, whatever a model made up.
func callable(name string) string {
	name = notInNames.ReplaceAllString(name, "_")
	return cutTo(name, "unnamed")
}

// callID is an id as the API lets it be.
func callID(id string) string {
	return cutTo(notInNames.ReplaceAllString(id, "_"), "call")
}

func cutTo(s, instead string) string {
	const longest = 64
	if s == "" {
		return instead
	}
	return s[:min(len(s), longest)]
}

// object is a call's arguments, or an empty object where the model wrote none,
// which the API refuses. What was wrong with them stands in the tool's answer.
func object(arguments json.RawMessage) json.RawMessage {
	var v map[string]any
	if json.Unmarshal(arguments, &v) != nil || v == nil {
		return json.RawMessage("{}")
	}
	return arguments
}

// at marks where a block stood: 0 before everything, 1 after the text, and one
// more after each call. The API refuses thinking that was moved.
func at(kind string, place int) string { return kind + ":" + strconv.Itoa(place) }

func (p *Provider) thoughtsAt(m agent.Message, place int) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, o := range m.Opaque {
		var b thought
		if o.Provider != p.origin || json.Unmarshal(o.Data, &b) != nil {
			continue
		}
		switch o.Kind {
		case at(thinkingBlock, place):
			out = append(out, sdk.NewThinkingBlock(b.Signature, b.Thinking))
		case at(redactedBlock, place):
			out = append(out, sdk.NewRedactedThinkingBlock(b.Data))
		}
	}
	return out
}
