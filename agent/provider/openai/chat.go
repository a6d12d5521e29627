package openai

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"candor/agent"
)

// errCutOff is a stream without an end: the connection was lost, or the server
// gave up without a word.
var errCutOff = errors.New("the model's answer broke off")

// maxAtOnce bounds the calls of one answer, which a server numbers as it likes.
const maxAtOnce = 256

// complete asks by Chat Completions.
func (p *Provider) complete(ctx context.Context, req agent.Request, usage bool) (agent.Response, error) {
	params, err := p.chatParams(req, usage)
	if err != nil {
		return agent.Response{}, err
	}
	stream := p.chat.NewStreaming(ctx, params)
	defer stream.Close()
	var a answer
	for stream.Next() {
		a.add(stream.Current())
	}
	if err := stream.Err(); err != nil {
		return agent.Response{}, p.failed(ctx, err)
	}
	if !a.ended {
		return agent.Response{}, p.failed(ctx, errCutOff)
	}
	resp := a.response()
	resp.Opaque = p.keep(a.reasoning)
	return resp, nil
}

// answer is a chat completion as its pieces come in.
type answer struct {
	text, refusal strings.Builder
	calls         []*call
	reasoning     reasoning
	model         string
	usage         agent.Usage
	ended         bool
}

// call is a tool call that grows. Servers number them, but not all do it right.
type call struct {
	index     int64
	id, name  string
	arguments strings.Builder
}

func (a *answer) add(chunk sdk.ChatCompletionChunk) {
	if chunk.Model != "" {
		a.model = chunk.Model
	}
	if u := chunk.Usage; u.TotalTokens+u.CompletionTokens+u.PromptTokens > 0 {
		a.usage = agent.Usage{
			Input: int(u.PromptTokens), Output: int(u.CompletionTokens),
			Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
		}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // we ask for one
		}
		a.text.WriteString(choice.Delta.Content)
		a.refusal.WriteString(choice.Delta.Refusal)
		a.reasoning.add(choice.Delta)
		for _, c := range choice.Delta.ToolCalls {
			a.addCall(c)
		}
		a.ended = a.ended || choice.FinishReason != ""
	}
}

// addCall finds the call a piece belongs to. A second name and id under a number
// that is taken is another call: some servers give all of them number 0.
func (a *answer) addCall(piece sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	at := -1
	for i, c := range slices.Backward(a.calls) {
		if c.index == piece.Index {
			at = i
			break
		}
	}
	another := at >= 0 && piece.Function.Name != "" && piece.ID != "" && a.calls[at].id != piece.ID
	if at < 0 || another {
		if len(a.calls) == maxAtOnce {
			return
		}
		a.calls = append(a.calls, &call{index: piece.Index})
		at = len(a.calls) - 1
	}
	c := a.calls[at]
	if c.id == "" {
		c.id = piece.ID
	}
	if c.name == "" {
		c.name = piece.Function.Name
	}
	c.arguments.WriteString(piece.Function.Arguments)
}

func (a *answer) response() agent.Response {
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
