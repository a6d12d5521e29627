package openai

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"candor/agent"
	"candor/agent/provider/retry"
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
		case event.Whole && (wire.Present(chunk.Error) || len(chunk.Choices) == 0 && chunk.Usage == (chat.Usage{})):
			return agent.Response{}, retry.Refuse(event.Data, p.options.Key)
		case wire.Present(chunk.Error), event.Name == "error", chunk.Object == "error":
			return agent.Response{}, p.failedInStream(ctx, event.Data)
		}
		if at := slices.IndexFunc(chunk.Choices, func(c chat.Choice) bool { return wire.Present(c.Error) }); at >= 0 {
			return agent.Response{}, p.failedInStream(ctx, chunk.Choices[at].Error)
		}
		req.Say(a.add(chunk))
		a.ended = a.ended || event.Whole && a.whole
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
	between       strings.Builder // the text since the last call began
	calls         []*chatCall     // in the order in which they began
	reasoning     chatReasoning
	model         string
	usage         agent.Usage
	finish        string
	ended         bool
	whole         bool // a message came in one piece
}

// chatCall is a tool call whose pieces are still coming in.
type chatCall struct {
	index     wire.Int // the server's number, which need not be unique
	id, name  string   // the first that came; servers repeat them
	before    string   // the text between it and the call before it
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
		said += a.addDelta(choice.Delta) + a.addDelta(chat.Delta{Content: wire.Content(choice.Text)})
		// A message that repeats what came in pieces says nothing new.
		if m := choice.Message; m != nil && (!a.began() || a.whole) {
			for i := range m.ToolCalls {
				m.ToolCalls[i].Index = wire.Int(len(a.calls) + i) // the calls of a message have no numbers
			}
			said += a.addDelta(*m)
			a.whole = true
		}
		if choice.FinishReason != "" {
			a.ended, a.finish = true, string(choice.FinishReason)
			if agent.StopOf(a.finish, 1) == "" && agent.StopOf(string(choice.NativeReason), 1).CutOff() {
				a.finish = string(choice.NativeReason)
			}
		}
	}
	return said
}

// began reports whether anything of the answer came.
func (a *chatAnswer) began() bool {
	return a.text.Len()+a.refusal.Len()+len(a.calls)+a.reasoning.content.Len()+a.reasoning.text.Len() > 0
}

// addDelta joins a piece of the answer, and returns its text. A text behind a call is set apart from the one before it.
func (a *chatAnswer) addDelta(d chat.Delta) string {
	text, gap := string(d.Content), ""
	if len(a.calls) > 0 && a.between.Len() == 0 {
		if text = strings.TrimLeft(text, " \t\r\n"); text != "" && a.text.Len() > 0 {
			gap = "\n\n"
		}
	}
	a.text.WriteString(gap + text)
	a.between.WriteString(text)
	a.refusal.WriteString(string(d.Refusal))
	a.reasoning.add(d)
	for _, piece := range d.ToolCalls {
		a.addCall(piece)
	}
	if d.FunctionCall != nil {
		a.addCall(chat.ToolCallDelta{Function: *d.FunctionCall})
	}
	return gap + text
}

// isOther reports whether a piece under the number of a call is of another one: some servers number all of them 0. It
// has a name, and an id that is another one, or none and the call is whole.
func (c *chatCall) isOther(piece chat.ToolCallDelta) bool {
	switch {
	case piece.Function.Name == "":
		return false
	case piece.ID != "":
		return c.id != string(piece.ID)
	}
	had := c.arguments.String()
	return c.name != "" && had != "{}" && json.Valid([]byte(had))
}

// addCall adds a piece to the call with its number, or begins another one.
func (a *chatAnswer) addCall(piece chat.ToolCallDelta) {
	at := -1
	for i, c := range slices.Backward(a.calls) {
		if c.index == piece.Index {
			at = i
			break
		}
	}
	if at < 0 || a.calls[at].isOther(piece) {
		if len(a.calls) == maxAnswerCalls {
			return
		}
		a.calls = append(a.calls, &chatCall{index: piece.Index, before: a.between.String()})
		a.between.Reset()
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
// where there is no other, and why the model stopped.
func (a *chatAnswer) response() agent.Response {
	out := agent.Response{
		Text:    a.text.String(),
		Summary: a.reasoning.summary(),
		Model:   a.model,
		Usage:   a.usage,
	}
	if out.Stop = agent.StopOf(a.finish, len(a.calls)); out.Stop == "" && a.refusal.Len() > 0 {
		out.Stop = agent.StopOf("refusal", 0)
	}
	if out.Text == "" {
		out.Text = a.refusal.String()
	}
	if strings.TrimSpace(out.Text) == "" && len(a.calls) == 0 {
		out.Thoughts = a.reasoning.content.String()
		if out.Thoughts == "" {
			out.Thoughts = a.reasoning.text.String()
		}
	}
	for _, c := range a.calls {
		out.Calls = append(out.Calls, agent.Call{
			ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String()), Before: c.before,
		})
	}
	return out
}
