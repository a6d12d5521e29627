package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Provider is a model. Respond is called from many turns at once; it returns
// when the model has finished speaking, or with an error that wraps ctx's when
// ctx ended first. An error worth telling apart is a *ProviderError.
type Provider interface {
	Respond(ctx context.Context, req Request) (Response, error)
}

// Request is one step's question to the model.
type Request struct {
	Messages []Message // oldest first; the last is the user's or a tool's
	Tools    []Spec    // what it may call; none means it has to answer in text
}

// Role says who speaks.
type Role string

// The roles a message can have.
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
	Calls  []Call   // RoleAssistant: what it asked for
	Opaque []Opaque // RoleAssistant: what its provider wants back, in its order
	CallID string   // RoleTool: which call this answers
}

// Response is what the model said: tool calls with text before them, or, without
// calls, its answer.
type Response struct {
	Text    string
	Calls   []Call
	Summary string   // the provider's own summary of the step's reasoning, where it makes one
	Opaque  []Opaque // reasoning to carry back, which is not for us to read
	Model   string   // the model that answered, as it names itself
	Usage   Usage
}

// Call is the model's wish to use a tool. It is raw: nothing in it is cleaned or
// checked.
type Call struct {
	ID        string // the provider's; may be empty or repeated
	Name      string
	Arguments json.RawMessage // as the model wrote them, kept for its own replay
	Reasoning string          // why, where the provider has a place for it
}

// Usage counts tokens. Reasoning tokens are part of the output; zero means unknown.
type Usage struct{ Input, Output, Reasoning int }

// Opaque is reasoning that only its provider can read: a signature, an encrypted
// item, raw thoughts that have to be sent back. It goes back byte for byte, to the
// provider it came from and no other, and is never cleaned, shown or logged.
type Opaque struct {
	Provider string // who it came from, and the only one it may go to
	Kind     string // the provider's name for it
	Data     []byte
}

// String shows that there is something, and how large.
func (o Opaque) String() string { return fmt.Sprintf("[opaque, %d bytes]", len(o.Data)) }

// GoString is String, for formats that look inside.
func (o Opaque) GoString() string { return o.String() }

// LogValue implements slog.LogValuer.
func (o Opaque) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Failure is a kind of provider failure.
type Failure int

const (
	// Permanent: asking again the same way fails the same way.
	Permanent Failure = iota
	// Temporary: the provider is busy, limited, broken for now or cut off.
	Temporary
	// TooLong: the conversation does not fit the model.
	TooLong
)

// ProviderError is a provider's failure, told apart.
type ProviderError struct {
	Failure    Failure
	Status     int           // of HTTP, 0 when there was no answer
	RetryAfter time.Duration // how long the provider asks us to wait; 0 when it does not
	Err        error         // may hold the provider's own words, which are raw text
}

// Error implements error.
func (e *ProviderError) Error() string {
	if e.Status == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("HTTP %d: %s", e.Status, e.Err)
}

// Unwrap gives the cause.
func (e *ProviderError) Unwrap() error { return e.Err }
