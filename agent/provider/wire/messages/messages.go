// Package messages describes Anthropic's Messages API: the request with its content
// blocks, and the events of a streamed message.
//
// The structs have the members that agent/provider/anthropic uses. Members of a
// request are in the order in which they are sent. A block of thinking also keeps
// its other members, since the API accepts it back only unchanged.
package messages

import (
	"encoding/json"
	"maps"
	"slices"

	"candor/agent/provider/wire"
)

const (
	// Path is where requests are posted, below the base URL.
	Path = "v1/messages"
	// Version is the value of the header "anthropic-version" that Request and Event
	// belong to.
	Version = "2023-06-01"
)

// The types of content blocks that are read.
const (
	TypeText             = "text"
	TypeToolUse          = "tool_use"
	TypeThinking         = "thinking"
	TypeRedactedThinking = "redacted_thinking"
)

// Request asks for one streamed message.
type Request struct {
	MaxTokens    int             `json:"max_tokens"`
	Messages     []InputMessage  `json:"messages,omitzero"`
	Model        string          `json:"model"`
	OutputConfig *OutputConfig   `json:"output_config,omitzero"`
	System       []TextBlock     `json:"system,omitzero"`
	Thinking     *ThinkingConfig `json:"thinking,omitzero"`
	ToolChoice   *ToolChoice     `json:"tool_choice,omitzero"`
	Tools        []Tool          `json:"tools,omitzero"`
	Stream       bool            `json:"stream"`
}

// OutputConfig says how hard the model shall work.
type OutputConfig struct {
	Effort string `json:"effort"`
}

// ThinkingConfig says whether and how the model thinks before it answers. BudgetTokens
// belongs to the type "enabled".
type ThinkingConfig struct {
	BudgetTokens int    `json:"budget_tokens,omitzero"`
	Display      string `json:"display,omitzero"` // "summarized", or empty for the default
	Type         string `json:"type"`             // "adaptive" or "enabled"
}

// ToolChoice says whether tools may be called.
type ToolChoice struct {
	Type string `json:"type"` // "none"
}

// Tool is a tool that the model may call.
type Tool struct {
	InputSchema InputSchema `json:"input_schema"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitzero"`
}

// InputSchema is the JSON schema of a tool's input, an object. Extra holds its other
// members, which follow the described ones, sorted by name.
type InputSchema struct {
	Properties json.RawMessage            `json:"properties,omitzero"`
	Required   []string                   `json:"required,omitzero"`
	Type       string                     `json:"type"` // "object"
	Extra      map[string]json.RawMessage `json:"-"`
}

// MarshalJSON implements json.Marshaler.
func (s InputSchema) MarshalJSON() ([]byte, error) {
	type members InputSchema // without this method
	return withExtra(members(s), s.Extra)
}

// InputMessage is an entry of the conversation.
type InputMessage struct {
	Content []Block `json:"content"`
	Role    string  `json:"role"` // "user" or "assistant"
}

// Block is a part of a message: TextBlock, ToolUseBlock, ToolResultBlock,
// ThinkingBlock or RedactedThinkingBlock.
type Block interface{ isBlock() }

// TextBlock is a block of text. The API refuses one that is blank.
type TextBlock struct {
	Text string `json:"text"`
	Type string `json:"type"` // TypeText
}

// ToolUseBlock is a call that the model made. Input is a JSON object.
type ToolUseBlock struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
	Name  string          `json:"name"`
	Type  string          `json:"type"` // TypeToolUse
}

// ToolResultBlock is the result of the call with the same id.
type ToolResultBlock struct {
	ToolUseID string      `json:"tool_use_id"`
	Content   []TextBlock `json:"content,omitzero"`
	Type      string      `json:"type"` // "tool_result"
}

// ThinkingBlock is a block of thinking that goes back. Extra holds the members that came
// with it and are not described.
type ThinkingBlock struct {
	Signature string                     `json:"signature"`
	Thinking  string                     `json:"thinking"`
	Type      string                     `json:"type"` // TypeThinking
	Extra     map[string]json.RawMessage `json:"-"`
}

// RedactedThinkingBlock is a block of encrypted thinking that goes back. Extra is as in
// ThinkingBlock.
type RedactedThinkingBlock struct {
	Data  string                     `json:"data"`
	Type  string                     `json:"type"` // TypeRedactedThinking
	Extra map[string]json.RawMessage `json:"-"`
}

func (TextBlock) isBlock()             {}
func (ToolUseBlock) isBlock()          {}
func (ToolResultBlock) isBlock()       {}
func (ThinkingBlock) isBlock()         {}
func (RedactedThinkingBlock) isBlock() {}

// MarshalJSON implements json.Marshaler.
func (b ThinkingBlock) MarshalJSON() ([]byte, error) {
	type members ThinkingBlock // without this method
	return withExtra(members(b), b.Extra)
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *ThinkingBlock) UnmarshalJSON(data []byte) error {
	type members ThinkingBlock // without this method
	b.Extra = extraOf(data, "signature", "thinking", "type")
	return json.Unmarshal(data, (*members)(b))
}

