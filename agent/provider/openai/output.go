package openai

import (
	"encoding/json"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/responses"
)

// readItems turns the output items of a response into what the agent loop knows.
func (p *Provider) readItems(a responsesAnswer) agent.Response {
	out := agent.Response{Model: string(a.final.Model), Usage: agent.Usage{
		Input: int(a.final.Usage.InputTokens), Output: int(a.final.Usage.OutputTokens),
		Reasoning: int(a.final.Usage.OutputTokensDetails.ReasoningTokens),
		Cached:    int(a.final.Usage.InputTokensDetails.CachedTokens),
	}}
	items := a.whole()
	out.Stop = a.stop(items)
	var summary, text []string
	between := 0 // where the text since the last call begins in text
	for _, item := range items {
		switch item.Type {
		case responses.TypeReasoning:
			for _, s := range item.Summary {
				summary = append(summary, string(s.Text))
			}
			// An item without encrypted content is useless to send back: the provider
			// would look it up by its id and not find it, since it stored nothing.
			out.Sealed = out.Sealed.Encrypted(len(item.EncryptedContent))
			if item.EncryptedContent != "" {
				kind := placeKind(placeAfter(text, out.Calls))
				out.Opaque = append(out.Opaque, p.opaque(kind, item.Raw))
			}
		case responses.TypeMessage:
			text = append(text, messageText(item))
		case responses.TypeFunctionCall:
			if len(out.Calls) < maxAnswerCalls {
				out.Calls = append(out.Calls, agent.Call{
					ID: string(item.CallID), Name: string(item.Name), Arguments: json.RawMessage(item.Arguments),
					Before: strings.Join(text[between:], "\n\n"),
				})
				between = len(text)
			}
		}
	}
	out.Text = strings.Join(text, "\n\n")
	out.Summary = strings.Join(summary, "\n\n")
	return out
}

// placeAfter is the place, in the sense of placeKind, of an item that follows these
// texts and calls. All texts are sent back as one, ahead of the calls.
func placeAfter(text []string, calls []agent.Call) int {
	if len(calls) > 0 {
		return 1 + len(calls)
	}
	return min(len(text), 1)
}

// messageText joins the parts of a message: text, or the refusal to give one, which is
// what the model has to say then.
func messageText(item responses.Item) string {
	var out strings.Builder
	for _, part := range item.Content {
		out.WriteString(partText(part))
		out.WriteString(string(part.Refusal))
	}
	return out.String()
}

// partText returns the text of a part that is text.
func partText(part responses.ContentPart) string {
	if !wire.IsText(string(part.Type)) {
		return ""
	}
	return string(part.Text)
}
