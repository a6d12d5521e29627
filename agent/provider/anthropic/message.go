package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/messages"
)

// maxBlocks bounds the blocks of one answer, whose number the server chooses.
const maxBlocks = 1024

// answer joins the events of a message.
type answer struct {
	blocks []*block
	model  string
	usage  agent.Usage
	ended  bool
}

// block is a content block whose pieces are still coming in.
type block struct {
	index     wire.Int
	start     messages.ContentBlock
	text      strings.Builder // what it says, or thinks
	input     strings.Builder
	signature strings.Builder
}

// add joins an event to the answer. Events and blocks of unknown types are skipped, as
// the API asks of its clients. Both a reason to stop and "message_stop" end an answer.
// add returns what the event adds to the answer's text, if its order is that of the text.
func (a *answer) add(e messages.Event) (said string) {
	switch e.Type {
	case "message_start":
		a.model = string(e.Message.Model)
		a.usage.Input = inputTokens(e.Message.Usage)
		a.usage.Cached = int(e.Message.Usage.CacheReadInputTokens)
		a.usage.Output = int(e.Message.Usage.OutputTokens)
	case "content_block_start":
		if len(a.blocks) < maxBlocks {
			b := newBlock(e)
			a.blocks = append(a.blocks, b)
			return b.said(string(e.ContentBlock.Text))
		}
	case "content_block_delta":
		if b := a.block(e.Index); b != nil {
			b.add(e.Delta)
			return b.said(string(e.Delta.Text))
		}
	case "message_delta":
		a.ended = a.ended || e.Delta.StopReason != ""
		a.count(e.Usage)
	case "message_stop":
		a.ended = true
	}
	return ""
}

// said returns text if the block is text, and not a thought or a call.
func (b *block) said(text string) string {
	if b.start.Type != messages.TypeText {
		return ""
	}
	return text
}

// count updates the totals. A count that a server leaves out stays as it was.
func (a *answer) count(u messages.Usage) {
	a.usage.Input = max(a.usage.Input, inputTokens(u))
	a.usage.Cached = max(a.usage.Cached, int(u.CacheReadInputTokens))
	if u.OutputTokens > 0 {
		a.usage.Output = int(u.OutputTokens)
	}
	a.usage.Reasoning = int(u.OutputTokensDetails.ThinkingTokens)
}

// inputTokens counts all tokens of the input: those that were read from the cache or
// written to it are counted apart.
func inputTokens(u messages.Usage) int {
	return int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
}

func newBlock(e messages.Event) *block {
	b := &block{index: e.Index, start: e.ContentBlock}
	switch b.start.Type {
	case messages.TypeText:
		b.text.WriteString(string(b.start.Text))
	case messages.TypeThinking:
		b.text.WriteString(string(b.start.Thinking))
		b.signature.WriteString(string(b.start.Signature))
	}
	return b
}

// block returns the last block with an index, or nil.
func (a *answer) block(index wire.Int) *block {
	for _, b := range slices.Backward(a.blocks) {
		if b.index == index {
			return b
		}
	}
	return nil
}

func (b *block) add(d messages.Delta) {
	switch d.Type {
	case "text_delta":
		b.text.WriteString(string(d.Text))
	case "thinking_delta":
		b.text.WriteString(string(d.Thinking))
	case "signature_delta":
		b.signature.WriteString(string(d.Signature))
	case "input_json_delta":
		b.input.WriteString(string(d.PartialJSON))
	}
}

// response returns the whole answer. Thinking is its summary only where one was
// requested; otherwise it may be the raw thoughts.
func (p *Provider) response(a answer, summarized bool) agent.Response {
	out := agent.Response{Model: a.model, Usage: a.usage}
	var text, thoughts []string
	for _, b := range a.blocks {
		content := b.text.String()
		switch b.start.Type {
		case messages.TypeText:
			text = append(text, content)
		case messages.TypeToolUse:
			out.Calls = append(out.Calls, agent.Call{
				ID: string(b.start.ID), Name: string(b.start.Name), Arguments: json.RawMessage(b.input.String()),
			})
		case messages.TypeThinking, messages.TypeRedactedThinking:
			place := min(len(text), 1)
			if len(out.Calls) > 0 {
				place = 1 + len(out.Calls)
			}
			out.Opaque = append(out.Opaque, agent.Opaque{
				Provider: p.origin, Kind: placeKind(string(b.start.Type), place), Data: b.whole(),
			})
			out.Sealed = b.seal(out.Sealed)
			if b.start.Type == messages.TypeThinking && !blank(content) {
				thoughts = append(thoughts, content)
			}
		}
	}
	out.Text = strings.Join(text, "")
	if summarized {
		out.Summary = strings.Join(thoughts, "\n\n")
	}
	return out
}

// seal adds what nobody but the provider can read of a block of thinking: encrypted thoughts, or
// the signature of thoughts that were left out.
func (b *block) seal(s agent.Sealed) agent.Sealed {
	if b.start.Type == messages.TypeRedactedThinking {
		return s.Encrypted(len(b.start.Data))
	}
	if blank(b.text.String()) {
		return s.Signed(b.signature.Len())
	}
	return s
}

// whole returns a block of thinking as it came, put together from its pieces. Empty
// members are left out.
func (b *block) whole() []byte {
	whole := b.start
	if whole.Type == messages.TypeThinking {
		whole.Thinking, whole.Signature = wire.Text(b.text.String()), wire.Text(b.signature.String())
	}
	raw, _ := wire.Encode(whole) // strings and raw JSON that was decoded before always encode
	return raw
}
