// Package responses describes OpenAI's Responses API: the request with its input
// items, and the events of a streamed response with their output items.
//
// The structs have the members that agent/provider/openai uses. Members of a request
// are in the order in which they are sent. An output item keeps its bytes in Raw: an
// encrypted reasoning item is only accepted back unchanged.
package responses

import (
	"encoding/json"
	"slices"

	"candor/agent/provider/wire"
)

// Path is where requests are posted, below the base URL.
const Path = "responses"

// EncryptedReasoning is the value of Request.Include that requests encrypted reasoning
// items, which can be sent back although the provider stored nothing.
const EncryptedReasoning = "reasoning.encrypted_content"

// The types of output items that are read.
const (
	TypeReasoning    = "reasoning"
	TypeMessage      = "message"
	TypeFunctionCall = "function_call"
)

// Request asks for one streamed response.
type Request struct {
	Instructions *string    `json:"instructions,omitzero"`
	Store        bool       `json:"store"`
	Include      []string   `json:"include,omitzero"`
	Input        []Input    `json:"input,omitzero"`
	Model        string     `json:"model"`
	Reasoning    *Reasoning `json:"reasoning,omitzero"`
	Tools        []Tool     `json:"tools,omitzero"`
	Stream       bool       `json:"stream"`
}

// Reasoning says how hard the model shall think and that it shall sum up its thoughts.
type Reasoning struct {
	Effort  string `json:"effort,omitzero"`
	Summary string `json:"summary"`
}

// Tool is a function that the model may call. Parameters is a JSON schema, whose
// outermost members are sent sorted by name. A strict tool requires every property.
type Tool struct {
	Strict      bool                       `json:"strict"`
	Parameters  map[string]json.RawMessage `json:"parameters"`
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Type        string                     `json:"type"` // "function"
}

// Input is an item of the conversation: InputMessage, FunctionCall,
// FunctionCallOutput or RawItem.
type Input interface{ isInput() }

// InputMessage is a message of a user or of the assistant.
type InputMessage struct {
	Content string `json:"content"`
	Role    string `json:"role"`
}

// FunctionCall is a call that the model made. Arguments are JSON in a string.
type FunctionCall struct {
	Arguments string `json:"arguments"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Type      string `json:"type"` // TypeFunctionCall
}

// FunctionCallOutput is the result of the call with the same id.
type FunctionCallOutput struct {
	Output string `json:"output"`
	CallID string `json:"call_id"`
	Type   string `json:"type"` // "function_call_output"
}

// RawItem is an item as the provider sent it.
type RawItem struct{ json.RawMessage }

func (InputMessage) isInput()       {}
func (FunctionCall) isInput()       {}
func (FunctionCallOutput) isInput() {}
func (RawItem) isInput()            {}

// Event is one event of the stream. Type decides which members it has: Item belongs
// to the beginning and the end of an item, Delta, OutputIndex and ItemID to its pieces, Text, Refusal, Arguments and
// Part to the ends of these, Response to the events that end the stream, Code and Message to "error". A server that
// fails before the response began sends an event with an Error of any shape instead.
type Event struct {
	Type        wire.Text       `json:"type"`
	Item        Item            `json:"item"`
	ItemID      wire.Text       `json:"item_id"`
	Delta       wire.Text       `json:"delta"`
	Text        wire.Text       `json:"text"`
	Refusal     wire.Text       `json:"refusal"`
	Arguments   wire.Text       `json:"arguments"`
	Name        wire.Text       `json:"name"` // of the function, beside its arguments
	Part        ContentPart     `json:"part"`
	OutputIndex *wire.Int       `json:"output_index"` // the item's position in the output
	Response    Response        `json:"response"`
	Code        wire.Text       `json:"code"`
	Message     wire.Text       `json:"message"`
	Error       json.RawMessage `json:"error"`
}

// Response is a whole response. Error has a value where the response failed, and Incomplete where it was cut off.
type Response struct {
	Model      wire.Text       `json:"model"`
	Status     wire.Text       `json:"status"`
	Output     []Item          `json:"output"`
	Usage      Usage           `json:"usage"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason wire.Text `json:"reason"`
	} `json:"incomplete_details"`
}

// Usage counts tokens. Reasoning tokens are among the output tokens, cached ones among those of the input.
type Usage struct {
	InputTokens         wire.Int `json:"input_tokens"`
	OutputTokens        wire.Int `json:"output_tokens"`
	OutputTokensDetails struct {
		ReasoningTokens wire.Int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	InputTokensDetails struct {
		CachedTokens wire.Int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
}

// Item is an output item. Type decides which members it has; Raw is the whole item
// as the provider sent it, members that are not described included.
type Item struct {
	Type             wire.Text     `json:"type"`
	ID               wire.Text     `json:"id"`
	Status           wire.Text     `json:"status"`
	Content          Parts         `json:"content"`           // of a message
	Arguments        wire.Text     `json:"arguments"`         // of a function call
	CallID           wire.Text     `json:"call_id"`           // of a function call
	Name             wire.Text     `json:"name"`              // of a function call
	Summary          []SummaryPart `json:"summary"`           // of reasoning
	EncryptedContent wire.Text     `json:"encrypted_content"` // of reasoning

	Raw json.RawMessage `json:"-"`
}

// ContentPart is a part of a message: text, or the reason why there is no text. Parts of other types are none.
type ContentPart struct {
	Type    wire.Text `json:"type"`
	Text    wire.Text `json:"text"`
	Refusal wire.Text `json:"refusal"`
}

// Parts are those of a message. A server may send text alone in their place.
type Parts []ContentPart

// UnmarshalJSON implements json.Unmarshaler. It never fails on valid JSON.
func (p *Parts) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil && text != "" {
		*p = Parts{{Text: wire.Text(text)}}
		return nil
	}
	var list []ContentPart
	_ = json.Unmarshal(data, &list) // of another shape it has no parts
	*p = list
	return nil
}

// SummaryPart is a paragraph of the provider's summary of its reasoning.
type SummaryPart struct {
	Text wire.Text `json:"text"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Item) UnmarshalJSON(data []byte) error {
	type members Item                    // without this method
	_ = wire.Decode(data, (*members)(i)) // data is JSON; an item of another shape has no members
	i.Raw = slices.Clone(data)
	return nil
}

// Decode reads the data of an event. It fails if the data is not a JSON object.
func Decode(data []byte) (Event, error) {
	var e Event
	err := wire.Decode(data, &e)
	return e, err
}
