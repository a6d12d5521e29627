package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Provider is a model. Respond is called concurrently, once for each step of a turn. It
// returns when the model has finished speaking, or with an error; if ctx ended first the
// error wraps ctx's. Errors that callers can act on are of type *ProviderError.
type Provider interface {
	Respond(ctx context.Context, req Request) (Response, error)
}

// Request is what the model is asked in one step.
type Request struct {
	Messages []Message // oldest first; the last is the user's, a tool's, or an answer that goes on
	Tools    []Spec    // tools the model may call; if empty it must answer in text

	// OnText, unless nil, is called with each piece of the answer's text as it comes in, on
	// the goroutine of Respond and before Respond returns. The pieces, joined, are the
	// answer's Text, or its beginning if Respond fails. They are raw and may be split
	// anywhere. A piece without bytes says that the request is repeated: what came before
	// it is void. A provider that gets its answers whole never calls OnText.
	OnText func(piece string)
}

// Say calls OnText, if there is one, with a piece of the text. It drops pieces without
// bytes, which some models send.
func (r Request) Say(piece string) {
	if r.OnText != nil && piece != "" {
		r.OnText(piece)
	}
}

// Role is the author of a message.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the conversation as the model sees it.
type Message struct {
	Role   Role
	Text   string
	Calls  []Call   // RoleAssistant: the calls it made
	Opaque []Opaque // RoleAssistant: the provider's own items, in its order
	CallID string   // RoleTool: the call whose result this is
}

// Response is what the model said in one step: tool calls, perhaps with text before
// them, or an answer without calls.
type Response struct {
	Text    string
	Calls   []Call
	Summary string   // the provider's summary of the step's reasoning, if it makes one
	Opaque  []Opaque // reasoning to send back with the next request
	Sealed  Sealed   // reasoning that only the provider can read, whether it goes back or not
	Stop    Stop     // why the model stopped, if it was neither done nor called tools

	// Thoughts are the raw ones of an answer without text and calls. They are never kept or shown: only a call is
	// looked for that the model wrote there, in place of making it.
	Thoughts string
	Model    string // the model that answered, as it names itself
	Usage    Usage
}

// Call is a tool call as the model wrote it: nothing in it is cleaned or checked.
type Call struct {
	ID        string // the provider's; may be empty or repeated
	Name      string
	Arguments json.RawMessage // byte for byte, for the provider's own replay
	Reasoning string          // the reason, if the provider has a field for it
	Before    string          // the part of the response's text that stands between this call and the one before it

	written bool // the model wrote the call as text
}

// Usage counts tokens; zero means unknown. Output includes Reasoning, and Input includes Cached: what
// the provider had at hand from earlier requests.
type Usage struct {
	Input, Output, Reasoning int

	Cached int `json:",omitzero"`
}

// Opaque is reasoning that only its provider can read: a signature, an encrypted item,
// or raw thoughts that must be sent back. It goes back byte for byte, only to the
// provider that wrote it, and is never cleaned, shown or logged.
type Opaque struct {
	Provider string // the provider that wrote it
	Kind     string // the provider's name for this kind of item
	Data     []byte
}

// String returns the size of the item, and nothing of its content.
func (o Opaque) String() string { return fmt.Sprintf("[opaque, %d bytes]", len(o.Data)) }

// GoString implements fmt.GoStringer like String, so that %#v prints no content either.
func (o Opaque) GoString() string { return o.String() }

// LogValue implements slog.LogValuer like String.
func (o Opaque) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Failure is a kind of provider failure.
type Failure int

const (
	// Permanent means that the same request will fail again.
	Permanent Failure = iota
	// Temporary means that a retry may succeed: the provider is busy, rate limited,
	// broken for the moment, or the connection was cut.
	Temporary
	// TooLong means that the conversation does not fit the model's context.
	TooLong
)

// ProviderError is a provider's failure with what a caller can act on.
type ProviderError struct {
	Failure    Failure
	Status     int           // HTTP status; 0 if there was no response
	RetryAfter time.Duration // how long the provider asks us to wait; 0 if it does not
	Err        error         // may contain the provider's own words, which are raw text
}

// Error implements error.
func (e *ProviderError) Error() string {
	if e.Status == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("HTTP %d: %s", e.Status, e.Err)
}

// Unwrap returns Err.
func (e *ProviderError) Unwrap() error { return e.Err }