// MarshalJSON implements json.Marshaler.
func (b RedactedThinkingBlock) MarshalJSON() ([]byte, error) {
	type members RedactedThinkingBlock // without this method
	return withExtra(members(b), b.Extra)
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *RedactedThinkingBlock) UnmarshalJSON(data []byte) error {
	type members RedactedThinkingBlock // without this method
	b.Extra = extraOf(data, "data", "type")
	return json.Unmarshal(data, (*members)(b))
}

// extraOf returns the members of a JSON object that the types here do not describe, or
// nil if there are none.
func extraOf(data []byte, described ...string) map[string]json.RawMessage {
	var extra map[string]json.RawMessage
	_ = json.Unmarshal(data, &extra) // a value that is not an object has no members
	for _, name := range described {
		delete(extra, name)
	}
	if len(extra) == 0 {
		return nil
	}
	return extra
}

// withExtra returns the JSON of v, an object with at least one member, with further
// members at its end, sorted by name.
func withExtra(v any, extra map[string]json.RawMessage) ([]byte, error) {
	out, err := wire.Encode(v)
	if err != nil || len(extra) == 0 {
		return out, err
	}
	out = out[:len(out)-1]
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		key, err := wire.Encode(name)
		if err != nil {
			return nil, err
		}
		out = append(append(append(append(out, ','), key...), ':'), extra[name]...)
	}
	return append(out, '}'), nil
}

// Event is one event of the stream. Type decides which members it has: Message
// belongs to "message_start", ContentBlock to "content_block_start", Delta to
// "content_block_delta" and "message_delta", Usage to "message_delta". Index says
// which block an event is about. A server that does not stream sends a whole Message, of the type "message", whose
// other members stand beside the type. An "error", and sometimes an event of no type, has an Error of any shape.
type Event struct {
	Type         wire.Text       `json:"type"`
	Index        wire.Int        `json:"index"`
	ContentBlock ContentBlock    `json:"content_block"`
	Delta        Delta           `json:"delta"`
	Usage        Usage           `json:"usage"`
	Message      Message         `json:"message"`
	Error        json.RawMessage `json:"error"`

	Model      wire.Text      `json:"model"`
	Content    []ContentBlock `json:"content"`
	StopReason wire.Text      `json:"stop_reason"`
}

// Message is a message as it begins, mostly without content.
type Message struct {
	Model   wire.Text      `json:"model"`
	Usage   Usage          `json:"usage"`
	Content []ContentBlock `json:"content"`
}

// ContentBlock is a block as it begins. Extra holds the members that are not
// described, as the provider sent them. Encoded again, a block has the members of
// its type first and leaves out the empty ones.
type ContentBlock struct {
	Type      wire.Text `json:"type"`
	ID        wire.Text `json:"id,omitzero"`        // of tool_use
	Name      wire.Text `json:"name,omitzero"`      // of tool_use
	Text      wire.Text `json:"text,omitzero"`      // of text
	Thinking  wire.Text `json:"thinking,omitzero"`  // of thinking
	Signature wire.Text `json:"signature,omitzero"` // of thinking
	Data      wire.Text `json:"data,omitzero"`      // of redacted_thinking

	Extra map[string]json.RawMessage `json:"-"`
}

// MarshalJSON implements json.Marshaler.
func (b ContentBlock) MarshalJSON() ([]byte, error) {
	type members ContentBlock // without this method
	return withExtra(members(b), b.Extra)
}

// UnmarshalJSON implements json.Unmarshaler. A block of another shape has no members.
func (b *ContentBlock) UnmarshalJSON(data []byte) error {
	type members ContentBlock // without this method
	b.Extra = extraOf(data, "type", "id", "name", "text", "thinking", "signature", "data")
	_ = wire.Decode(data, (*members)(b))
	return nil
}

// Delta is what an event adds to a block or to the message. StopReason is empty until
// the message is complete.
type Delta struct {
	Type        wire.Text `json:"type"`
	StopReason  wire.Text `json:"stop_reason"`
	Text        wire.Text `json:"text"`
	Thinking    wire.Text `json:"thinking"`
	Signature   wire.Text `json:"signature"`
	PartialJSON wire.Text `json:"partial_json"`
}

// Block returns the block that a delta is a piece of, as far as its type tells that.
func (d Delta) Block() ContentBlock {
	b := ContentBlock{Type: TypeText, Text: d.Text}
	if d.Type == "thinking_delta" || d.Type == "signature_delta" {
		b = ContentBlock{Type: TypeThinking, Thinking: d.Thinking, Signature: d.Signature}
	}
	return b
}

// Usage counts tokens. Those of the input are counted apart by how the cache was
// used; thinking tokens are among the output tokens.
type Usage struct {
	InputTokens              wire.Int `json:"input_tokens"`
	CacheCreationInputTokens wire.Int `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     wire.Int `json:"cache_read_input_tokens"`
	OutputTokens             wire.Int `json:"output_tokens"`
	OutputTokensDetails      struct {
		ThinkingTokens wire.Int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// Decode reads the data of an event. It fails if the data is not a JSON object.
func Decode(data []byte) (Event, error) {
	var e Event
	err := wire.Decode(data, &e)
	return e, err
}
