package anthropic

import (
	"cmp"
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
	begun  []messages.ContentBlock // with the message, and of no event
	model  string
	usage  agent.Usage
	stop   string
	spoken *block // that was spoken last
	ended  bool
}

// block is a content block whose pieces are still coming in.
type block struct {
	index     wire.Int
	start     messages.ContentBlock
	gap       string          // sets it apart from the text before it
	text      strings.Builder // what it says, or thinks
	input     strings.Builder
	signature strings.Builder
}

// add joins an event to the answer. Events and blocks of unknown types are skipped, as
// the API asks of its clients. Both a reason to stop and "message_stop" end an answer.
// add returns what the event adds to the answer's text, if its order is that of the text.
func (a *answer) add(e messages.Event) (said string) {
	switch e.Type {
	case "", "message":
		a.start(messages.Message{Model: e.Model, Usage: e.Usage, Content: e.Content})
		a.ended, a.stop = true, string(e.StopReason)
	case "message_start":
		a.start(e.Message)
	case "content_block_start":
		return a.begin(e.Index, e.ContentBlock)
	case "content_block_delta":
		b := a.block(e.Index)
		if b == nil {
			return a.begin(e.Index, e.Delta.Block()) // its beginning is missing
		}
		return a.say(b, e.Delta)
	case "message_delta":
		if stop := cmp.Or(e.Delta.StopReason, e.StopReason); stop != "" {
			a.ended, a.stop = true, string(stop)
		}
		a.count(e.Usage)
	case "message_stop":
		a.ended = true
	}
	return ""
}

// start takes what is known of a message when it begins, which may be all.
func (a *answer) start(m messages.Message) {
	a.model, a.begun = string(m.Model), m.Content
	a.usage.Input = inputTokens(m.Usage)
	a.usage.Cached = int(m.Usage.CacheReadInputTokens)
	a.usage.Output = int(m.Usage.OutputTokens)
}

// begin adds a block, and returns its text.
func (a *answer) begin(index wire.Int, start messages.ContentBlock) string {
	if len(a.blocks) >= maxBlocks {
		return ""
	}
	b := &block{index: index, start: start}
	a.blocks = append(a.blocks, b)
	return a.say(b, messages.Delta{Text: start.Text, Thinking: start.Thinking, Signature: start.Signature})
}

// say adds a piece to a block, and returns what it adds to the answer's text. Where something else than text stands
// between two texts, a break sets them apart; text that is only split into blocks, as for citations, has none.
func (a *answer) say(b *block, d messages.Delta) string {
	b.add(d)
	text := string(d.Text)
	if b.start.Type != messages.TypeText || text == "" {
		return ""
	}
	last := a.spoken
	a.spoken = b
	from, to := slices.Index(a.blocks, last), slices.Index(a.blocks, b)
	if from < 0 || from >= to || !slices.ContainsFunc(a.blocks[from:to], func(o *block) bool {
		return o.start.Type != messages.TypeText
	}) {
		return text
	}
	b.gap = "\n\n"
	return b.gap + text
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

// block returns the last block with an index, or nil.
func (a *answer) block(index wire.Int) *block {
	for _, b := range slices.Backward(a.blocks) {
		if b.index == index {
			return b
		}
	}
	return nil
}

// add joins a piece. Its members tell what it is, as its type does.
func (b *block) add(d messages.Delta) {
	switch b.start.Type {
	case messages.TypeText:
		b.text.WriteString(string(d.Text))
	case messages.TypeThinking:
		b.text.WriteString(string(d.Thinking))
		b.signature.WriteString(string(d.Signature))
	case messages.TypeToolUse:
		b.input.WriteString(string(d.PartialJSON))
	}
}

// arguments returns those of a call: in pieces, or whole where the block began.
func (b *block) arguments() json.RawMessage {
	pieces, whole := json.RawMessage(b.input.String()), b.start.Extra["input"]
	if wire.Present(whole) && !json.Valid(pieces) {
		return whole
	}
	return pieces
}

// response returns the whole answer. Thinking is its summary only where one was
// requested; otherwise it may be the raw thoughts.
func (p *Provider) response(a answer, summarized bool) agent.Response {
	if len(a.blocks) == 0 {
		for i, start := range a.begun[:min(len(a.begun), maxBlocks)] {
			a.begin(wire.Int(i), start)
		}
	}
	out := agent.Response{Model: a.model, Usage: a.usage}
	var text, thoughts []string
	between := 0 // where the text since the last call begins in text
	for _, b := range a.blocks {
		content := b.text.String()
		switch b.start.Type {
		case messages.TypeText:
			text = append(text, b.gap+content)
		case messages.TypeToolUse:
			out.Calls = append(out.Calls, agent.Call{
				ID: string(b.start.ID), Name: string(b.start.Name), Arguments: b.arguments(),
				Before: strings.TrimSpace(strings.Join(text[between:], "")),
			})
			between = len(text)
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
	out.Text, out.Stop = strings.Join(text, ""), agent.StopOf(a.stop, len(out.Calls))
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
