package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"candor/agent"
)

// The kinds of blocks we read. Others are passed over.
const (
	textKind      = "text"
	toolKind      = "tool_use"
	thinkingBlock = "thinking"
	redactedBlock = "redacted_thinking"
)

// maxBlocks bounds the blocks of one answer.
const maxBlocks = 1024

// thought is a block of thinking as it goes back.
type thought struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
}

// message is an answer as its events come in.
type message struct {
	blocks []*block
	model  string
	usage  agent.Usage
	ended  bool
}

type block struct {
	index                  int64
	kind, id, name         string
	text, input, signature strings.Builder // text: what is said or thought
	data                   string
}

func (m *message) add(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		m.model = e.Message.Model
		u := e.Message.Usage
		m.usage.Input = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
		m.usage.Output = int(u.OutputTokens)
	case "content_block_start":
		if len(m.blocks) < maxBlocks {
			m.blocks = append(m.blocks, started(e))
		}
	case "content_block_delta":
		if b := m.at(e.Index); b != nil {
			b.add(e.Delta)
		}
	case "message_delta":
		m.ended = m.ended || e.Delta.StopReason != ""
		m.count(e.Usage)
	case "message_stop":
		m.ended = true
	}
}

// count takes the totals so far; what a server leaves out stays what it was.
func (m *message) count(u sdk.MessageDeltaUsage) {
	if in := u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens; in > 0 {
		m.usage.Input = max(m.usage.Input, int(in))
	}
	if u.OutputTokens > 0 {
		m.usage.Output = int(u.OutputTokens)
	}
	m.usage.Reasoning = int(u.OutputTokensDetails.ThinkingTokens)
}

func started(e sdk.MessageStreamEventUnion) *block {
	c := e.ContentBlock
	b := &block{index: e.Index, kind: c.Type, id: c.ID, name: c.Name, data: c.Data}
	switch c.Type {
	case textKind:
		b.text.WriteString(c.Text)
	case thinkingBlock:
		b.text.WriteString(c.Thinking)
		b.signature.WriteString(c.Signature)
	}
	return b
}

func (m *message) at(index int64) *block {
	for _, b := range slices.Backward(m.blocks) {
		if b.index == index {
			return b
		}
	}
	return nil
}

func (b *block) add(d sdk.MessageStreamEventUnionDelta) {
	switch d.Type {
	case "text_delta":
		b.text.WriteString(d.Text)
	case "thinking_delta":
		b.text.WriteString(d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	case "input_json_delta":
		b.input.WriteString(d.PartialJSON)
	}
}

// response reads a whole message. Thinking is a summary only where one was asked
// for; else it may be the raw thoughts.
func (p *Provider) response(m message, summarized bool) agent.Response {
	out := agent.Response{Model: m.model, Usage: m.usage}
	var text, thoughts []string
	for _, b := range m.blocks {
		said := b.text.String()
		switch b.kind {
		case textKind:
			text = append(text, said)
		case toolKind:
			out.Calls = append(out.Calls, agent.Call{ID: b.id, Name: b.name, Arguments: json.RawMessage(b.input.String())})
		case thinkingBlock, redactedBlock:
			place := min(len(text), 1)
			if len(out.Calls) > 0 {
				place = 1 + len(out.Calls)
			}
			out.Opaque = append(out.Opaque, agent.Opaque{
				Provider: p.origin, Kind: at(b.kind, place), Data: b.encode(),
			})
			if b.kind == thinkingBlock && !blank(said) {
				thoughts = append(thoughts, said)
			}
		}
	}
	out.Text = strings.Join(text, "")
	if summarized {
		out.Summary = strings.Join(thoughts, "\n\n")
	}
	return out
}

// encode is the block as it came, without escapes meant for HTML.
func (b *block) encode() []byte {
	t := thought{Type: b.kind, Data: b.data}
	if b.kind == thinkingBlock {
		t.Thinking, t.Signature = b.text.String(), b.signature.String()
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(t) // strings encode
	return bytes.TrimSpace(buf.Bytes())
}
