package openai

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"candor/agent"
)

// fromItems reads a whole response. The items are those of its events, or, where a
// server sends none, those it ends with.
func (p *Provider) fromItems(o output) agent.Response {
	out := agent.Response{Model: o.final.Model, Usage: agent.Usage{
		Input: int(o.final.Usage.InputTokens), Output: int(o.final.Usage.OutputTokens),
		Reasoning: int(o.final.Usage.OutputTokensDetails.ReasoningTokens),
	}}
	items := o.items
	if len(items) == 0 {
		items = o.final.Output
	}
	var summary, text []string
	for _, item := range items {
		switch item.Type {
		case "reasoning":
			for _, s := range item.Summary {
				summary = append(summary, s.Text)
			}
			// Without its content the provider would look for the item and not
			// find it, since nothing is kept there.
			if item.EncryptedContent != "" {
				place := min(len(text), 1)
				if len(out.Calls) > 0 {
					place = 1 + len(out.Calls)
				}
				out.Opaque = append(out.Opaque, p.opaque(kindAt(place), []byte(item.RawJSON())))
			}
		case "message":
			text = append(text, words(item))
		case "function_call":
			if len(out.Calls) < maxAtOnce {
				out.Calls = append(out.Calls, agent.Call{
					ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(item.Arguments.OfString),
				})
			}
		}
	}
	out.Text = strings.Join(text, "\n\n")
	out.Summary = strings.Join(summary, "\n\n")
	return out
}

// words is what a message says, or the refusal to say it.
func words(item responses.ResponseOutputItemUnion) string {
	var out strings.Builder
	for _, part := range item.Content {
		out.WriteString(part.Text)
		out.WriteString(part.Refusal)
	}
	return out.String()
}
