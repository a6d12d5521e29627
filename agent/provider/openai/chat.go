package openai

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/chat"
)

// maxAnswerCalls bounds the tool calls of one answer, whose number the server chooses. The
// calls beyond it are dropped.
const maxAnswerCalls = 256

// complete asks by Chat Completions. usage says whether the count of tokens is
// requested.
func (p *Provider) complete(ctx context.Context, req agent.Request, usage bool) (agent.Response, error) {
	body, err := p.chatRequest(req, usage)
	if err != nil {
		return agent.Response{}, err
	}
	var a chatAnswer
	for event, err := range p.client.Stream(ctx, chat.Path, body) {
		if err != nil {
			return agent.Response{}, p.failed(ctx, err)
		}
		if event.Done() {
			break
		}
		chunk, err := chat.Decode(event.Data)
		switch {
		case err != nil:
			return agent.Response{}, p.failed(ctx, err)
		case chunk.Error != nil:
			return agent.Response{}, p.failedInStream(ctx, event.Data)
		}
		req.Say(a.add(chunk))
	}
	if !a.ended {
		return agent.Response{}, p.failed(ctx, errCutOff)
	}
	resp := a.response()
	resp.Opaque = append(p.opaqueReasoning(a.reasoning), p.callSignatures(a.calls)...)
	resp.Sealed = a.sealed()
	return resp, nil
}

// chatAnswer joins the chunks of a chat completion.
type chatAnswer struct {
	text, refusal strings.Builder
	calls         []*chatCall // in the order in which they began
	reasoning     chatReasoning
	model         string
	usage         agent.Usage
	ended         bool
}

// chatCall is a tool call whose pieces are still coming in.
type chatCall struct {
	index     wire.Int // the server's number, which need not be unique
	id, name  string   // the first that came; servers repeat them
	arguments strings.Builder
	extra     json.RawMessage // the first with a signature of the reasoning, as Gemini sends it
}

// add joins a chunk to the answer. The model's name and the count of tokens may come
// with any chunk, and some servers repeat them; the last ones hold. The answer has
// ended once a chunk gave a reason for it, whether "[DONE]" follows or not. add returns
// what the chunk adds to the answer's text.
func (a *chatAnswer) add(chunk chat.Chunk) (said string) {
	if chunk.Model != "" {
		a.model = string(chunk.Model)
	}
	if u := chunk.Usage; u.TotalTokens+u.CompletionTokens+u.PromptTokens > 0 {
		a.usage = agent.Usage{
			Input: int(u.PromptTokens), Output: int(u.CompletionTokens),
			Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
			Cached:    int(u.PromptTokensDetails.CachedTokens),
		}
	}
	for _, choice := range chunk.Choices {
		// One answer was requested; some servers send further ones all the same.
		if choice.Index != 0 {
			continue
		}
		a.text.WriteString(string(choice.Delta.Content))
		said += string(choice.Delta.Content)
		a.refusal.WriteString(string(choice.Delta.Refusal))
		a.reasoning.add(choice.Delta)
		for _, piece := range choice.Delta.ToolCalls {
			a.addCall(piece)
		}
		a.ended = a.ended || choice.FinishReason != ""
	}
	return said
}

// addCall adds a piece to the call with its number. A second name and id under a
// number that is in use start another call: some servers number all of them 0.
func (a *chatAnswer) addCall(piece chat.ToolCallDelta) {
	at := -1
	for i, c := range slices.Backward(a.calls) {
		if c.index == piece.Index {
			at = i
			break
		}
	}
	another := at >= 0 && piece.Function.Name != "" && piece.ID != "" && a.calls[at].id != string(piece.ID)
	if at < 0 || another {
		if len(a.calls) == maxAnswerCalls {
			return
		}
		a.calls = append(a.calls, &chatCall{index: piece.Index})
		at = len(a.calls) - 1
	}
	c := a.calls[at]
	if c.id == "" {
		c.id = string(piece.ID)
	}
	if c.name == "" {
		c.name = string(piece.Function.Name)
	}
	if c.signature() == "" {
		c.extra = piece.ExtraContent
	}
	c.arguments.WriteString(string(piece.Function.Arguments))
}

// response returns the answer without its opaque reasoning. A refusal is the text
// where there is no other.
func (a *chatAnswer) response() agent.Response {
	out := agent.Response{
		Text:    a.text.String(),
		Summary: a.reasoning.summary(),
		Model:   a.model,
		Usage:   a.usage,
	}
	if out.Text == "" {
		out.Text = a.refusal.String()
	}
	for _, c := range a.calls {
		out.Calls = append(out.Calls, agent.Call{
			ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String()),
		})
	}
	return out
}
