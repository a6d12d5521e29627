package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/chat"
)

// chatRequest returns the body of a request for Chat Completions. Its bytes depend on
// the arguments and the options only, so that a provider can cache by prefix.
func (p *Provider) chatRequest(req agent.Request, usage bool) ([]byte, error) {
	out := chat.Request{Model: p.options.Model, ReasoningEffort: p.options.Effort, Stream: true}
	if usage {
		out.StreamOptions = &chat.StreamOptions{IncludeUsage: true}
	}
	for _, m := range mergeSystem(req.Messages) {
		out.Messages = append(out.Messages, p.chatMessage(m))
	}
	for _, s := range req.Tools {
		schema, err := parameters(s)
		if err != nil {
			return nil, err
		}
		out.Tools = append(out.Tools, chat.Tool{Type: "function", Function: chat.FunctionSpec{
			Name: s.Name, Description: s.Description, Parameters: schema,
		}})
	}
	return wire.Encode(out)
}

// chatMessage translates a message. Its pointers are to copies of the caller's texts,
// so that an empty text is still sent: a server may require the member.
func (p *Provider) chatMessage(m agent.Message) chat.Message {
	switch m.Role {
	case agent.RoleSystem:
		return chat.Message{Role: "system", Content: &m.Text}
	case agent.RoleTool:
		return chat.Message{Role: "tool", Content: &m.Text, ToolCallID: &m.CallID}
	case agent.RoleAssistant:
		return p.assistant(m)
	}
	return chat.Message{Role: "user", Content: &m.Text}
}

// assistant returns the model's message. A message with calls and without text has no
// content member, which some servers distinguish from empty content.
func (p *Provider) assistant(m agent.Message) chat.Message {
	out := chat.Message{Role: "assistant"}
	if m.Text != "" || len(m.Calls) == 0 {
		out.Content = &m.Text
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, chat.ToolCall{
			ID: c.ID, Type: "function", Function: chat.FunctionCall{
				Name: callName(c), Arguments: string(wire.Object(c.Arguments)),
			},
		})
	}
	p.echoReasoning(&out, m)
	p.echoSignatures(out.ToolCalls, m)
	return out
}

// mergeSystem joins the system messages at the start into one, and turns later ones
// into the user's: many chat templates accept one system message, in first place.
func mergeSystem(messages []agent.Message) []agent.Message {
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

// parameters returns a tool's schema. Its properties keep their order, in which the
// rationale comes first.
func parameters(s agent.Spec) (map[string]json.RawMessage, error) {
	members, err := wire.Members(s.Schema)
	if err != nil {
		return nil, fmt.Errorf("the schema of tool %q: %w", s.Name, err)
	}
	return members, nil
}

// callName returns the name of the called tool as servers accept it.
func callName(c agent.Call) string { return wire.Identifier(c.Name, "unnamed") }
