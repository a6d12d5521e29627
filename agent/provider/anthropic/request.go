package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/messages"
)

// request translates a request of the agent loop.
func (p *Provider) request(req agent.Request, think, display bool) (messages.Request, error) {
	out := messages.Request{Model: p.options.Model, MaxTokens: p.options.MaxTokens, Stream: true}
	if p.options.Effort != "" {
		out.OutputConfig = &messages.OutputConfig{Effort: p.options.Effort}
	}
	if think {
		out.Thinking = p.thinking(req.Messages, display)
	}
	rest := req.Messages
	for len(rest) > 0 && rest[0].Role == agent.RoleSystem {
		if !blank(rest[0].Text) {
			out.System = append(out.System, messages.TextBlock{Type: messages.TypeText, Text: rest[0].Text})
		}
		rest = rest[1:]
	}
	for _, m := range rest {
		out.Messages = p.appendMessage(out.Messages, m)
	}
	for _, s := range req.Tools {
		tool, err := describe(s)
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

// thinking returns how the model is to think, or nil for its default.
func (p *Provider) thinking(conversation []agent.Message, display bool) *messages.ThinkingConfig {
	config := messages.ThinkingConfig{}
	switch p.options.Thinking {
	case Auto, Adaptive:
		config.Type = "adaptive"
	case Budget:
		if p.lostThinking(conversation) {
			return nil
		}
		config.Type, config.BudgetTokens = "enabled", p.options.Budget
	default:
		return nil
	}
	if display {
		config.Display = "summarized"
	}
	return &config
}

// lostThinking reports whether the tool calls of this turn came without thinking of
// this model, as after a change of models. The API then refuses a budget.
func (p *Provider) lostThinking(conversation []agent.Message) bool {
	for _, m := range slices.Backward(conversation) {
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

// appendMessage adds a message. Consecutive messages of one side become one, as the
// API demands of the results of a step. Later system messages are the user's, since
// the system only speaks first.
func (p *Provider) appendMessage(out []messages.InputMessage, m agent.Message) []messages.InputMessage {
	role, blocks := "user", []messages.Block(nil)
	switch m.Role {
	case agent.RoleTool:
		blocks = append(blocks, toolResult(m))
	case agent.RoleAssistant:
		role, blocks = "assistant", p.assistant(m)
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
	return append(out, messages.InputMessage{Role: role, Content: blocks})
}

// assistant returns the blocks of the model's message: the text, then the calls, with
// the thinking of this model in its original places.
func (p *Provider) assistant(m agent.Message) []messages.Block {
	out := p.thoughtsAt(m, 0)
	out = append(out, textBlock(m.Text)...)
	out = append(out, p.thoughtsAt(m, 1)...)
	for i, c := range m.Calls {
		out = append(out, messages.ToolUseBlock{
			Type: messages.TypeToolUse, ID: callID(c.ID), Name: callName(c), Input: wire.Object(c.Arguments),
		})
		out = append(out, p.thoughtsAt(m, i+2)...)
	}
	return out
}

// toolResult returns the result of a call. A blank result has no content, since the API
// refuses a blank text.
func toolResult(m agent.Message) messages.Block {
	result := messages.ToolResultBlock{Type: "tool_result", ToolUseID: callID(m.CallID)}
	if !blank(m.Text) {
		result.Content = []messages.TextBlock{{Type: messages.TypeText, Text: m.Text}}
	}
	return result
}

// textBlock returns a block of text, or nothing for a blank text.
func textBlock(text string) []messages.Block {
	if blank(text) {
		return nil
	}
	return []messages.Block{messages.TextBlock{Type: messages.TypeText, Text: text}}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// describe returns a tool. The properties of its schema keep their order, in which
// the rationale comes first.
func describe(s agent.Spec) (messages.Tool, error) {
	members, err := wire.Members(s.Schema)
	if err != nil {
		return messages.Tool{}, fmt.Errorf("the schema of tool %q: %w", s.Name, err)
	}
	schema := messages.InputSchema{Type: "object", Required: s.Schema.Required, Properties: members["properties"]}
	for _, described := range []string{"type", "required", "properties"} {
		delete(members, described)
	}
	schema.Extra = members
	return messages.Tool{Name: s.Name, Description: s.Description, InputSchema: schema}, nil
}

// withdrawn describes the tools that were called but may not be called any more. The
// API refuses a conversation with calls of tools that the request does not list.
func withdrawn(conversation []agent.Message) ([]messages.Tool, *messages.ToolChoice) {
	var names []string
	for _, m := range conversation {
		for _, c := range m.Calls {
			if name := callName(c); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	var tools []messages.Tool
	for _, name := range names {
		tools = append(tools, messages.Tool{Name: name, InputSchema: messages.InputSchema{Type: "object"}})
	}
	return tools, &messages.ToolChoice{Type: "none"}
}

// callName returns the name of the called tool as the API accepts it.
func callName(c agent.Call) string { return wire.Identifier(c.Name, "unnamed") }

// callID returns the id of a call as the API accepts it.
func callID(id string) string { return wire.Identifier(id, "call") }

// placeKind returns the kind under which a thinking block is kept with its place in the
// message: 0 is before everything, 1 after the text, and each call counts one more. The
// API refuses thinking blocks that have moved.
func placeKind(blockType string, place int) string { return blockType + ":" + strconv.Itoa(place) }

// thoughtsAt returns this model's thinking blocks at a place in the message.
func (p *Provider) thoughtsAt(m agent.Message, place int) []messages.Block {
	var out []messages.Block
	for _, o := range m.Opaque {
		if o.Provider != p.origin {
			continue
		}
		switch o.Kind {
		case placeKind(messages.TypeThinking, place):
			b := messages.ThinkingBlock{Type: messages.TypeThinking}
			if json.Unmarshal(o.Data, &b) == nil {
				out = append(out, b)
			}
		case placeKind(messages.TypeRedactedThinking, place):
			b := messages.RedactedThinkingBlock{Type: messages.TypeRedactedThinking}
			if json.Unmarshal(o.Data, &b) == nil {
				out = append(out, b)
			}
		}
	}
	return out
}
