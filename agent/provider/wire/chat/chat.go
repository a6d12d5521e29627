// Package chat describes OpenAI's Chat Completions: the request, and the chunks of a
// streamed answer. Ollama, vLLM, llama.cpp, OpenRouter, DeepSeek and many others
// speak it too, each with its own members for reasoning; see Delta.
//
// The structs have the members that agent/provider/openai uses. Members of a request
// are in the order in which they are sent.
package chat

import (
	"encoding/json"

	"candor/agent/provider/wire"
)

// Path is where requests are posted, below the base URL.
const Path = "chat/completions"

// Request asks for one streamed answer.
type Request struct {
	Messages        []Message      `json:"messages,omitzero"`
	Model           string         `json:"model"`
	ReasoningEffort string         `json:"reasoning_effort,omitzero"`
	StreamOptions   *StreamOptions `json:"stream_options,omitzero"`
	Tools           []Tool         `json:"tools,omitzero"`
	Stream          bool           `json:"stream"`
}

// StreamOptions asks for a last chunk with the count of tokens.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is an entry of the conversation. The role decides which members it has:
// ToolCallID belongs to "tool", ToolCalls and reasoning to "assistant". A nil pointer
// leaves the member out, an empty string does not.
type Message struct {
	Content    *string    `json:"content,omitzero"`
	ToolCallID *string    `json:"tool_call_id,omitzero"`
	ToolCalls  []ToolCall `json:"tool_calls,omitzero"`
	Role       string     `json:"role"`

	// Reasoning that goes back to the server, under the name by which it came.
	Reasoning        *string         `json:"reasoning,omitzero"`
	ReasoningContent *string         `json:"reasoning_content,omitzero"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitzero"`
}

// ToolCall is a call that the model made, as it goes back.
type ToolCall struct {
	ID       string       `json:"id"`
	Function FunctionCall `json:"function"`
	Type     string       `json:"type"` // "function"

	ExtraContent json.RawMessage `json:"extra_content,omitzero"` // as it came, of Gemini
}

// FunctionCall names a function and its arguments, which are JSON in a string.
type FunctionCall struct {
	Arguments string `json:"arguments"`
	Name      string `json:"name"`
}

// Tool is a function that the model may call.
type Tool struct {
	Function FunctionSpec `json:"function"`
	Type     string       `json:"type"` // "function"
}

// FunctionSpec describes a tool. Parameters is a JSON schema, whose outermost members
// are sent sorted by name.
type FunctionSpec struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Parameters  map[string]json.RawMessage `json:"parameters"`
}

// Chunk is a piece of a streamed answer. A server that fails in the middle of an
// answer sends a chunk with an Error of any shape.
type Chunk struct {
	Object  wire.Text       `json:"object"` // "error" for a failure of some servers
	Model   wire.Text       `json:"model"`
	Choices []Choice        `json:"choices"`
	Usage   Usage           `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// Choice is a piece of one of the answers that were asked for. FinishReason is empty
// until the answer is complete; OpenRouter has the word of the provider behind it, too. A server that does not stream
// has the whole answer as a Message, and some have the pieces of a stream there.
type Choice struct {
	Index        wire.Int  `json:"index"`
	Delta        Delta     `json:"delta"`
	Message      *Delta    `json:"message"`
	Text         wire.Text `json:"text"` // of completions that are none of a chat
	FinishReason wire.Text `json:"finish_reason"`
	NativeReason wire.Text `json:"native_finish_reason"`

	Error json.RawMessage `json:"error"` // of OpenRouter: why the provider behind it failed
}

// Delta is what a chunk adds to an answer. OpenAI's own protocol has no member for
// reasoning. Others send it as text, under one of two names, or as the list that
// OpenRouter introduced, whose entries may be signed or encrypted and stay raw.
type Delta struct {
	Content          wire.Content      `json:"content"`
	Refusal          wire.Text         `json:"refusal"`
	ToolCalls        []ToolCallDelta   `json:"tool_calls"`
	FunctionCall     *FunctionDelta    `json:"function_call"` // before there were tool calls
	Reasoning        string            `json:"reasoning"`
	ReasoningContent string            `json:"reasoning_content"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
}

// ToolCallDelta is a piece of a call. The first one has the ID and the name; the
// arguments of all have to be joined. Gemini puts the signature of its reasoning into
// ExtraContent and refuses the call without it.
type ToolCallDelta struct {
	Index        wire.Int        `json:"index"`
	ID           wire.Text       `json:"id"`
	Function     FunctionDelta   `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// FunctionDelta is a piece of what a call calls.
type FunctionDelta struct {
	Name      wire.Text `json:"name"`
	Arguments wire.Text `json:"arguments"`
}

// Usage counts tokens. Reasoning tokens are among the completion tokens, cached ones among those of the
// prompt.
type Usage struct {
	PromptTokens            wire.Int `json:"prompt_tokens"`
	CompletionTokens        wire.Int `json:"completion_tokens"`
	TotalTokens             wire.Int `json:"total_tokens"`
	CompletionTokensDetails struct {
		ReasoningTokens wire.Int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	PromptTokensDetails struct {
		CachedTokens wire.Int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// Decode reads the data of an event. It fails if the data is not a JSON object.
func Decode(data []byte) (Chunk, error) {
	var c Chunk
	err := wire.Decode(data, &c)
	return c, err
}
